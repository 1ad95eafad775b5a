// rayleigh_quotient: cubic convergence once it may begin, the safeguards before that, and the same
// answers as everyone else.
#include "tests/support/solver_promises.h"

namespace mercer {
namespace rayleigh_quotient_test {

using test::request_of;

const SolverRecipe& quotient() { return solver_recipe("rayleigh_quotient"); }

EigenResult solve(const Block& a, const EigenRequest& request) {
  return quotient().run(test::MatrixOperator(a), request, Context{});
}

TEST(RayleighQuotient, AgreesWithTheKnownSpectrumWithinItsCertificate) {
  test::expect_spectra_known(quotient());
}

TEST(RayleighQuotient, ReachesRounding) { test::expect_rounding(quotient()); }

// From a given vector with an error of 0.03: residuals 1e-2, 1e-6, 1e-16 or so.
TEST(RayleighQuotient, CubesTheResidualInAStep) {
  const Index n = 60;
  Vector truth(n);
  for (Index i = 0; i < n; ++i) truth[i] = 1 - static_cast<double>(i) / static_cast<double>(n);
  truth[0] = 1.5;
  const Block q = test::random_orthonormal(n, n, 5);
  const Block product = q * truth.asDiagonal() * q.transpose();
  const Block a = (product + product.transpose()) / 2;
  const Block start = q.leftCols(1) + 0.06 * test::random_orthonormal(n, 1, 6);
  EigenRequest request = request_of(1, 1e-14);
  request.start = &start;
  request.search.basis = 1;  // no more than the first product before the steps begin
  request.certify = Certify::none;
  const EigenResult result = solve(a, request);
  ASSERT_NEAR(result.values[0], truth[0], 1e-13);
  Index cubes = 0;
  const double gap = (truth[0] - truth[1]) / truth[0];
  for (std::size_t i = 0; i + 1 < result.history.size(); ++i) {
    const double before = result.history[i].residual, after = result.history[i + 1].residual;
    if (before < 1e-5 || before > gap / 4) continue;
    EXPECT_LE(after, before * before * before / (gap * gap) + 1e-15);
    EXPECT_LE(after, 1e-2 * before);
    ++cubes;
  }
  EXPECT_GE(cubes, 2);
  EXPECT_LE(result.applications, 4);
}

// The start lies between two eigenvectors: its quotient is near neither of them, and unguarded
// steps go wherever rounding sends them.
TEST(RayleighQuotient, DoesNotLeaveTheWantedPairFromABadStart) {
  const Index n = 50;
  const Vector truth = test::spectrum_of("algebraic", n);
  const Block q = test::random_orthonormal(n, n, 7);
  const Block product = q * truth.asDiagonal() * q.transpose();
  const Block a = (product + product.transpose()) / 2;
  for (const Index other : {1, 2, 10, 49}) {
    const Block start = q.col(0) + q.col(other);
    EigenRequest request = request_of(1, 1e-12);
    request.start = &start;
    request.search.basis = 1;
    request.certify = Certify::none;
    EXPECT_NEAR(solve(a, request).values[0], truth[0], 1e-11) << other;
  }
}

TEST(RayleighQuotient, SurvivesShiftsThatAreEigenvalues) {
  Vector truth(30);
  for (Index i = 0; i < 30; ++i) truth[i] = static_cast<double>(64 - 2 * i);
  const Block a = truth.asDiagonal();
  for (const Index count : {1, 4}) {
    const EigenResult result = solve(a, request_of(count, 1e-13));
    ASSERT_EQ(result.values.size(), count);
    EXPECT_LE(test::value_ratio(result.values, truth.head(count), 30, 64), test::kRatio);
    EXPECT_LE(test::residual_ratio(a, result.vectors, result.values), test::kRatio);
  }
  const EigenResult same = solve(Block(Block::Identity(50, 50)), request_of(3, 1e-13));
  EXPECT_LE(test::max_abs(same.values - Vector::Ones(3)), 1e-14);
}

TEST(RayleighQuotient, NeedsFewerStepsThanInverseIteration) {
  const Block a = test::matrix_with(test::spectrum_of("algebraic", 200), 8);
  const EigenResult moving = solve(a, request_of(12, 1e-13));
  const EigenResult fixed =
      solver_recipe("inverse").run(test::MatrixOperator(a), request_of(12, 1e-13), Context{});
  EXPECT_TRUE(moving.converged && fixed.converged);
  EXPECT_LE(moving.applications, fixed.applications);
}

TEST(RayleighQuotient, FindsBothEndsByMagnitude) { test::expect_both_ends(quotient()); }

// By magnitude neighbours in order alternate in sign, and those near in value are not neighbours.
TEST(RayleighQuotient, TellsApartWhatIsNearInValueButNotInOrder) {
  Vector truth = test::spectrum_of("algebraic", 80) / 2;
  truth.head(6) << 1, -0.9999, 0.9998, -0.9997, 0.9996, -0.9995;
  EigenRequest request = request_of(5, 1e-11);
  request.order = Order::magnitude;
  test::expect_answer(solve(test::matrix_with(truth, 9), request), truth, 5, 1e-11, "alternating");
}

TEST(RayleighQuotient, MissesNoCopyOfRepeatedEigenvalues) {
  test::expect_no_copy_missed(quotient());
}

TEST(RayleighQuotient, SolvesTheSmallestOrders) { test::expect_smallest_orders(quotient()); }

TEST(RayleighQuotient, GivesTheSameBytesForAnyNumberOfThreads) {
  const test::MatrixOperator a(test::matrix_with(test::spectrum_of("algebraic", 300), 12));
  test::expect_same_bytes(quotient(), a, request_of(4, 1e-10));
}

TEST(RayleighQuotient, StopsWhenCancelled) { test::expect_cancellable(quotient()); }

}  // namespace rayleigh_quotient_test
}  // namespace mercer
