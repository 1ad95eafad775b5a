// lobpcg on matrices whose spectra are known by construction: it agrees with them within its
// certificate, keeps to its three blocks of memory, needs few passes more than a basis that grows
// without limit, and fewer where a matrix nearby preconditions it.
#include "mercer/solvers/lobpcg_search.h"
#include "mercer/solvers/precondition.h"
#include "tests/support/block_solver_promises.h"
#include "tests/support/solver_promises.h"

#include <gtest/gtest.h>

namespace mercer {
namespace lobpcg_test {

using test::CountingOperator;
using test::matrix_with;
using test::positive_request;
using test::spectrum_of;

const SolverRecipe& lobpcg() { return solver_recipe("lobpcg"); }

EigenResult solve(const SymmetricOperator& a, const EigenRequest& request, Context context = {}) {
  return lobpcg().run(a, request, context);
}

// Leading eigenpairs of the centred kernel matrix of random points, disturbed: what a sample of
// the rows would give.
struct Nearby {
  Block matrix;
  LowRank near;
};

Nearby nearby(Index n, Index rank, double disturbance) {
  const Points points = test::random_points({.n = n, .dim = 5, .seed = 3});
  Nearby result;
  result.matrix = test::double_centred(test::dense_kernel(Kernel("gaussian:sigma=1.2"), points));
  const Block noise = test::random_orthonormal(n, n, 4);
  const double size = disturbance * test::norm2(result.matrix);
  Block other = result.matrix + size / 2 * (noise + noise.transpose());
  const test::DenseEigen all = test::dense_eigen(other);
  result.near = {all.vectors.leftCols(rank), all.values.head(rank)};
  return result;
}

TEST(Lobpcg, AgreesWithTheKnownSpectrumWithinItsCertificate) {
  test::expect_known_spectra(lobpcg());
}

TEST(Lobpcg, ReachesRounding) { test::expect_rounding_reached(lobpcg()); }

TEST(Lobpcg, NeedsFewPassesMoreThanABasisWithoutLimit) {
  for (const std::string kind : {"geometric", "algebraic"}) {
    EigenRequest request = positive_request(10, 1e-8);
    request.certify = Certify::none;
    const Block matrix = matrix_with(spectrum_of(kind, 300), 5);
    const EigenResult result = solve(CountingOperator(matrix), request);
    const EigenResult grown =
        solver_recipe("block_krylov").run(CountingOperator(matrix), request, Context{});
    EXPECT_TRUE(result.converged) << result.stop.words();
    EXPECT_LE(result.applications, grown.applications + 4) << kind;
    // Only residuals are multiplied, and those of converged pairs no more.
    EXPECT_LE(result.columns, 18 + 10 * (result.applications - 1)) << kind;
  }
}

TEST(Lobpcg, AMatrixNearbySavesPasses) {
  const Nearby close = nearby(300, 100, 1e-3);
  EigenRequest request = positive_request(8, 1e-9);
  request.certify = Certify::none;
  request.search.near = &close.near;
  const EigenResult fast = solve(CountingOperator(close.matrix), request);
  request.search.variant = "plain";
  const EigenResult plain = solve(CountingOperator(close.matrix), request);
  EXPECT_TRUE(fast.converged) << fast.stop.words();
  EXPECT_TRUE(plain.converged) << plain.stop.words();
  EXPECT_LT(fast.applications, plain.applications);
  const Vector truth = test::dense_eigen(close.matrix).values;
  for (Index i = 0; i < 8; ++i) {
    EXPECT_NEAR(fast.values[i], truth[i], 1e-12 * truth[0]);
    EXPECT_NEAR(plain.values[i], truth[i], 1e-12 * truth[0]);
  }
}

TEST(Precondition, AppliesTheShiftedInverseOfTheMatrixNearby) {
  const Nearby close = nearby(40, 6, 0);
  const Block residuals = test::random_orthonormal(40, 2, 6);
  // Between and below the values, at least 5 % away from each.
  const Vector theta{{1.3 * close.near.values[0], 0.5 * close.near.values[5]}};
  Block found = residuals;
  precondition(found, theta, close.near, Context{});
  const Block low_rank =
      close.near.vectors * close.near.values.asDiagonal() * close.near.vectors.transpose();
  for (Index j = 0; j < 2; ++j) {
    const Block shifted = theta[j] * Block::Identity(40, 40) - low_rank;
    EXPECT_LE(test::max_abs(shifted * found.col(j) - theta[j] * residuals.col(j)),
              1e-12 * close.near.values[0]);
  }
}

TEST(Precondition, LeavesOutTermsAtTheRitzValueItself) {
  const Nearby close = nearby(40, 6, 0);
  const Vector theta{{close.near.values[2]}};
  Block found = close.near.vectors.col(2);
  precondition(found, theta, close.near, Context{});
  EXPECT_LE(test::max_abs(found - close.near.vectors.col(2)), 1e-14);
}

TEST(Lobpcg, KeepsToTheColumnsItIsGiven) {
  const EigenRequest usual = positive_request(10, 1e-6);
  EXPECT_EQ(lobpcg_widths(1000, usual).basis, 54);
  for (const Index basis : {11, 14, 20, 30, 45}) {
    EigenRequest request = positive_request(10, 1e-7);
    request.search.basis = basis;
    const LobpcgWidths widths = lobpcg_widths(1000, request);
    EXPECT_LE(widths.basis, basis);
    EXPECT_GE(widths.kept, 10);
    EXPECT_LE(widths.kept + widths.pass, basis);
    EXPECT_LE(widths.first, basis);
    request.certify = Certify::none;
    const Vector truth = spectrum_of("geometric", 200);
    const CountingOperator a(matrix_with(truth, 7));
    const EigenResult result = solve(a, request);
    EXPECT_TRUE(result.converged) << basis << result.stop.words();
    EXPECT_LE(a.widest, basis);
    for (Index i = 0; i < 10; ++i) EXPECT_NEAR(result.values[i], truth[i], 1e-10) << basis;
  }
}

TEST(Lobpcg, MultipliesNoMoreColumnsThanABlockHas) {
  EigenRequest request = positive_request(12, 1e-8);
  request.search.block = 5;
  request.certify = Certify::none;
  const Vector truth = spectrum_of("algebraic", 200);
  const CountingOperator a(matrix_with(truth, 8));
  const EigenResult result = solve(a, request);
  EXPECT_TRUE(result.converged) << result.stop.words();
  EXPECT_LE(a.columns, 20 + 5 * (a.passes - 1));
  for (Index i = 0; i < 12; ++i) EXPECT_NEAR(result.values[i], truth[i], 1e-12);
}

TEST(Lobpcg, FindsTheLargestOfBothSignsAndBothEndsByMagnitude) {
  Vector alternating(80), descending(80);
  for (Index i = 0; i < 80; ++i) {
    alternating[i] = std::pow(-0.8, static_cast<double>(i));
    descending[i] = 30 - static_cast<double>(i);
  }
  EigenRequest request = positive_request(5, 1e-10);
  request.matrix.positive = false;
  const EigenResult top = solve(CountingOperator(matrix_with(descending, 9)), request);
  request.order = Order::magnitude;
  const EigenResult both = solve(CountingOperator(matrix_with(alternating, 9)), request);
  ASSERT_TRUE(top.converged && both.converged) << top.stop.words() << both.stop.words();
  for (Index i = 0; i < 5; ++i) {
    EXPECT_NEAR(top.values[i], descending[i], 1e-9);
    EXPECT_NEAR(both.values[i], alternating[i], 1e-10);
  }
}

TEST(Lobpcg, MissesNoCopyOrSaysSo) { test::expect_every_copy_found(lobpcg()); }

TEST(Lobpcg, ScaleDoesNotMatter) { test::expect_scale_not_to_matter(lobpcg()); }

TEST(Lobpcg, KeepsToTheLimitOfPassesAndSaysThatItWasReached) {
  for (const Index passes : {1, 2, 4, 6}) test::expect_limit_of_passes_kept(lobpcg(), passes);
}

TEST(Lobpcg, GivesTheBestSoFarWhenTheTimeIsOver) {
  test::expect_best_when_the_time_is_over(lobpcg());
}

TEST(Lobpcg, StopsWhenCancelled) { test::expect_stop_when_cancelled(lobpcg()); }

TEST(Lobpcg, GivesTheSameBytesForAnyNumberOfThreads) {
  const Nearby close = nearby(300, 60, 1e-3);
  for (const std::string_view variant : {"preconditioned", "plain"}) {
    EigenRequest request = positive_request(5, 1e-9, variant);
    request.search.near = &close.near;
    test::expect_same_bytes(lobpcg(), CountingOperator(close.matrix), request);
  }
}

}  // namespace lobpcg_test
}  // namespace mercer
