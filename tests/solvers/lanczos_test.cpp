// lanczos on matrices whose spectra were put in, in all its variants: answers whose residuals are
// measured truly, restarts, breakdowns, copies, ghosts that do not get through, and limits.
#include "mercer/solvers/recipe.h"
#include "mercer/solvers/reorthogonalise.h"
#include "tests/support/dense.h"
#include "tests/support/errors.h"
#include "tests/support/random_points.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

namespace mercer {
namespace lanczos_test {

using test::kRatio;
using test::kUnit;

const std::vector<std::string_view> kSound = {"full", "partial", "selective"};
const std::vector<std::string_view> kAll = {"full", "partial", "selective", "none"};

// A symmetric matrix as an operator that gives its sums and keeps count.
class Known final : public SymmetricOperator {
 public:
  explicit Known(Block matrix) : matrix_(std::move(matrix)) {}
  Index size() const override { return matrix_.rows(); }
  Vector diagonal(const Context& /*context*/) const override { return matrix_.diagonal(); }
  void apply(ConstBlockRef x, BlockRef y, PassSums* sums, const Context&) const override {
    y = matrix_ * x;
    widths.push_back(x.cols());
    if (sums == nullptr) return;
    sums->trace = matrix_.trace();
    sums->frobenius_squared = matrix_.squaredNorm();
    sums->frobenius_error = 0x1p-50;
  }
  Index passes() const { return static_cast<Index>(widths.size()); }
  mutable std::vector<Index> widths;  // columns of each product

 private:
  Block matrix_;
};

// D or, where there is more than one row, P D P with the reflection P = I - 2 e e'/n: products cost
// O(n), so thousands of rows are quick.
class Reflected final : public SymmetricOperator {
 public:
  explicit Reflected(Vector values) : values_(std::move(values)) {}
  Index size() const override { return values_.size(); }
  Vector diagonal(const Context& /*context*/) const override { return values_; }
  void apply(ConstBlockRef x, BlockRef y, PassSums* sums, const Context&) const override {
    y = reflect(values_.asDiagonal() * reflect(x));
    if (sums == nullptr) return;
    sums->trace = values_.sum();
    sums->frobenius_squared = values_.squaredNorm();
    sums->frobenius_error = 0x1p-50;
  }

