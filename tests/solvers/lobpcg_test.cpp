// lobpcg on matrices whose spectra are known by construction: it agrees with them within its
// certificate, keeps to its three blocks of memory, needs few passes more than a basis that grows
// without limit, and fewer where a matrix nearby preconditions it.
#include "mercer/core/error.h"
#include "mercer/solvers/lobpcg_search.h"
#include "mercer/solvers/precondition.h"
#include "mercer/solvers/recipe.h"
#include "tests/support/spectra.h"

#include <gtest/gtest.h>

namespace mercer {
namespace {

using test::CountingOperator;
using test::kRatio;
using test::matrix_with;
using test::spectrum_of;

EigenRequest asked(Index count, double tolerance) {
  EigenRequest request;
  request.count = count;
  request.tolerance = tolerance;
  request.positive = true;
  request.rank_tolerance = 1e-13;
  return request;
}

EigenResult solve(const SymmetricOperator& a, const EigenRequest& request, Context context = {}) {
  return solver_recipe("lobpcg").run(a, request, context);
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

TEST(Lobpcg, ReachesRounding) {
  for (const std::string kind : {"geometric", "algebraic", "clustered", "multiple"}) {
    SCOPED_TRACE(kind);
    const Block matrix = matrix_with(spectrum_of(kind, 200), 4);
    const EigenResult result = solve(CountingOperator(matrix), asked(6, 1e-14));
    ASSERT_EQ(result.values.size(), 6);
    EXPECT_LE(test::residual_ratio(matrix, result.vectors, result.values), kRatio);
    EXPECT_LE(test::orthogonality_ratio(result.vectors), kRatio);
    EXPECT_LE(test::value_ratio(result.values, spectrum_of(kind, 200).head(6), 200, 1.0), kRatio);
  }
}

TEST(Lobpcg, NeedsFewPassesMoreThanABasisWithoutLimit) {
  for (const std::string kind : {"geometric", "algebraic"}) {
    EigenRequest request = asked(10, 1e-8);
    request.certify = Certify::none;
    const Block matrix = matrix_with(spectrum_of(kind, 300), 5);
    const EigenResult result = solve(CountingOperator(matrix), request);
    const EigenResult grown =
        solver_recipe("block_krylov").run(CountingOperator(matrix), request, Context{});
    EXPECT_TRUE(result.converged) << result.reason;
    EXPECT_LE(result.applications, grown.applications + 4) << kind;
    // Only residuals are multiplied, and those of converged pairs no more.
    EXPECT_LE(result.columns, 18 + 10 * (result.applications - 1)) << kind;
  }
}

TEST(Lobpcg, AMatrixNearbySavesPasses) {
  const Nearby close = nearby(300, 100, 1e-3);
  EigenRequest request = asked(8, 1e-9);
  request.certify = Certify::none;
  request.near = &close.near;
  const EigenResult fast = solve(CountingOperator(close.matrix), request);
  request.variant = "plain";
  const EigenResult plain = solve(CountingOperator(close.matrix), request);
  EXPECT_TRUE(fast.converged) << fast.reason;
  EXPECT_TRUE(plain.converged) << plain.reason;
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
  const EigenRequest usual = asked(10, 1e-6);
  EXPECT_EQ(lobpcg_widths(1000, usual).basis, 54);
  for (const Index basis : {11, 14, 20, 30, 45}) {
    EigenRequest request = asked(10, 1e-7);
    request.basis = basis;
    const LobpcgWidths widths = lobpcg_widths(1000, request);
    EXPECT_LE(widths.basis, basis);
    EXPECT_GE(widths.kept, 10);
    EXPECT_LE(widths.kept + widths.pass, basis);
    EXPECT_LE(widths.first, basis);
    request.certify = Certify::none;
    const Vector truth = spectrum_of("geometric", 200);
    const CountingOperator a(matrix_with(truth, 7));
    const EigenResult result = solve(a, request);
    EXPECT_TRUE(result.converged) << basis << result.reason;
    EXPECT_LE(a.widest, basis);
    for (Index i = 0; i < 10; ++i) EXPECT_NEAR(result.values[i], truth[i], 1e-10) << basis;
  }
}

TEST(Lobpcg, MultipliesNoMoreColumnsThanABlockHas) {
  EigenRequest request = asked(12, 1e-8);
  request.block = 5;
  request.certify = Certify::none;
  const Vector truth = spectrum_of("algebraic", 200);
  const CountingOperator a(matrix_with(truth, 8));
  const EigenResult result = solve(a, request);
  EXPECT_TRUE(result.converged) << result.reason;
  EXPECT_LE(a.columns, 20 + 5 * (a.passes - 1));
  for (Index i = 0; i < 12; ++i) EXPECT_NEAR(result.values[i], truth[i], 1e-12);
}

TEST(Lobpcg, FindsTheLargestOfBothSignsAndBothEndsByMagnitude) {
  Vector alternating(80), descending(80);
  for (Index i = 0; i < 80; ++i) {
    alternating[i] = std::pow(-0.8, static_cast<double>(i));
    descending[i] = 30 - static_cast<double>(i);
  }
  EigenRequest request = asked(5, 1e-10);
  request.positive = false;
  const EigenResult top = solve(CountingOperator(matrix_with(descending, 9)), request);
  request.order = Order::magnitude;
  const EigenResult both = solve(CountingOperator(matrix_with(alternating, 9)), request);
  ASSERT_TRUE(top.converged && both.converged) << top.reason << both.reason;
  for (Index i = 0; i < 5; ++i) {
    EXPECT_NEAR(top.values[i], descending[i], 1e-9);
    EXPECT_NEAR(both.values[i], alternating[i], 1e-10);
  }
}

TEST(Lobpcg, MissesNoCopyOrSaysSo) {
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

TEST(Lobpcg, ScaleDoesNotMatter) {
  const Vector truth = spectrum_of("algebraic", 80);
  const Block matrix = matrix_with(truth, 12);
  for (const double scale : {1e150, 1e-150}) {
    const EigenResult result = solve(CountingOperator(scale * matrix), asked(4, 1e-10));
    EXPECT_TRUE(result.converged) << result.reason;
    for (Index i = 0; i < 4; ++i) EXPECT_NEAR(result.values[i] / scale, truth[i], 1e-12);
  }
}

TEST(Lobpcg, KeepsToTheLimitOfPassesAndSaysThatItWasReached) {
  const CountingOperator a(matrix_with(spectrum_of("algebraic", 200), 13));
  for (const Index passes : {1, 2, 4, 6}) {
    EigenRequest request = asked(5, 1e-12);
    request.passes = passes;
    a.passes = 0;
    const EigenResult result = solve(a, request);
    EXPECT_EQ(a.passes, passes);
    EXPECT_FALSE(result.converged);
    EXPECT_EQ(result.reason, std::to_string(passes) + " passes were not enough");
    ASSERT_EQ(result.values.size(), 5);
    expect_enclosed(result, spectrum_of("algebraic", 200), 1);
    EXPECT_LE(test::orthogonality_ratio(result.vectors), kRatio);
  }
}

TEST(Lobpcg, GivesTheBestSoFarWhenTheTimeIsOver) {
  const CountingOperator a(matrix_with(spectrum_of("algebraic", 200), 14));
  Context context;
  context.observer.out_of_time = [&] { return a.passes >= 6; };
  const EigenResult result = solve(a, asked(5, 1e-13), context);
  EXPECT_FALSE(result.converged);
  EXPECT_EQ(result.reason, "the time allowed ran out");
  EXPECT_NEAR(result.values[0], 1, 0.05);
}

TEST(Lobpcg, StopsWhenCancelled) {
  const CountingOperator a(matrix_with(spectrum_of("algebraic", 200), 14));
  Context context;
  context.observer.cancelled = [&] { return a.passes >= 2; };
  EXPECT_THROW(solve(a, asked(5, 1e-13), context), Error);
  EXPECT_LE(a.passes, 3);
}

TEST(Lobpcg, GivesTheSameBytesForAnyNumberOfThreads) {
  const Nearby close = nearby(300, 60, 1e-3);
  EigenRequest request = asked(5, 1e-9);
  request.near = &close.near;
  for (const std::string_view variant : {"preconditioned", "plain"}) {
    request.variant = variant;
    Context context;
    context.budget.threads = 1;
    const EigenResult one = solve(CountingOperator(close.matrix), request, context);
    for (const Index threads : {2, 3, 4, 8}) {
      context.budget.threads = threads;
      const EigenResult more = solve(CountingOperator(close.matrix), request, context);
      EXPECT_EQ(one.values, more.values) << threads;
      EXPECT_EQ(one.vectors, more.vectors) << threads;
    }
  }
}

}  // namespace
}  // namespace mercer
