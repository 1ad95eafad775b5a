// inverse: few shifts and few solutions for every kind of spectrum, clusters as blocks, shifts that
// hit an eigenvalue, and eigenvalues that the start had missed.
#include "tests/support/solver_promises.h"

namespace mercer {
namespace inverse_test {

using test::request_of;

const SolverRecipe& inverse() { return solver_recipe("inverse"); }

EigenResult solve(const Block& a, const EigenRequest& request) {
  return inverse().run(test::MatrixOperator(a), request, Context{});
}

TEST(Inverse, AgreesWithTheKnownSpectrumWithinItsCertificate) {
  test::expect_spectra_known(inverse());
}

TEST(Inverse, CountsItsProductsAndTheOneThatWritesTheMatrixOut) {
  for (const std::string& kind : test::spectrum_kinds())
    for (const Index n : {40, 200})
      for (const double tolerance : {1e-4, 1e-8, 1e-12}) {
        const test::CountingOperator a(test::matrix_with(test::spectrum_of(kind, n), 3));
        const EigenResult result = inverse().run(a, request_of(6, tolerance), Context{});
        EXPECT_LE(std::abs(2 * (a.passes - result.applications) - 1), 1) << kind << n;
      }
}

TEST(Inverse, ReachesRounding) { test::expect_rounding(inverse()); }

TEST(Inverse, NeedsFewStepsWhereTheGapIsNearlyNothing) {
  // The error of a power step would shrink by 1 - 1e-6.
  Vector truth = test::spectrum_of("algebraic", 100);
  truth[1] = 1 - 1e-6;
  const EigenResult result = solve(test::matrix_with(truth, 5), request_of(2, 1e-12));
  test::expect_answer(result, truth, 2, 1e-12, "narrow gap");
  EXPECT_LE(result.applications, 25);
}

TEST(Inverse, TakesAlongTheRestOfAClusterThatTheLastWantedValueCuts) {
  const Vector truth = test::spectrum_of("clustered", 100);  // runs of five
  for (const Index count : {3, 4, 8}) {
    const EigenResult result = solve(test::matrix_with(truth, 6), request_of(count, 1e-12));
    test::expect_answer(result, truth, count, 1e-12, std::to_string(count));
  }
}

TEST(Inverse, SurvivesShiftsThatAreEigenvalues) {
  // Integers on the diagonal: Ritz values of given vectors are eigenvalues to the last bit, and
  // A - s I is exactly singular.
  Vector truth(30);
  for (Index i = 0; i < 30; ++i) truth[i] = static_cast<double>(64 - 2 * i);
  const Block a = truth.asDiagonal();
  Block start = Block::Zero(30, 4);
  for (Index i = 0; i < 4; ++i) {
    start(i, i) = 1;
    start(i + 5, i) = 1e-5;  // symmetric errors that leave the quotient nearly as it is
  }
  for (const Block* given : {static_cast<const Block*>(nullptr), static_cast<const Block*>(&start)})
    for (const Index count : {1, 4}) {
      EigenRequest request = request_of(count, 1e-13);
      request.start = given;
      const EigenResult result = solve(a, request);
      ASSERT_EQ(result.values.size(), count);
      EXPECT_LE(test::value_ratio(result.values, truth.head(count), 30, 64), test::kRatio);
      EXPECT_LE(test::residual_ratio(a, result.vectors, result.values), test::kRatio);
    }
  const EigenResult same = solve(Block(Block::Identity(50, 50)), request_of(3, 1e-13));
  EXPECT_LE(test::max_abs(same.values - Vector::Ones(3)), 1e-14);
}

TEST(Inverse, FindsByInertiaWhatTheStartMissed) {
  const Index n = 80;
  const Vector truth = test::spectrum_of("algebraic", n);
  const Block q = test::random_orthonormal(n, n, 7);
  const Block product = q * truth.asDiagonal() * q.transpose();
  const Block a = (product + product.transpose()) / 2;
  // Exact eigenvectors 3 to 15 and nothing else: residuals are perfect, the first two are
  // invisible.
  const Block start = q.middleCols(2, 13);
  EigenRequest request = request_of(5, 1e-9);
  request.start = &start;
  request.certify = Certify::none;  // so that the proof does not find them
  const EigenResult result = solve(a, request);
  ASSERT_EQ(result.values.size(), 5);
  for (Index i = 0; i < 5; ++i) EXPECT_NEAR(result.values[i], truth[i], 1e-9);
}

TEST(Inverse, FindsBothEndsByMagnitude) { test::expect_both_ends(inverse()); }

TEST(Inverse, FindsTheUpperEndOfASpectrumOfBothSigns) {
  const Vector truth = test::both_signs(100);
  test::expect_answer(solve(test::matrix_with(truth, 9), request_of(5, 1e-10)), truth, 5, 1e-10,
                      "both signs");
}

TEST(Inverse, MissesNoCopyOfRepeatedEigenvalues) { test::expect_no_copy_missed(inverse()); }

TEST(Inverse, SolvesTheSmallestOrders) { test::expect_smallest_orders(inverse()); }

TEST(Inverse, GivesTheSameBytesForAnyNumberOfThreads) {
  const test::MatrixOperator a(test::matrix_with(test::spectrum_of("algebraic", 300), 12));
  test::expect_same_bytes(inverse(), a, request_of(4, 1e-10));
}

TEST(Inverse, StopsWhenCancelled) { test::expect_cancellable(inverse()); }

TEST(Inverse, ReturnsTheBestSoFarWhenTimeRunsOut) {
  const Vector truth = test::spectrum_of("algebraic", 100);
  const test::CountingOperator a(test::matrix_with(truth, 14));
  for (const Index passes : {4, 6}) {
    Context context;
    a.passes = 0;
    context.observer.out_of_time = [&] { return a.passes >= passes; };
    const EigenResult result = inverse().run(a, request_of(4, 1e-13), context);
    EXPECT_FALSE(result.converged);
    EXPECT_EQ(result.stop.words(), "the time allowed ran out");
    ASSERT_EQ(result.values.size(), 4);
    EXPECT_NEAR(result.values[0], truth[0], 1e-2);
  }
}

TEST(Inverse, RefusesWhatItCannotCarry) {
  EXPECT_TRUE(inverse().refuse({.size = 1000, .request = {.count = 51}}).has_value());
  EXPECT_TRUE(inverse().refuse({.size = 30000, .request = {.count = 5}}).has_value());
  EXPECT_FALSE(inverse().refuse({.size = 1000, .request = {.count = 50}}).has_value());
}

}  // namespace inverse_test
}  // namespace mercer
