// Randomly pivoted Cholesky: its factor stays below K in the order of semidefinite matrices, says
// rightly what is left, and draws pivots by the law of drawing one by one,
//   P(first = i) = K_ii / tr K,   P(then j) = (K_jj - K_ij^2 / K_ii) / (tr K - sum_l K_il^2 /
//   K_ii),
// although it draws them in blocks.
#include "mercer/operators/pivoted_cholesky.h"

#include "mercer/operators/centered.h"
#include "mercer/operators/recipe.h"
#include "tests/support/dense.h"
#include "tests/support/errors.h"
#include "tests/support/random_points.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace mercer {
namespace pivoted_cholesky_test {

using test::kRatio;
using test::kUnit;

const Context kContext;

/// A matrix that can give its columns.
class WithColumns final : public SymmetricOperator {
 public:
  explicit WithColumns(Block matrix) : matrix_(std::move(matrix)) {}
  Index size() const override { return matrix_.rows(); }
  Vector diagonal(const Context& /*context*/) const override { return matrix_.diagonal(); }
  void apply(ConstBlockRef x, BlockRef y, PassSums*, const Context&) const override {
    y = matrix_ * x;
  }
  bool columns(std::span<const Index> which, BlockRef out, const Context&) const override {
    for (std::size_t j = 0; j < which.size(); ++j)
      out.col(static_cast<Index>(j)) = matrix_.col(which[j]);
    return true;
  }

 private:
  Block matrix_;
};

Block gram_of(const char* kernel, test::RandomPoints wanted) {
  return test::dense_kernel(Kernel(kernel), test::random_points(wanted));
}

PivotedCholesky factor_of(const Block& k, Index rank, std::uint64_t seed = 0) {
  return pivoted_cholesky(WithColumns(k), rank, kUnit, seed, kContext);
}

std::size_t distinct(const std::vector<Index>& pivots) {
  return std::set<Index>(pivots.begin(), pivots.end()).size();
}

TEST(PivotedCholesky, StaysBelowTheMatrixAndSaysWhatIsLeft) {
  for (const char* kernel : {"gaussian:sigma=1", "gaussian:sigma=4", "laplacian:gamma=0.5",
                             "polynomial:degree=3", "cosine"})
    for (const Index rank : {1, 7, 40, 150}) {  // more than one block of 96 proposals
      const Block k = gram_of(kernel, {.n = 200, .dim = 4, .seed = 2});
      const PivotedCholesky result = factor_of(k, rank);
      const std::string what = std::string(kernel) + " rank " + std::to_string(rank);
      ASSERT_EQ(static_cast<Index>(result.pivots.size()), result.factor.cols()) << what;
      EXPECT_LE(result.factor.cols(), rank) << what;
      EXPECT_EQ(distinct(result.pivots), result.pivots.size()) << what;
      const Block rest = k - result.factor * result.factor.transpose();
      // Each of the `rank` eliminations rounds by u of the largest entry, and n of them add up.
      const double rounding = kRatio * 200 * kUnit * test::max_abs(k);
      EXPECT_GE(test::dense_eigen(rest).values.minCoeff(), -rounding) << what;
      EXPECT_NEAR(result.left, rest.trace(), 200 * rounding) << what;
      for (const Index pivot : result.pivots)  // pivots are reproduced
        EXPECT_LE(test::max_abs(rest.col(pivot)), std::sqrt(rounding * test::max_abs(k))) << what;
      if (rank < 40) continue;
      EXPECT_LT(result.left, 0.8 * k.trace()) << what;
    }
}

TEST(PivotedCholesky, OfFullRankIsTheMatrix) {
  for (const Index n : {1, 2, 30, 150}) {
    const Block k = gram_of("gaussian:sigma=0.6", {.n = n, .dim = 5, .seed = 3});
    const PivotedCholesky result = factor_of(k, n);
    ASSERT_EQ(result.factor.cols(), n);
    EXPECT_EQ(static_cast<Index>(distinct(result.pivots)), n);
    EXPECT_LE(test::max_abs(k - result.factor * result.factor.transpose()),
              kRatio * static_cast<double>(n) * kUnit);
    EXPECT_LE(result.left, kRatio * static_cast<double>(n * n) * kUnit);
  }
}

TEST(PivotedCholesky, StopsWhenNothingIsLeft) {
  const Block low = gram_of("linear", {.n = 120, .dim = 3, .seed = 4});
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const PivotedCholesky result = factor_of(low, 50, seed);
    EXPECT_EQ(result.factor.cols(), 3);
    EXPECT_LE(result.left, 1e-12 * low.trace());
  }
  const Points once = test::random_points({.n = 20, .dim = 3, .seed = 5});
  Points thrice(60, 3);
  thrice << once, once, once;
  const Block k = test::dense_kernel(Kernel("gaussian:sigma=0.5"), thrice);
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const PivotedCholesky result = factor_of(k, 60, seed);
    EXPECT_EQ(result.factor.cols(), 20) << "copies of a pivot have nothing left";
    EXPECT_LE(test::max_abs(k - result.factor * result.factor.transpose()), kRatio * 60 * kUnit);
  }
}

