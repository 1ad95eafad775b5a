// Factorisations by reflections, held to what they promise: orthonormal columns, spans that agree
// column after column, normal equations, diagonals that fall.
#include "mercer/linalg/householder.h"

#include "tests/support/dense.h"
#include "tests/support/random_points.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

namespace mercer {
namespace householder_test {

using test::kRatio;
using test::kUnit;

Block random_block(Index n, Index columns, std::uint64_t seed) {
  return test::random_points({.n = n, .dim = columns, .seed = seed});
}

double worst(const Block& difference) { return test::max_abs(difference); }

TEST(Householder, BasesAreOrthonormalAndSpanTheColumnsOneAfterTheOther) {
  for (const Index n : {1, 2, 3, 50, 301})
    for (const Index k : {Index{0}, Index{1}, std::min<Index>(n, 7)}) {
      const Block columns = random_block(n, k, 5), q = orthonormal_in_order(columns);
      ASSERT_EQ(q.rows(), n);
      ASSERT_EQ(q.cols(), k);
      const double rounding = kRatio * static_cast<double>(n + k) * kUnit;
      EXPECT_LE(worst(q.transpose() * q - Block::Identity(k, k)), rounding) << n << ' ' << k;
      const Block r = q.transpose() * columns;
      EXPECT_LE(worst(q * r - columns), rounding * (1 + worst(columns))) << n << ' ' << k;
      for (Index j = 0; j < k; ++j)
        for (Index i = j + 1; i < k; ++i)
          EXPECT_LE(std::abs(r(i, j)), rounding * columns.col(j).norm()) << n << ' ' << k;
    }
}

TEST(Householder, LeastSquaresLeaveARestThatIsOrthogonalToTheColumns) {
  Block a = random_block(60, 5, 7);
  a.col(3) = 2 * a.col(1) - a.col(0);  // depends on others
  const Block b = random_block(60, 3, 8), x = least_squares(a, b), rest = b - a * x;
  ASSERT_TRUE(x.allFinite());
  EXPECT_LE(worst(a.transpose() * rest), kRatio * 60 * kUnit * a.norm() * b.norm());
}

TEST(Householder, PivotedColumnsComeLongestRestFirst) {
  Block a = random_block(40, 6, 9);
  a.col(4) *= 100;
  a.col(2) = a.col(4) + 1e-9 * a.col(2);  // next to nothing left beside the first one
  const PivotedColumns pivoted(a);
  const Block r = pivoted.r();
  std::set<Index> seen;
  for (Index t = 0; t < a.cols(); ++t) seen.insert(pivoted.at(t));
  EXPECT_EQ(seen.size(), 6u);
  // Either of the two long ones comes first, and the other one then last.
  EXPECT_EQ(std::min(pivoted.at(0), pivoted.at(5)), 2);
  EXPECT_EQ(std::max(pivoted.at(0), pivoted.at(5)), 4);
  for (Index t = 1; t < a.cols(); ++t) {
    EXPECT_LE(std::abs(r(t, t)), std::abs(r(t - 1, t - 1)) * (1 + kRatio * kUnit));
    EXPECT_EQ(r.col(t - 1).tail(40 - t).cwiseAbs().maxCoeff(), 0);
  }
  const Block q = pivoted.basis(6);
  for (Index t = 0; t < a.cols(); ++t)
    EXPECT_LE(worst(q * r.col(t).head(6) - a.col(pivoted.at(t))), kRatio * 40 * kUnit * a.norm());
  EXPECT_EQ(pivoted.basis(2), q.leftCols(2));
}

}  // namespace householder_test
}  // namespace mercer
