// Every solver in every variant on the known spectra: within its tolerance where it converged,
// inside its enclosures where it is complete, every copy of a repeated eigenvalue there or the
// answer called incomplete. MERCER_ROWS makes the matrices larger.
#include "tests/support/solver_promises.h"

#include <gtest/gtest.h>

#include <cstdlib>

namespace mercer {
namespace every_variant_test {

// I - 2 v v' on both sides of a diagonal: a full matrix with a known spectrum, made in n^2 steps.
Block reflected(const Vector& values, std::uint64_t seed) {
  const Index n = values.size();
  Block a = values.asDiagonal();
  for (std::uint64_t turn = 0; turn < 3; ++turn) {
    const Vector v = test::random_orthonormal(n, 1, seed + turn).col(0);
    const Vector av = a * v;
    const double vav = v.dot(av);
    a -= 2 * v * av.transpose() + 2 * av * v.transpose() - 4 * vav * v * v.transpose();
  }
  return (a + a.transpose()) / 2;
}

Index rows() {
  const char* asked = std::getenv("MERCER_ROWS");
  return asked == nullptr ? 150 : std::atoi(asked);
}

struct Way {
  const SolverRecipe* solver;
  std::string_view variant;
};

std::vector<Way> ways() {
  std::vector<Way> all;
  for (const SolverRecipe* solver : solver_recipes()) {
    if (solver->variants.empty()) all.push_back({solver, {}});
    for (const std::string_view variant : solver->variants) all.push_back({solver, variant});
  }
  return all;
}

class EveryVariant : public testing::TestWithParam<Way> {
 protected:
  EigenResult solve(const Block& matrix, Index count, double tolerance) const {
    EigenRequest request = test::request_of(count, tolerance);
    request.search.variant = GetParam().variant;
    return GetParam().solver->run(test::MatrixOperator(matrix), request, {});
  }
};
INSTANTIATE_TEST_SUITE_P(Catalogue, EveryVariant, testing::ValuesIn(ways()), [](const auto& way) {
  const std::string variant(way.param.variant);
  return std::string(way.param.solver->name) + (variant.empty() ? "" : "_" + variant);
});

TEST_P(EveryVariant, AgreesWithEveryKnownSpectrumWithinItsCertificate) {
  Index converged = 0;
  for (const std::string& kind : test::spectrum_kinds()) {
    SCOPED_TRACE(kind);
    const Vector truth = test::spectrum_of(kind, rows());
    const EigenResult result = solve(reflected(truth, 11), 5, 1e-8);
    ASSERT_EQ(result.values.size(), 5);
    EXPECT_LE(test::orthogonality_ratio(result.vectors), test::kRatio);
    if (!result.converged) {
      EXPECT_FALSE(result.stop.words().empty());
      continue;
    }
    ++converged;
    const bool proven = result.certificate.complete || GetParam().solver->whole_spectrum;
    for (Index i = 0; i < 5; ++i) {
      if (proven) {
        EXPECT_NEAR(result.values[i], truth[i], 2e-8);
      }
      EXPECT_LE(result.values[i], truth[i] + 1e-12) << "a Ritz value never exceeds its eigenvalue";
      if (proven && result.certificate.eigenvalue_upper.size() > i) {
        EXPECT_GE(result.certificate.eigenvalue_upper[i], truth[i] - 1e-13);
      }
    }
  }
  EXPECT_GE(converged, 3) << "of 5 spectra";
}

// A table with k = 9 of its 8 + 28 + ... equal eigenvalues: residuals say nothing of copies, sums
// of squares and probes cannot separate what is cut.
TEST_P(EveryVariant, NineOfTheCornersOfAnEightCubeAreVerified) {
  const test::SymmetricCase cube = test::symmetric_cases()[0];
  const EigenResult result = solve(cube.matrix, 9, 1e-6);
  EXPECT_LE(test::max_abs(result.values - cube.truth.head(9)), 1e-6 * cube.truth[0]);
  EXPECT_NEAR(result.spectrum.next_value, result.values[8], 1e-10 * result.values[0])
      << "a cluster is cut";
  if (GetParam().solver->whole_spectrum) return;  // certified by what it computes
  EXPECT_TRUE(result.certificate.complete) << result.stop.words();
  test::expect_answer(result, cube.truth, 9, 1e-6, cube.name);
}

// Matrices with fewer eigenvalues than are wanted, by value and by magnitude: rows that repeat,
// ranks of either sign, nothing at all. An iteration that makes no progress must notice.
std::vector<Block> low_ranks() {
  std::vector<Block> all = {Block::Zero(40, 40)};
  const Points few = test::random_points({8, 2, 5});
  Points rows(80, 2);
  for (Index i = 0; i < 80; ++i) rows.row(i) = few.row(i / 10);
  all.push_back(test::double_centred(test::dense_kernel(Kernel("gaussian:sigma=1"), rows)));
  for (const double sign : {1.0, -1.0}) {
    Vector values = Vector::Zero(60);
    values.head(6) << 3, 2, 2, 1, 1, 0.5;
    values.tail(2) << -1, -2;
    all.push_back(sign * test::matrix_with(values, 6));
  }
  all.push_back(Block::Ones(50, 50));
  all.push_back(-Block::Identity(40, 40));
  return all;
}

TEST_P(EveryVariant, EndsWhereMoreIsWantedThanTheRank) {
  for (const Block& matrix : low_ranks())
    for (const Order order : {Order::value, Order::magnitude})
      for (const double rank_tolerance : {1e-12, -2.0})
        for (const Index count : {9, 15}) {
          SCOPED_TRACE(std::to_string(matrix.rows()) + " rows, " + std::to_string(count));
          const test::CountingOperator a(matrix);
          EigenRequest request = test::request_of(count, 1e-6);
          request.search.variant = GetParam().variant;
          request.order = order;
          request.matrix.rank_tolerance = rank_tolerance;
          // Far more often than any of them asks: an iteration without an end would.
          Context context;
          Index asked = 0;
          context.observer.cancelled = [&] { return ++asked > 300'000; };
          context.budget.threads = 1;
          const EigenResult result = GetParam().solver->run(a, request, context);
          EXPECT_LE(a.passes, 1200);
          if (!result.converged) continue;
          const double scale = test::max_abs(matrix);
          const Block misses =
              matrix * result.vectors - result.vectors * result.values.asDiagonal();
          EXPECT_LE(test::max_abs(misses), 1e-5 * scale * static_cast<double>(matrix.rows()));
        }
}

}  // namespace every_variant_test
}  // namespace mercer
