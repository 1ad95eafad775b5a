// subspace on matrices whose spectra are known by construction: it agrees with them within its
// certificate, its filter needs fewer products than the plain iteration and does not break down
// where a higher degree would, and what it cannot reach it says.
#include "mercer/core/error.h"
#include "mercer/solvers/recipe.h"
#include "tests/support/spectra.h"

#include <gtest/gtest.h>

namespace mercer {
namespace {

using test::CountingOperator;
using test::kRatio;
using test::matrix_with;
using test::spectrum_of;

EigenRequest asked(Index count, double tolerance, std::string_view variant = {}) {
  EigenRequest request;
  request.count = count;
  request.tolerance = tolerance;
  request.positive = true;
  request.rank_tolerance = 1e-13;
  request.variant = variant;
  return request;
}

EigenResult solve(const SymmetricOperator& a, const EigenRequest& request, Context context = {}) {
  return solver_recipe("subspace").run(a, request, context);
}

void expect_enclosed(const EigenResult& result, const Vector& truth, double tolerance) {
  const double largest = test::max_abs(truth);
  for (Index i = 0; i < result.values.size(); ++i) {
    EXPECT_LE(result.values[i], truth[i] + 1e-13 * largest) << i;
    if (result.converged && result.certificate.complete) {
      EXPECT_GE(result.values[i], truth[i] - 2 * tolerance * largest) << i;
      EXPECT_GE(result.certificate.eigenvalue_upper[i], truth[i] - 1e-14 * largest) << i;
    }
  }
}

TEST(Subspace, AgreesWithTheKnownSpectrumWithinItsCertificate) {
  for (const std::string& kind : test::spectrum_kinds())
    for (const Index n : {1, 2, 3, 60, 200})
      for (const double tolerance : {1e-4, 1e-10}) {
        SCOPED_TRACE(kind + " n=" + std::to_string(n) + " tolerance=" + std::to_string(tolerance));
        const Vector truth = spectrum_of(kind, n);
        const CountingOperator a(matrix_with(truth, 3));
        const Index count = std::min<Index>(6, n);
        const EigenResult result = solve(a, asked(count, tolerance));
        ASSERT_EQ(result.values.size(), count);
        EXPECT_TRUE(result.converged) << result.reason;
        EXPECT_EQ(result.applications, a.passes);
        EXPECT_EQ(result.columns, a.columns);
        EXPECT_LE(test::max_abs(result.certificate.residuals), tolerance);
        expect_enclosed(result, truth, tolerance);
      }
}

TEST(Subspace, BothVariantsReachRounding) {
  for (const std::string_view variant : {"chebyshev", "plain"})
    for (const std::string kind : {"geometric", "algebraic", "clustered", "multiple"}) {
      SCOPED_TRACE(kind + " " + std::string(variant));
      const Block matrix = matrix_with(spectrum_of(kind, 200), 4);
      const EigenResult result = solve(CountingOperator(matrix), asked(6, 1e-14, variant));
      ASSERT_EQ(result.values.size(), 6);
      EXPECT_LE(test::residual_ratio(matrix, result.vectors, result.values), kRatio);
      EXPECT_LE(test::orthogonality_ratio(result.vectors), kRatio);
      EXPECT_LE(test::value_ratio(result.values, spectrum_of(kind, 200).head(6), 200, 1.0), kRatio);
    }
}

TEST(Subspace, TheFilterTakesFewerProductsThanThePlainIteration) {
  for (const std::string kind : {"algebraic", "flat"}) {
    const CountingOperator filtered(matrix_with(spectrum_of(kind, 300), 5));
    const CountingOperator plain(matrix_with(spectrum_of(kind, 300), 5));
    EigenRequest request = asked(8, 1e-8, "chebyshev");
    request.certify = Certify::none;
    EXPECT_TRUE(solve(filtered, request).converged) << kind;
    request.variant = "plain";
    const EigenResult slow = solve(plain, request);
    EXPECT_LT(filtered.passes, plain.passes) << kind;
    // No hundred products separate values that differ by a per cent: said, not hidden.
    EXPECT_EQ(slow.converged, kind == "algebraic");
    EXPECT_EQ(slow.reason.empty(), kind == "algebraic") << slow.reason;
  }
}

TEST(Subspace, ThePlainIterationGainsTheRatioOfTheValuesInEveryPass) {
  // 1, 0.9, then 0.3: with a block of 10 for 2 pairs the factor is mu_11 / mu_2 = 0.3 / 0.9.
  Vector truth = Vector::Constant(80, 0.3);
  truth.head(10) << 1, 0.9, 0.8, 0.8, 0.8, 0.8, 0.8, 0.8, 0.8, 0.8;
  EigenRequest request = asked(2, 1e-12, "plain");
  request.certify = Certify::none;
  const EigenResult result = solve(CountingOperator(matrix_with(truth, 2)), request);
  ASSERT_TRUE(result.converged) << result.reason;
  ASSERT_GE(result.history.size(), 14U);
  for (std::size_t i = 8; i < 14; ++i)  // the first steps still turn the block
    EXPECT_NEAR(result.history[i].residual / result.history[i - 1].residual, 1.0 / 3, 0.06) << i;
}

TEST(Subspace, TheFilterDoesNotBreakDownWhereValuesSpreadOverManyOrders) {
  // Without a cap on its degree all filtered columns would point to the first vector.
  Vector truth(150);
  for (Index i = 0; i < 150; ++i) truth[i] = std::pow(0.25, static_cast<double>(i));
  const EigenResult result = solve(CountingOperator(matrix_with(truth, 6)), asked(12, 1e-12));
  EXPECT_TRUE(result.converged) << result.reason;
  for (Index i = 0; i < 12; ++i) EXPECT_NEAR(result.values[i], truth[i], 1e-13);
}

TEST(Subspace, AClusterWiderThanTheBlockDoesNotStallTheFilter) {
  Vector truth = Vector::Constant(120, 1.0);
  truth.head(60).setConstant(2.0);
  const EigenResult result = solve(CountingOperator(matrix_with(truth, 7)), asked(4, 1e-12));
  EXPECT_TRUE(result.converged) << result.reason;
  for (Index i = 0; i < 4; ++i) EXPECT_NEAR(result.values[i], 2, 1e-12);
}

TEST(Subspace, FindsTheLargestOfBothSigns) {
  Vector truth(150);  // the lower end reaches further than the upper one
  for (Index i = 0; i < 150; ++i) truth[i] = 60 - static_cast<double>(i);
  for (const std::string_view variant : {"chebyshev", "plain"}) {
    EigenRequest request = asked(4, 1e-6, variant);
    request.positive = false;
    const EigenResult result = solve(CountingOperator(matrix_with(truth, 8)), request);
    EXPECT_TRUE(result.converged) << result.reason;
    for (Index i = 0; i < 4; ++i) EXPECT_NEAR(result.values[i], truth[i], 1e-3) << variant;
  }
}

TEST(Subspace, FindsBothEndsByMagnitude) {
  Vector truth(80);
  for (Index i = 0; i < 80; ++i) truth[i] = std::pow(-0.8, static_cast<double>(i));
  for (const std::string_view variant : {"chebyshev", "plain"}) {
    EigenRequest request = asked(5, 1e-11, variant);
    request.positive = false;
    request.order = Order::magnitude;
    const EigenResult result = solve(CountingOperator(matrix_with(truth, 9)), request);
    ASSERT_TRUE(result.converged) << result.reason;
    for (Index i = 0; i < 5; ++i) EXPECT_NEAR(result.values[i], truth[i], 1e-10) << variant;
  }
}

TEST(Subspace, MissesNoCopyOrSaysSo) {
  for (const test::SymmetricCase& c : test::symmetric_cases())
    for (const Index count : c.counts)
      for (const double tolerance : {1e-3, 1e-8}) {
        SCOPED_TRACE(c.name + " k=" + std::to_string(count));
        const EigenResult result = solve(CountingOperator(c.matrix), asked(count, tolerance));
        EXPECT_TRUE(result.converged) << result.reason;
        ASSERT_EQ(result.values.size(), count);
        expect_enclosed(result, c.truth, tolerance);
        for (Index i = 0; i < count; ++i)
          EXPECT_NEAR(result.values[i], c.truth[i], 2 * tolerance * c.truth[0]) << i;
      }
}

TEST(Subspace, AStartOrthogonalToTheFirstVectorIsNoticed) {
  const Vector truth = spectrum_of("geometric", 90);
  const Block q = test::random_orthonormal(90, 90, 10);
  const Block start = q.middleCols(1, 8);
  EigenRequest request = asked(5, 1e-9);
  request.start = &start;
  const Block matrix = q * truth.asDiagonal() * q.transpose();
  const EigenResult result = solve(CountingOperator((matrix + matrix.transpose()) / 2), request);
  EXPECT_TRUE(result.certificate.complete) << result.reason;
  EXPECT_NEAR(result.values[0], 1, 1e-12);
}

TEST(Subspace, AGoodStartTakesOnePass) {
  const Block matrix = matrix_with(spectrum_of("algebraic", 200), 11);
  EigenRequest request = asked(5, 1e-8);
  request.certify = Certify::none;
  const EigenResult cold = solve(CountingOperator(matrix), request);
  request.start = &cold.vectors;
  const EigenResult warm = solve(CountingOperator(matrix), request);
  EXPECT_TRUE(warm.converged);
  EXPECT_GT(cold.applications, 5);
  EXPECT_EQ(warm.applications, 1);
}

TEST(Subspace, ScaleDoesNotMatter) {
  const Vector truth = spectrum_of("algebraic", 80);
  const Block matrix = matrix_with(truth, 12);
  for (const double scale : {1e150, 1e-150}) {
    const EigenResult result = solve(CountingOperator(scale * matrix), asked(4, 1e-10));
    EXPECT_TRUE(result.converged) << result.reason;
    for (Index i = 0; i < 4; ++i) EXPECT_NEAR(result.values[i] / scale, truth[i], 1e-12);
  }
}

TEST(Subspace, KeepsToTheLimitOfPassesAndSaysThatItWasReached) {
  const CountingOperator a(matrix_with(spectrum_of("algebraic", 200), 13));
  EigenRequest request = asked(5, 1e-12);
  request.passes = 4;
  const EigenResult result = solve(a, request);
  EXPECT_EQ(a.passes, 4);
  EXPECT_FALSE(result.converged);
  EXPECT_EQ(result.reason, "4 passes were not enough");
  EXPECT_EQ(result.values.size(), 5);
  expect_enclosed(result, spectrum_of("algebraic", 200), 1);
}

TEST(Subspace, GivesTheBestSoFarWhenTheTimeIsOver) {
  const CountingOperator a(matrix_with(spectrum_of("algebraic", 200), 14));
  Context context;
  context.observer.out_of_time = [&] { return a.passes >= 6; };
  const EigenResult result = solve(a, asked(5, 1e-13), context);
  EXPECT_FALSE(result.converged);
  EXPECT_EQ(result.reason, "the time allowed ran out");
  EXPECT_NEAR(result.values[0], 1, 0.05);
}

TEST(Subspace, StopsWhenCancelled) {
  const CountingOperator a(matrix_with(spectrum_of("algebraic", 200), 14));
  Context context;
  context.observer.cancelled = [&] { return a.passes >= 2; };
  EXPECT_THROW(solve(a, asked(5, 1e-13), context), Error);
  EXPECT_LE(a.passes, 3);
}

TEST(Subspace, GivesTheSameBytesForAnyNumberOfThreads) {
  const Block matrix = matrix_with(spectrum_of("algebraic", 300), 15);
  for (const std::string_view variant : {"chebyshev", "plain"}) {
    Context context;
    context.budget.threads = 1;
    const EigenResult one = solve(CountingOperator(matrix), asked(5, 1e-9, variant), context);
    for (const Index threads : {2, 3, 4, 8}) {
      context.budget.threads = threads;
      const EigenResult more = solve(CountingOperator(matrix), asked(5, 1e-9, variant), context);
      EXPECT_EQ(one.values, more.values) << threads;
      EXPECT_EQ(one.vectors, more.vectors) << threads;
    }
  }
}

}  // namespace
}  // namespace mercer