TEST(PivotedCholesky, DoesWithoutWhereColumnsOrAPositiveDiagonalAreLacking) {
  const Block k = gram_of("gaussian:sigma=1", {.n = 30, .dim = 2, .seed = 6});
  EXPECT_EQ(pivoted_cholesky(test::MatrixOperator(k), 5, kUnit, 0, kContext).factor.cols(), 0);
  Block shifted = k;
  shifted.diagonal()[7] = -1e-3;
  EXPECT_EQ(factor_of(shifted, 5).factor.cols(), 0);
  EXPECT_EQ(factor_of(Block::Zero(9, 9), 5).factor.cols(), 0);
  EXPECT_EQ(factor_of(Block(0, 0), 5).factor.cols(), 0);
}

// A row of zeros has a kernel of 0 with itself and with all others.
TEST(PivotedCholesky, LeavesOutRowsWhoseKernelIsZero) {
  Block k = gram_of("gaussian:sigma=1", {.n = 30, .dim = 2, .seed = 6});
  k.row(7).setZero();
  k.col(7).setZero();
  const PivotedCholesky result = factor_of(k, 30);
  EXPECT_GT(result.factor.cols(), 5);
  EXPECT_EQ(result.factor.row(7).norm(), 0);
  EXPECT_EQ(std::ranges::count(result.pivots, Index{7}), 0);
}

// Chi-square distance between how often each ordered pair came first and the exact law.
double distance_from_law(const Block& k, Index rank, Index runs) {
  const Index n = k.rows();
  Block seen = Block::Zero(n, n), law = Block::Zero(n, n);
  for (Index run = 0; run < runs; ++run) {
    const PivotedCholesky result = factor_of(k, rank, static_cast<std::uint64_t>(run));
    seen(result.pivots[0], result.pivots[1]) += 1;
  }
  for (Index i = 0; i < n; ++i) {
    const Vector left = k.diagonal() - k.col(i).cwiseAbs2() / k(i, i);
    for (Index j = 0; j < n; ++j)
      if (i != j) law(i, j) = k(i, i) / k.trace() * left[j] / (left.sum() - left[i]);
  }
  EXPECT_EQ(seen.trace(), 0) << "a row was chosen twice";
  double distance = 0;
  for (Index i = 0; i < n; ++i)
    for (Index j = 0; j < n; ++j) {
      const double expected = law(i, j) * static_cast<double>(runs);
      if (i == j) continue;
      distance += (seen(i, j) - expected) * (seen(i, j) - expected) / expected;
    }
  return distance;
}

TEST(PivotedCholesky, FirstTwoPivotsFollowTheLawOfDrawingOneByOne) {
  // Two near pairs and rows of different lengths: independent draws would be far from the law.
  Points x(6, 2);
  x << 0, 1, 0.3, 1, 2, 0, 2, 0.4, -1, -1, 0.5, -2;
  const Block k = test::dense_kernel(Kernel("gaussian:sigma=1+0.2*linear"), x);
  // 30 ordered pairs: 29 degrees of freedom, exceeded with probability 1e-6 beyond 79.
  EXPECT_LT(distance_from_law(k, 2, 20000), 79);
  EXPECT_LT(distance_from_law(k, 6, 20000), 79);
}

