// Every solver in every variant on the known spectra: within its tolerance where it converged,
// inside its enclosures where it is complete, every copy of a repeated eigenvalue there or the
// answer called incomplete. MERCER_ROWS makes the matrices larger.
#include "tests/support/solver_promises.h"

#include <gtest/gtest.h>

#include <cstdlib>

namespace mercer {
namespace {

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
    request.variant = GetParam().variant;
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
      EXPECT_FALSE(result.reason.empty());
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

}  // namespace
}  // namespace mercer
