// subspace on matrices whose spectra are known by construction: it agrees with them within its
// certificate, its filter needs fewer products than the plain iteration and does not break down
// where a higher degree would, and what it cannot reach it says.
#include "tests/support/block_solver_promises.h"
#include "tests/support/solver_promises.h"

#include <gtest/gtest.h>

namespace mercer {
namespace subspace_test {

using test::CountingOperator;
using test::matrix_with;
using test::positive_request;
using test::spectrum_of;

const SolverRecipe& subspace() { return solver_recipe("subspace"); }

EigenResult solve(const SymmetricOperator& a, const EigenRequest& request, Context context = {}) {
  return subspace().run(a, request, context);
}

TEST(Subspace, AgreesWithTheKnownSpectrumWithinItsCertificate) {
  test::expect_known_spectra(subspace());
}

TEST(Subspace, BothVariantsReachRounding) {
  for (const std::string_view variant : {"chebyshev", "plain"})
    test::expect_rounding_reached(subspace(), variant);
}

TEST(Subspace, TheFilterTakesFewerProductsThanThePlainIteration) {
  for (const std::string kind : {"algebraic", "flat"}) {
    const CountingOperator filtered(matrix_with(spectrum_of(kind, 300), 5));
    const CountingOperator plain(matrix_with(spectrum_of(kind, 300), 5));
    EigenRequest request = positive_request(8, 1e-8, "chebyshev");
    request.certify = Certify::none;
    EXPECT_TRUE(solve(filtered, request).converged) << kind;
    request.search.variant = "plain";
    const EigenResult slow = solve(plain, request);
    EXPECT_LT(filtered.passes, plain.passes) << kind;
    // No hundred products separate values that differ by a per cent: said, not hidden.
    EXPECT_EQ(slow.converged, kind == "algebraic");
    EXPECT_EQ(slow.stop.words().empty(), kind == "algebraic") << slow.stop.words();
  }
}

TEST(Subspace, ThePlainIterationGainsTheRatioOfTheValuesInEveryPass) {
  // 1, 0.9, then 0.3: with a block of 10 for 2 pairs the factor is mu_11 / mu_2 = 0.3 / 0.9.
  Vector truth = Vector::Constant(80, 0.3);
  truth.head(10) << 1, 0.9, 0.8, 0.8, 0.8, 0.8, 0.8, 0.8, 0.8, 0.8;
  EigenRequest request = positive_request(2, 1e-12, "plain");
  request.certify = Certify::none;
  const EigenResult result = solve(CountingOperator(matrix_with(truth, 2)), request);
  ASSERT_TRUE(result.converged) << result.stop.words();
  ASSERT_GE(result.history.size(), 14U);
  for (std::size_t i = 8; i < 14; ++i)  // the first steps still turn the block
    EXPECT_NEAR(result.history[i].residual / result.history[i - 1].residual, 1.0 / 3, 0.06) << i;
}

TEST(Subspace, TheFilterDoesNotBreakDownWhereValuesSpreadOverManyOrders) {
  // Without a cap on its degree all filtered columns would point to the first vector.
  Vector truth(150);
  for (Index i = 0; i < 150; ++i) truth[i] = std::pow(0.25, static_cast<double>(i));
  const EigenResult result =
      solve(CountingOperator(matrix_with(truth, 6)), positive_request(12, 1e-12));
  EXPECT_TRUE(result.converged) << result.stop.words();
  for (Index i = 0; i < 12; ++i) EXPECT_NEAR(result.values[i], truth[i], 1e-13);
}

TEST(Subspace, AClusterWiderThanTheBlockDoesNotStallTheFilter) {
  Vector truth = Vector::Constant(120, 1.0);
  truth.head(60).setConstant(2.0);
  const EigenResult result =
      solve(CountingOperator(matrix_with(truth, 7)), positive_request(4, 1e-12));
  EXPECT_TRUE(result.converged) << result.stop.words();
  for (Index i = 0; i < 4; ++i) EXPECT_NEAR(result.values[i], 2, 1e-12);
}

TEST(Subspace, FindsTheLargestOfBothSigns) {
  Vector truth(150);  // the lower end reaches further than the upper one
  for (Index i = 0; i < 150; ++i) truth[i] = 60 - static_cast<double>(i);
  for (const std::string_view variant : {"chebyshev", "plain"}) {
    EigenRequest request = positive_request(4, 1e-6, variant);
    request.matrix.positive = false;
    const EigenResult result = solve(CountingOperator(matrix_with(truth, 8)), request);
    EXPECT_TRUE(result.converged) << result.stop.words();
    for (Index i = 0; i < 4; ++i) EXPECT_NEAR(result.values[i], truth[i], 1e-3) << variant;
  }
}

TEST(Subspace, FindsBothEndsByMagnitude) {
  Vector truth(80);
  for (Index i = 0; i < 80; ++i) truth[i] = std::pow(-0.8, static_cast<double>(i));
  for (const std::string_view variant : {"chebyshev", "plain"}) {
    EigenRequest request = positive_request(5, 1e-11, variant);
    request.matrix.positive = false;
    request.order = Order::magnitude;
    const EigenResult result = solve(CountingOperator(matrix_with(truth, 9)), request);
    ASSERT_TRUE(result.converged) << result.stop.words();
    for (Index i = 0; i < 5; ++i) EXPECT_NEAR(result.values[i], truth[i], 1e-10) << variant;
  }
}

TEST(Subspace, MissesNoCopyOrSaysSo) { test::expect_every_copy_found(subspace()); }

TEST(Subspace, AStartOrthogonalToTheFirstVectorIsNoticed) {
  const Vector truth = spectrum_of("geometric", 90);
  const Block q = test::random_orthonormal(90, 90, 10);
  const Block start = q.middleCols(1, 8);
  EigenRequest request = positive_request(5, 1e-9);
  request.start = &start;
  const Block matrix = q * truth.asDiagonal() * q.transpose();
  const EigenResult result = solve(CountingOperator((matrix + matrix.transpose()) / 2), request);
  EXPECT_TRUE(result.certificate.complete) << result.stop.words();
  EXPECT_NEAR(result.values[0], 1, 1e-12);
}

TEST(Subspace, AGoodStartTakesOnePass) {
  const Block matrix = matrix_with(spectrum_of("algebraic", 200), 11);
  EigenRequest request = positive_request(5, 1e-8);
  request.certify = Certify::none;
  const EigenResult cold = solve(CountingOperator(matrix), request);
  request.start = &cold.vectors;
  const EigenResult warm = solve(CountingOperator(matrix), request);
  EXPECT_TRUE(warm.converged);
  EXPECT_GT(cold.applications, 5);
  EXPECT_EQ(warm.applications, 1);
}

TEST(Subspace, ScaleDoesNotMatter) { test::expect_scale_not_to_matter(subspace()); }

TEST(Subspace, KeepsToTheLimitOfPassesAndSaysThatItWasReached) {
  test::expect_limit_of_passes_kept(subspace(), 4);
}

TEST(Subspace, GivesTheBestSoFarWhenTheTimeIsOver) {
  test::expect_best_when_the_time_is_over(subspace());
}

TEST(Subspace, StopsWhenCancelled) { test::expect_stop_when_cancelled(subspace()); }

TEST(Subspace, GivesTheSameBytesForAnyNumberOfThreads) {
  const CountingOperator a(matrix_with(spectrum_of("algebraic", 300), 15));
  for (const std::string_view variant : {"chebyshev", "plain"})
    test::expect_same_bytes(subspace(), a, positive_request(5, 1e-9, variant));
}

}  // namespace subspace_test
}  // namespace mercer