TEST(PivotedCholesky, SeedsAreReproducibleAndThreadsChangeNothing) {
  const Points x = test::random_points({.n = 3000, .dim = 4, .seed = 7});
  const GramProblem problem{x, Kernel("gaussian:sigma=2"), true, 1};
  const auto run = [&](std::uint64_t seed, Index threads) {
    Context context;
    context.budget.threads = threads;
    context.budget.precision = Precision::single_;
    const auto gram = operator_recipe("blocked_gram").build(problem, context);
    return pivoted_cholesky(*gram, 110, test::kUnitSingle, seed, context);
  };
  const PivotedCholesky one = run(1, 1);
  EXPECT_NE(run(2, 1).pivots, one.pivots);
  for (const Index threads : {1, 2, 3, 4, 8}) {
    const PivotedCholesky again = run(1, threads);
    EXPECT_EQ(again.pivots, one.pivots) << threads;
    EXPECT_TRUE(again.factor == one.factor) << threads;
    EXPECT_EQ(again.left, one.left) << threads;
  }
}

TEST(PivotedCholesky, StopsWhenTheCallerCancels) {
  Context context;
  context.observer.cancelled = [] { return true; };
  const WithColumns k(gram_of("gaussian:sigma=1", {.n = 30, .dim = 2, .seed = 8}));
  EXPECT_EQ(test::code_of([&] { pivoted_cholesky(k, 5, kUnit, 0, context); }), "M001");
}

class LeadingPairs : public testing::Test {
 protected:
  Block k = gram_of("gaussian:sigma=1.5", {.n = 250, .dim = 3, .seed = 9});
  Block factor = factor_of(k, 80).factor;
};

TEST_F(LeadingPairs, AreThoseOfTheCentredFactorAndBelowTheTrueOnes) {
  const LowRank pairs = leading_pairs(factor, 30, remove_means, kContext);
  ASSERT_EQ(pairs.values.size(), 30);
  const Block near = test::double_centred(factor * factor.transpose());
  const Vector truth = test::dense_eigen(test::double_centred(k)).values;
  const Vector own = test::dense_eigen(near).values;
  const double rounding = kRatio * 250 * kUnit * truth[0];
  for (Index i = 0; i < 30; ++i) {
    EXPECT_NEAR(pairs.values[i], own[i], rounding) << i;
    EXPECT_LE(pairs.values[i], truth[i] + rounding) << i;
    // u = F w / sqrt(mu): rounding of F w is that of F, relative to sqrt(mu_1 / mu_i).
    for (Index j = 0; j <= i; ++j)
      EXPECT_NEAR(pairs.vectors.col(i).dot(pairs.vectors.col(j)), i == j ? 1 : 0,
                  rounding / std::sqrt(pairs.values[i] * pairs.values[j]));
    EXPECT_LE((near * pairs.vectors.col(i) - pairs.values[i] * pairs.vectors.col(i)).norm(),
              rounding * std::sqrt(truth[0] / pairs.values[i]));
  }
  EXPECT_LE(test::max_abs(pairs.vectors.colwise().sum()), 1e-9);
}

TEST_F(LeadingPairs, WithoutCentringAreThoseOfTheFactor) {
  const auto keep = [](BlockRef) {};
  const LowRank pairs = leading_pairs(factor, 5, keep, kContext);
  const Vector own = test::dense_eigen(factor * factor.transpose()).values;
  ASSERT_EQ(pairs.values.size(), 5);
  EXPECT_LE(test::max_abs(pairs.values - own.head(5)), kRatio * 250 * kUnit * own[0]);
}

TEST_F(LeadingPairs, LeaveOutWhatRoundingMade) {
  Block copied(250, 6);
  copied << factor.leftCols(3), factor.leftCols(3);
  EXPECT_EQ(leading_pairs(copied, 6, remove_means, kContext).values.size(), 3);
  EXPECT_EQ(leading_pairs(copied, 2, remove_means, kContext).values.size(), 2);
}

}  // namespace pivoted_cholesky_test
}  // namespace mercer
