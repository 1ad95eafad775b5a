// power: what it promises where gaps are wide, what it says where they are not, and the three
// things that make it dependable: the shift, the rounds and Rayleigh-Ritz on all vectors.
#include "tests/support/errors.h"
#include "tests/support/solver_promises.h"

namespace mercer {
namespace power_test {

using test::request_of;

// More rows than one task of the block operations has.
class Diagonal final : public SymmetricOperator {
 public:
  explicit Diagonal(Vector values) : values_(std::move(values)) {}
  Index size() const override { return values_.size(); }
  Vector diagonal(const Context& /*context*/) const override { return values_; }
  void apply(ConstBlockRef x, BlockRef y, PassSums* sums, const Context&) const override {
    y = values_.asDiagonal() * x;
    if (sums == nullptr) return;
    sums->row_sums = values_;
    sums->trace = values_.sum();
    sums->frobenius_squared = values_.squaredNorm();
    sums->frobenius_error = 0x1p-50;
  }

 private:
  Vector values_;
};

const SolverRecipe& power() { return solver_recipe("power"); }

EigenResult solve(const Block& a, const EigenRequest& request) {
  return power().run(test::MatrixOperator(a), request, Context{});
}

TEST(Power, AgreesWithTheKnownSpectrumWithinItsCertificate) {
  for (const std::string kind : {"geometric", "algebraic", "clustered", "multiple"})
    for (const Index n : {40, 200})
      for (const double tolerance : {1e-4, 1e-8}) {
        const Vector truth = test::spectrum_of(kind, n);
        const test::CountingOperator a(test::matrix_with(truth, 3));
        const EigenResult result = power().run(a, request_of(5, tolerance), Context{});
        test::expect_answer(result, truth, 5, tolerance, kind + " " + std::to_string(n));
        EXPECT_EQ(a.passes, result.applications);
      }
}

TEST(Power, ReachesRoundingWhereGapsAreWide) {
  for (const std::string kind : {"geometric", "algebraic", "multiple"}) {
    const Block a = test::matrix_with(test::spectrum_of(kind, 120), 4);
    const EigenResult result = solve(a, request_of(4, 1e-14));
    EXPECT_LE(test::residual_ratio(a, result.vectors, result.values), test::kRatio) << kind;
    EXPECT_LE(test::orthogonality_ratio(result.vectors), test::kRatio) << kind;
  }
}

TEST(Power, ShrinksTheErrorByTheRatioOfTheFirstTwoEigenvalues) {
  for (const double ratio : {0.5, 0.8}) {
    Vector truth = Vector::Zero(60);
    truth.head(2) << 1, ratio;
    EigenRequest request = request_of(1, 1e-10);
    request.matrix.positive = true;
    const EigenResult result = solve(test::matrix_with(truth, 5), request);
    ASSERT_GT(result.history.size(), 20U);
    for (std::size_t i = 10; i < 20; ++i)
      EXPECT_NEAR(result.history[i + 1].residual / result.history[i].residual, ratio, 0.01);
  }
}

TEST(Power, FindsTheLargestValuesBesideNegativeOnesOfLargerMagnitude) {
  Vector truth = test::spectrum_of("geometric", 80);
  truth.tail(3) << -0.9, -1, -3;
  const EigenResult result = solve(test::matrix_with(truth, 6), request_of(3, 1e-8));
  test::expect_answer(result, truth, 3, 1e-8, "shifted");
}

TEST(Power, FindsTheFewPositiveValuesOfAMostlyNegativeMatrix) {
  Vector truth(40);
  for (Index i = 0; i < 40; ++i) truth[i] = -0.1 - static_cast<double>(i) / 40;
  truth.head(2) << 0.5, 0.2;
  const EigenResult result = solve(test::matrix_with(truth, 6), request_of(2, 1e-8));
  test::expect_answer(result, truth, 2, 1e-8, "mostly negative");
}

TEST(Power, FindsBothEndsByMagnitude) {
  Vector truth = test::spectrum_of("geometric", 100);
  for (Index i = 1; i < truth.size(); i += 2) truth[i] = -truth[i];
  EigenRequest request = request_of(5, 1e-9);
  request.order = Order::magnitude;
  test::expect_answer(solve(test::matrix_with(truth, 7), request), truth, 5, 1e-9, "magnitude");
}

TEST(Power, SeparatesAPairOfOppositeSignsAndEqualMagnitude) {
  Vector truth = test::spectrum_of("geometric", 60) / 2;
  truth[0] = 1;
  truth[1] = -1;
  EigenRequest request = request_of(2, 1e-9);
  request.order = Order::magnitude;
  const EigenResult result = solve(test::matrix_with(truth, 8), request);
  ASSERT_TRUE(result.converged) << result.stop.words();
  EXPECT_NEAR(result.values.maxCoeff(), 1, 1e-9);
  EXPECT_NEAR(result.values.minCoeff(), -1, 1e-9);
}

TEST(Power, SeparatesAClusterByRayleighRitzOnAllItsVectors) {
  Vector truth = 0.1 * test::spectrum_of("geometric", 100);
  truth.head(3) << 1, 1 - 1e-7, 1 - 2e-7;
  const EigenResult result = solve(test::matrix_with(truth, 9), request_of(3, 1e-12));
  test::expect_answer(result, truth, 3, 1e-12, "cluster");
  // One of them alone would take some 1e8 passes.
  EXPECT_LE(result.applications, 300);
}

TEST(Power, SaysSoWhereAThousandPassesAreNotEnough) {
  const Vector truth = test::spectrum_of("flat", 200);
  const test::CountingOperator a(test::matrix_with(truth, 10));
  const EigenResult result = power().run(a, request_of(4, 1e-9), Context{});
  EXPECT_FALSE(result.converged);
  EXPECT_EQ(result.stop.words(), "1000 passes were not enough");
  EXPECT_EQ(a.passes, 1000);
  EXPECT_FALSE(result.certificate.complete);
  for (Index i = 0; i < 4; ++i) EXPECT_LE(result.values[i], truth[i] + 1e-13);
  EXPECT_LE(test::orthogonality_ratio(result.vectors), test::kRatio);
}

TEST(Power, ReturnsWhatItHasAfterAsManyPassesAsAreAllowed) {
  const Vector truth = test::spectrum_of("algebraic", 100);
  for (const Index passes : {1, 2, 7, 30}) {
    EigenRequest request = request_of(5, 1e-10);
    request.search.passes = passes;
    const EigenResult result = solve(test::matrix_with(truth, 10), request);
    EXPECT_FALSE(result.converged) << passes;
    EXPECT_EQ(result.values.size(), 5) << passes;
    EXPECT_EQ(result.applications, passes);
    EXPECT_LE(test::orthogonality_ratio(result.vectors), test::kRatio) << passes;
  }
}

TEST(Power, MissesNoCopyOfRepeatedEigenvalues) { test::expect_no_copy_missed(power()); }

TEST(Power, BeginsWithTheVectorsItIsGiven) {
  const Block a = test::matrix_with(test::spectrum_of("algebraic", 150), 11);
  const EigenResult cold = solve(a, request_of(4, 1e-8));
  const Block start = cold.vectors;
  EigenRequest request = request_of(4, 1e-7);
  request.start = &start;
  const EigenResult warm = solve(a, request);
  EXPECT_TRUE(warm.converged);
  EXPECT_LT(warm.applications, cold.applications / 5);
}

TEST(Power, GivesTheSameBytesForAnyNumberOfThreads) {
  test::expect_same_bytes(power(), Diagonal(test::spectrum_of("algebraic", 5000)),
                          request_of(3, 1e-4));
}

TEST(Power, SolvesTheSmallestOrders) { test::expect_smallest_orders(power()); }

TEST(Power, StopsWhenCancelled) {
  const test::CountingOperator a(test::matrix_with(test::spectrum_of("algebraic", 100), 13));
  Context context;
  context.observer.cancelled = [&] { return a.passes >= 5; };
  EXPECT_EQ(test::code_of([&] { power().run(a, request_of(3, 1e-12), context); }), "M001");
}

TEST(Power, ReturnsTheBestSoFarWhenTimeRunsOut) {
  const Vector truth = test::spectrum_of("algebraic", 100);
  const test::CountingOperator a(test::matrix_with(truth, 14));
  Context context;
  context.observer.out_of_time = [&] { return a.passes >= 60; };
  const EigenResult result = power().run(a, request_of(2, 1e-12), context);
  EXPECT_FALSE(result.converged);
  EXPECT_EQ(result.stop.words(), "the time allowed ran out");
  EXPECT_NEAR(result.values[0], truth[0], 1e-6);
}

TEST(Power, RefusesMoreThanFiftyComponents) {
  EXPECT_TRUE(power().refuse({.size = 1000, .request = {.count = 51}}).has_value());
  EXPECT_FALSE(power().refuse({.size = 1000, .request = {.count = 50}}).has_value());
}

}  // namespace power_test
}  // namespace mercer
