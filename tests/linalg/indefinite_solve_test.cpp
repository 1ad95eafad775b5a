// Shifted systems: the solution is right, the inertia counts eigenvalues, one shift follows the
// other on the same matrix, and shifts that hit an eigenvalue are moved by rounding only.
#include "mercer/linalg/indefinite_solve.h"

#include "tests/support/dense.h"
#include "tests/support/random_points.h"
#include "tests/support/spectra.h"

#include <gtest/gtest.h>

namespace mercer {
namespace indefinite_solve_test {

using test::kRatio;
using test::kUnit;

Block random_symmetric(Index n, std::uint64_t seed) {
  const Block a = test::random_points({.n = n, .dim = n, .seed = seed});
  return a + a.transpose();
}

// |B x - b| / (n u |B| |x|).
double solve_ratio(const Block& shifted, const Block& x, const Block& b) {
  const double scale = shifted.norm() * x.norm() * static_cast<double>(b.rows()) * kUnit;
  return (shifted * x - b).norm() / scale;
}

TEST(IndefiniteSolve, SolvesOneShiftAfterTheOther) {
  for (const Index n : {1, 2, 3, 10, 63, 64, 65, 150}) {  // tiles of 64 meet their edges
    const Block a = random_symmetric(n, 1);
    const Block b = test::random_points({.n = n, .dim = 3, .seed = 2});
    Block matrix = a;
    IndefiniteSolve solver(matrix);
    for (const double shift : {0.0, 0.7, -3.0, 0.0}) {
      EXPECT_EQ(solver.factor(shift, a.norm()), shift);
      Block x = b;
      solver.solve(x);
      EXPECT_LE(solve_ratio(a - shift * Block::Identity(n, n), x, b), kRatio) << n << " " << shift;
    }
  }
}

TEST(IndefiniteSolve, ReadsTheUpperTriangleOnlyAndKeepsIt) {
  const Block a = random_symmetric(70, 3);
  Block half = a;
  half.triangularView<Eigen::StrictlyLower>().setConstant(std::nan(""));
  IndefiniteSolve solver(half);
  solver.factor(0.5, a.norm());
  Block x = Block::Ones(70, 1);
  solver.solve(x);
  EXPECT_LE(solve_ratio(a - 0.5 * Block::Identity(70, 70), x, Block::Ones(70, 1)), kRatio);
  for (Index j = 1; j < 70; ++j) EXPECT_EQ(half.col(j).head(j), a.col(j).head(j));
}

TEST(IndefiniteSolve, WorksInsideALargerMatrix) {
  const Block a = random_symmetric(20, 4);
  Block large = Block::Constant(31, 25, 9.0);
  large.block(4, 3, 20, 20) = a;
  IndefiniteSolve solver(large.block(4, 3, 20, 20));
  solver.factor(1.0, a.norm());
  Block rhs = Block::Constant(27, 2, 5.0);
  rhs.middleRows(3, 20).setOnes();
  solver.solve(rhs.middleRows(3, 20));
  EXPECT_LE(solve_ratio(a - Block::Identity(20, 20), rhs.middleRows(3, 20), Block::Ones(20, 2)),
            kRatio);
  EXPECT_EQ(large.row(0), (Block::Constant(1, 25, 9.0)));
  EXPECT_EQ(rhs.topRows(3), (Block::Constant(3, 2, 5.0)));
}

TEST(IndefiniteSolve, CountsTheEigenvaluesAboveTheShift) {
  const Block a = random_symmetric(90, 5);
  const Vector values = test::dense_eigen(a).values;
  Block matrix = a;
  IndefiniteSolve solver(matrix);
  for (Index i = 0; i + 1 < 90; ++i) {
    solver.factor(0.5 * (values[i] + values[i + 1]), a.norm());
    EXPECT_EQ(solver.above(), i + 1);
  }
  solver.factor(values[0] + 1, a.norm());
  EXPECT_EQ(solver.above(), 0);
}

TEST(IndefiniteSolve, MovesAShiftThatHitsAnEigenvalueByRoundingOnly) {
  // Exactly singular: a diagonal matrix, the identity, zeros, and a matrix of rank one.
  Block diagonal = Vector::LinSpaced(12, 1, 12).asDiagonal();
  for (const Block& a : {diagonal, Block(Block::Identity(12, 12)), Block(Block::Zero(12, 12)),
                         Block(Block::Ones(12, 12))}) {
    Block matrix = a;
    IndefiniteSolve solver(matrix);
    const double scale = a.norm(), shift = a == diagonal ? 3 : a(0, 0) - a(0, 1);
    const double used = solver.factor(shift, scale);
    EXPECT_NE(used, shift);
    EXPECT_LE(std::abs(used - shift), 64 * kUnit * std::max(scale, 1.0));
    Block x = test::random_points({.n = 12, .dim = 1, .seed = 6});
    solver.solve(x);
    EXPECT_TRUE(x.allFinite());
    // One step of inverse iteration with it gives an eigenvector.
    x /= x.norm();
    EXPECT_LE((a * x - shift * x).norm(), 1e-13 * std::max(scale, 1.0));
  }
}

TEST(IndefiniteSolve, IsHarmedByNoShiftAtAnEigenvalueOfAFullMatrix) {
  const Vector truth = test::spectrum_of("algebraic", 60);
  const Block a = test::matrix_with(truth, 7);
  Block matrix = a;
  IndefiniteSolve solver(matrix);
  for (Index i = 0; i < 10; ++i) {
    solver.factor(truth[i], 1);
    Block x = test::random_points({.n = 60, .dim = 1, .seed = 8});
    solver.solve(x);
    ASSERT_TRUE(x.allFinite());
    x /= x.norm();
    EXPECT_LE((a * x - truth[i] * x).norm(), 1e-13);
  }
}

}  // namespace indefinite_solve_test
}  // namespace mercer