 private:
  Block reflect(const Block& x) const {
    const auto n = static_cast<double>(values_.size());
    return x - Vector::Constant(values_.size(), 2 / n) * x.colwise().sum();
  }
  Vector values_;
};

Block with_spectrum(const Vector& values, std::uint64_t seed) {
  const Block q = test::random_orthonormal(values.size(), values.size(), seed);
  const Block a = q * values.asDiagonal() * q.transpose();
  return 0.5 * (a + a.transpose());
}

Vector spectrum(const std::string& kind, Index n) {
  Vector values(n);
  for (Index i = 0; i < n; ++i) {
    const auto x = static_cast<double>(i);
    if (kind == "geometric") values[i] = std::pow(0.7, x);
    if (kind == "slow") values[i] = std::pow(0.9, x);
    if (kind == "algebraic") values[i] = 1 / (1 + x);
    if (kind == "clustered") values[i] = 1 - 1e-14 * x;
    if (kind == "multiple") values[i] = std::pow(0.4, std::floor(x / 4));
    if (kind == "two") values[i] = 2 * i < n ? 2 : 1;
    if (kind == "flat") values[i] = 1 + 1e-3 * (1 - x / static_cast<double>(n));
    if (kind == "large") values[i] = 1e150 / (1 + x);
    if (kind == "small") values[i] = 1e-150 / (1 + x);
  }
  return values;
}

EigenRequest asked(Index count, double tolerance, std::string_view variant,
                   std::uint64_t seed = 1) {
  EigenRequest request;
  request.count = count;
  request.tolerance = tolerance;
  request.search.variant = variant;
  request.search.seed = seed;
  request.matrix.rank_tolerance = -2;
  return request;
}

EigenResult solve(const SymmetricOperator& a, const EigenRequest& request) {
  return solver_recipe("lanczos").run(a, request, Context{});
}

TEST(Lanczos, GhostsDoNotReachTheAnswer) {
  for (const std::string kind : {"geometric", "slow", "algebraic"})
    for (const double tolerance : {1e-4, 1e-8, 1e-14}) {
      const Vector truth = spectrum(kind, 160);
      const Block matrix = with_spectrum(truth, 6);
      const EigenResult result = solve(Known(matrix), asked(6, tolerance, "none"));
      ASSERT_EQ(result.values.size(), 6) << kind;
      EXPECT_TRUE(result.converged) << kind << tolerance << result.stop.words();
      EXPECT_LE(test::max_abs(result.values - truth.head(6)), tolerance + 160 * kRatio * kUnit);
      EXPECT_LE(test::orthogonality_ratio(result.vectors), kRatio);
    }
}

TEST(Lanczos, SaysSoWhereGhostsLeaveNoRoomForAllPairs) {
  EigenRequest request = asked(6, 1e-10, "none");
  request.search.basis = 30;
  const EigenResult result = solve(Known(with_spectrum(spectrum("flat", 160), 6)), request);
  EXPECT_FALSE(result.converged);
  EXPECT_FALSE(result.certificate.complete);
  EXPECT_NE(result.stop.words().find("ghosts"), std::string::npos) << result.stop.words();
}

TEST(Lanczos, FindsKnownSpectraToRounding) {
  for (const std::string kind :
       {"geometric", "algebraic", "clustered", "multiple", "two", "flat", "large", "small"})
    for (const Index n : {1, 2, 3, 40, 200}) {
      const Vector truth = spectrum(kind, n);
      const Block matrix = with_spectrum(truth, static_cast<std::uint64_t>(n));
      const Index count = std::min<Index>(n, 5);
      for (const std::string_view variant : kSound) {
        SCOPED_TRACE(kind + " " + std::string(variant) + " n=" + std::to_string(n));
        const EigenResult result = solve(Known(matrix), asked(count, 1e-14, variant));
        ASSERT_EQ(result.values.size(), count);
        EXPECT_TRUE(result.converged || result.stop.words().find("rounding") != std::string::npos)
            << result.stop.words();
        EXPECT_LE(test::residual_ratio(matrix, result.vectors, result.values), kRatio);
        EXPECT_LE(test::orthogonality_ratio(result.vectors), kRatio);
        EXPECT_LE(test::value_ratio(result.values, truth.head(count), n, truth[0]), kRatio);
        EXPECT_TRUE(result.certificate.complete || !result.stop.words().empty());
      }
    }
}

TEST(Lanczos, FindsAllPairsWhereAllAreWanted) {
  for (const std::string kind : {"geometric", "algebraic", "clustered", "two"})
    for (const std::string_view variant : kSound) {
      SCOPED_TRACE(kind + " " + std::string(variant));
      const Vector truth = spectrum(kind, 60);
      const Block matrix = with_spectrum(truth, 9);
      const EigenResult result = solve(Known(matrix), asked(60, 1e-14, variant));
      ASSERT_EQ(result.values.size(), 60);
      EXPECT_LE(test::residual_ratio(matrix, result.vectors, result.values), kRatio);
      EXPECT_LE(test::orthogonality_ratio(result.vectors), kRatio);
      EXPECT_LE(test::value_ratio(result.values, truth, 60, truth[0]), kRatio);
    }
}

TEST(Lanczos, AgreesWithTheSpectrumOfTwoThousandRowsWithinItsCertificate) {
  const Vector truth = spectrum("algebraic", 2000);
  for (const std::string_view variant : kAll) {
    const EigenResult result = solve(Reflected(truth), asked(10, 1e-9, variant));
    EXPECT_TRUE(result.converged && result.certificate.complete) << variant << result.stop.words();
    for (Index i = 0; i < 10; ++i) {
      EXPECT_LE(result.values[i], truth[i] + 2000 * kUnit) << variant;
      EXPECT_GE(result.certificate.eigenvalue_upper[i], truth[i]) << variant;
      EXPECT_NEAR(result.values[i], truth[i], 1e-9) << variant;
    }
  }
}

TEST(Lanczos, TheResidualsReportedAreThoseOfATrueProduct) {
  for (const std::string_view variant : kAll)
    for (const double tolerance : {1e-3, 1e-7, 1e-11}) {
      const Block matrix = with_spectrum(spectrum("slow", 150), 4);
      const Known a(matrix);
      const EigenResult result = solve(a, asked(6, tolerance, variant));
      const Block r = matrix * result.vectors - result.vectors * result.values.asDiagonal();
      const Vector truth = r.colwise().norm().transpose() / result.values[0];
      EXPECT_LE(test::max_abs(truth - result.certificate.residuals), 150 * kUnit) << variant;
      EXPECT_LE(truth.maxCoeff(), tolerance) << variant;
      // Single vectors, and then at least the wanted ones together.
      const auto block = std::ranges::find_if(a.widths, [](Index w) { return w > 1; });
      ASSERT_NE(block, a.widths.end());
      EXPECT_GE(*block, 6);
    }
}

TEST(Lanczos, RestartsInASmallBasisWithoutLosingPrecision) {
  const Vector truth = spectrum("algebraic", 300);
  const Block matrix = with_spectrum(truth, 9);
  for (const std::string_view variant : kSound) {
    EigenRequest request = asked(4, 1e-13, variant);
    request.search.basis = 12;
    const Known a(matrix);
    const EigenResult result = solve(a, request);
    EXPECT_TRUE(result.converged) << variant << result.stop.words();
    EXPECT_GT(std::ranges::count(a.widths, 1), 24) << "several cycles";
    EXPECT_LE(test::max_abs(result.values - truth.head(4)), 300 * kRatio * kUnit) << variant;
    EXPECT_LE(test::residual_ratio(matrix, result.vectors, result.values), kRatio) << variant;
  }
}

TEST(Lanczos, FindsEveryCopyOfAMultipleEigenvalueByBreakdowns) {
  // Only two distinct values: a Krylov sequence ends after two steps, and the next one begins with
  // a random vector.
  Vector truth = Vector::Constant(90, 1.0);
  truth.head(6).setConstant(3);
  const Block matrix = with_spectrum(truth, 8);
  for (const std::string_view variant : kSound) {
    EigenRequest request = asked(8, 1e-12, variant);
    request.certify = Certify::none;  // the proof would find what the iteration missed
    const EigenResult result = solve(Known(matrix), request);
    ASSERT_EQ(result.values.size(), 8) << variant;
    EXPECT_LE(test::max_abs(result.values - truth.head(8)), 90 * kRatio * kUnit) << variant;
  }
}

struct Symmetric {
  std::string name;
  Block matrix;
  Vector truth;
  std::vector<Index> counts;
};

Symmetric symmetric_case(const std::string& name, const Points& points, const char* kernel,
                         std::vector<Index> counts) {
  Block matrix = test::double_centred(test::dense_kernel(Kernel(kernel), points));
  Vector truth = test::dense_eigen(matrix).values;
  return {name, std::move(matrix), std::move(truth), std::move(counts)};
}

std::vector<Symmetric> symmetric_cases() {
  Points cube(256, 8), polygon(60, 2);
  for (Index i = 0; i < 256; ++i)
    for (Index j = 0; j < 8; ++j) cube(i, j) = static_cast<double>((i >> j) & 1);
  for (Index i = 0; i < 60; ++i) {
    const double angle = 2 * M_PI * static_cast<double>(i) / 60;
    polygon.row(i) << std::cos(angle), std::sin(angle);
  }
  return {symmetric_case("8-cube", cube, "gaussian:gamma=0.3", {8, 9, 12}),
          symmetric_case("60-gon", polygon, "gaussian:sigma=0.7", {2, 3, 10}),
          symmetric_case("30-simplex", Points::Identity(30, 30), "gaussian:sigma=1", {5, 14})};
}

TEST(Lanczos, MissesNoCopyOrSaysThatItMay) {
  Index runs = 0, proven = 0;
  for (const Symmetric& s : symmetric_cases())
    for (const Index k : s.counts)
      for (const double tolerance : {1e-3, 1e-10})
        for (const std::string_view variant : kAll) {
          const EigenResult result = solve(Known(s.matrix), asked(k, tolerance, variant, 3));
          ++runs;
          if (!result.certificate.complete) {
            EXPECT_FALSE(result.stop.words().empty());
            continue;
          }
          ++proven;
          ASSERT_EQ(result.values.size(), k);
          EXPECT_LE(test::max_abs(result.values - s.truth.head(k)), 2 * tolerance * s.truth[0])
              << s.name << " k=" << k << " " << variant;
        }
  EXPECT_GT(proven, runs * 3 / 4) << "of " << runs;
}

TEST(Lanczos, UsesVectorsOfElsewhereAndFindsWhatTheyMiss) {
  const Vector truth = spectrum("slow", 120);
  const Block q = test::random_orthonormal(120, 120, 3);
  const Block product = q * truth.asDiagonal() * q.transpose();
  const Block matrix = 0.5 * (product + product.transpose());
  const Block good = q.leftCols(5), blind = q.middleCols(1, 5);
  for (const std::string_view variant : kSound) {
    EigenRequest request = asked(5, 1e-8, variant);
    const Known cold(matrix), warm(matrix), misled(matrix);
    solve(cold, request);
    request.start = &good;
    EXPECT_LE(test::max_abs(solve(warm, request).values - truth.head(5)), 1e-8);
    EXPECT_LT(warm.passes(), cold.passes()) << variant;
    request.start = &blind;
    EXPECT_LE(test::max_abs(solve(misled, request).values - truth.head(5)), 1e-8) << variant;
  }
}

TEST(Lanczos, FindsBothEndsByMagnitude) {
  Vector truth = spectrum("slow", 120);
  for (Index i = 1; i < truth.size(); i += 3) truth[i] = -truth[i];
  for (const std::string_view variant : kAll) {
    EigenRequest request = asked(6, 1e-9, variant);
    request.order = Order::magnitude;
    const EigenResult result = solve(Known(with_spectrum(truth, 4)), request);
    ASSERT_EQ(result.values.size(), 6);
    EXPECT_LE(test::max_abs(result.values - truth.head(6)), 1e-9) << variant;
  }
}

TEST(Lanczos, ZeroAndIdentityAreInvariantSpacesFromTheFirstStep) {
  for (const std::string_view variant : kAll) {
    const EigenResult zero = solve(Known(Block::Zero(20, 20)), asked(3, 1e-10, variant));
    EXPECT_EQ(test::max_abs(zero.values), 0) << variant;
    EigenRequest request = asked(4, 1e-10, variant);
    request.search.proof_bytes = 0;
    const EigenResult identity = solve(Known(Block::Identity(200, 200)), request);
    EXPECT_LE(test::max_abs(identity.values - Vector::Ones(identity.values.size())), 1e-14);
    EXPECT_FALSE(identity.certificate.complete)
        << "a flat spectrum cannot be proven without a count";
  }
}

TEST(Lanczos, GivesTheSameBytesForAnyNumberOfThreads) {
  const Reflected a(spectrum("algebraic", 5000));  // three parts of rows
  for (const std::string_view variant : kAll) {
    Context context;
    context.budget.threads = 1;
    const auto& recipe = solver_recipe("lanczos");
    const EigenResult one = recipe.run(a, asked(4, 1e-8, variant), context);
    for (const Index threads : {2, 3, 4, 8}) {
      context.budget.threads = threads;
      const EigenResult more = recipe.run(a, asked(4, 1e-8, variant), context);
      EXPECT_EQ(one.values, more.values) << variant << threads;
      EXPECT_EQ(one.vectors, more.vectors) << variant << threads;
    }
  }
}

TEST(Lanczos, StopsWhenCancelledAndKeepsTheBestWhenTimeIsOver) {
  const Block matrix = with_spectrum(spectrum("algebraic", 200), 6);
  for (const std::string_view variant : kAll) {
    const Known cancelled(matrix), late(matrix);
    Context context;
    context.observer.cancelled = [&] { return cancelled.passes() >= 5; };
    const auto run = [&] {
      return solver_recipe("lanczos").run(cancelled, asked(5, 1e-12, variant), context);
    };
    EXPECT_EQ(test::code_of(run), "M001") << variant;
    Context timed;
    timed.observer.out_of_time = [&] { return late.passes() >= 18; };
    const EigenResult best = solver_recipe("lanczos").run(late, asked(5, 1e-12, variant), timed);
    EXPECT_FALSE(best.converged) << variant;
    EXPECT_NE(best.stop.words().find("time"), std::string::npos) << best.stop.words();
    EXPECT_NEAR(best.values[0], 1, 1e-6) << variant;
    // Nothing was left for a true product: the residuals are those of the recurrence, and right.
    const Block r = matrix * best.vectors - best.vectors * best.values.asDiagonal();
    const Vector truth = r.colwise().norm().transpose();
    EXPECT_LE(test::max_abs(truth - best.certificate.residuals), 1e-12) << variant;
  }
}

TEST(Lanczos, ResidualsAreRightWheneverTimeEnds) {
  const Block matrix = with_spectrum(spectrum("algebraic", 80), 6);
  for (const std::string_view variant : kSound)
    for (Index limit = 6; limit < 26; ++limit) {  // within a cycle, and right after a restart
      const Known late(matrix);
      Context timed;
      timed.observer.out_of_time = [&] { return late.passes() >= limit; };
      EigenRequest request = asked(4, 1e-13, variant);
      request.search.basis = 9;
      const EigenResult best = solver_recipe("lanczos").run(late, request, timed);
      const Block r = matrix * best.vectors - best.vectors * best.values.asDiagonal();
      const Vector truth = r.colwise().norm().transpose() / best.values[0];
      EXPECT_LE(test::max_abs(truth - best.certificate.residuals), 1e-12) << variant << limit;
      EXPECT_FALSE(best.converged) << variant << limit;
    }
}

TEST(Lanczos, AnswersWithWhatTheAllowedPassesFound) {
  EigenRequest request = asked(5, 1e-12, "full");
  request.search.passes = 12;
  const Known a(with_spectrum(spectrum("flat", 200), 6));
  const EigenResult result = solve(a, request);
  EXPECT_LE(a.passes(), 12);
  EXPECT_FALSE(result.converged);
  EXPECT_FALSE(result.stop.words().empty());
  EXPECT_EQ(result.values.size(), 5);
}

TEST(Lanczos, ListsItsVariantsAndRefusesOthers) {
  const SolverRecipe& recipe = solver_recipe("lanczos");
  EXPECT_EQ(std::vector<std::string_view>(recipe.variants.begin(), recipe.variants.end()), kAll);
  EXPECT_EQ(solver_choice("lanczos:partial").variant, "partial");
  EXPECT_EQ(test::code_of([] { solver_choice("lanczos:partail"); }), "M112");
  EXPECT_EQ(test::code_of([] { parse_reorthogonalise("twice"); }), "M112");
}

}  // namespace lanczos_test
}  // namespace mercer
