// The symmetric eigenproblem and the matrix products, against Eigen and against themselves.
#include "mercer/linalg/lapack.h"

#include "mercer/linalg/blas.h"
#include "tests/support/dense.h"
#include "tests/support/random_points.h"

#include <gtest/gtest.h>

#include <numeric>

namespace mercer {
namespace lapack_test {

using test::kRatio;
using test::kUnit;

Block random_symmetric(Index n, std::uint64_t seed) {
  const Block a = test::random_points({.n = n, .dim = n, .seed = seed});
  return a + a.transpose();
}

TEST(SymmetricReduction, FindsAllEigenvaluesThatEigenFinds) {
  for (const Index n : {1, 2, 3, 10, 77}) {
    const Block a = random_symmetric(n, 1);
    Block copy = a;
    const SymmetricReduction reduction(copy);
    const Vector descending = reduction.values().reverse();
    EXPECT_LE(test::value_ratio(descending, test::dense_eigen(a).values, n, a.norm()), kRatio);
  }
}

TEST(SymmetricReduction, ReadsTheLowerTriangleOnly) {
  const Block a = random_symmetric(20, 2);
  Block lower = a, whole = a;
  lower.triangularView<Eigen::StrictlyUpper>().setConstant(std::nan(""));
  EXPECT_TRUE(SymmetricReduction(lower).values() == SymmetricReduction(whole).values());
}

TEST(SymmetricReduction, GivesVectorsInTheOrderOfThePositions) {
  const Block a = random_symmetric(30, 3);
  Block copy = a;
  const SymmetricReduction reduction(copy);
  const std::vector<Index> positions = {29, 0, 28, 13, 1};
  const Block v = reduction.vectors(positions);
  Vector values(5);
  for (Index j = 0; j < 5; ++j)
    values[j] = reduction.values()[positions[static_cast<std::size_t>(j)]];
  EXPECT_LE(test::residual_ratio(a, v, values), kRatio);
  EXPECT_LE(test::orthogonality_ratio(v), kRatio);
  EXPECT_EQ(reduction.vectors({}).cols(), 0);
}

TEST(SymmetricReduction, WorksOnABlockOfALargerMatrix) {
  const Block a = random_symmetric(25, 4);
  Block larger = Block::Constant(40, 40, 7.0);
  larger.block(3, 5, 25, 25) = a;
  const SymmetricReduction reduction(larger.block(3, 5, 25, 25));
  const Block v = reduction.vectors({24, 23});
  Vector values(2);
  values << reduction.values()[24], reduction.values()[23];
  EXPECT_LE(test::residual_ratio(a, v, values), kRatio);
  EXPECT_EQ(larger(0, 0), 7);
  EXPECT_EQ(larger(39, 39), 7);
}

TEST(SymmetricReduction, ChosenVectorsOfALargeMatrixAgreeWithAllOfThem) {
  constexpr Index n = 1040;  // chosen ones are made above 1000 rows
  const Block q = test::random_orthonormal(n, 3, 5);
  Block a = q * Vector(Vector::LinSpaced(3, 3, 1)).asDiagonal() * q.transpose();
  a.diagonal() += Vector::LinSpaced(n, -1, 0.5);
  const Block original = a;
  const SymmetricReduction reduction(a);
  std::vector<Index> most(n / 2);
  std::iota(most.rbegin(), most.rend(), n - n / 2);
  const Block all = reduction.vectors(most);
  for (const std::vector<Index>& few :
       {std::vector<Index>{n - 1, n - 2, n - 3}, {n - 1, 0, n - 2, 1}, {0}, {5, 4, 3}}) {
    const Block v = reduction.vectors(few);
    Vector values(v.cols());
    for (Index j = 0; j < v.cols(); ++j)
      values[j] = reduction.values()[few[static_cast<std::size_t>(j)]];
    EXPECT_LE(test::residual_ratio(original, v, values), kRatio);
    EXPECT_LE(test::orthogonality_ratio(v), kRatio);
  }
  const Block top = reduction.vectors({n - 1, n - 2, n - 3});
  EXPECT_LE(test::subspace_angle(all.leftCols(3), top) * 0.5, kRatio * n * kUnit * 4);
}

TEST(SymmetricReduction, EmptyAndOneByOne) {
  Block none(0, 0);
  EXPECT_EQ(SymmetricReduction(none).vectors({}).size(), 0);
  Block one = Block::Constant(1, 1, -4);
  const SymmetricReduction reduction(one);
  EXPECT_EQ(reduction.values()[0], -4);
  EXPECT_EQ(std::abs(reduction.vectors({0})(0, 0)), 1);
}

TEST(PolishOrthonormal, BringsNearlyOrthonormalColumnsToRounding) {
  Block v = test::random_orthonormal(80, 6, 6);
  const Block exact = v;
  v += 1e-9 * Block(test::random_points({.n = 80, .dim = 6, .seed = 7}));
  EXPECT_GT(test::orthogonality_ratio(v), 1e4);
  polish_orthonormal(v);
  EXPECT_LE(test::orthogonality_ratio(v), kRatio);
  EXPECT_LT(test::max_abs(v - exact), 1e-7);  // not turned, not swapped
}

TEST(Blas, RowProductsEqualTheSumsWrittenOut) {
  const Points a = test::random_points({.n = 7, .dim = 5, .seed = 8});
  const Points b = test::random_points({.n = 4, .dim = 5, .seed = 9});
  Points out(7, 4);
  row_products(7, 4, 5, a.data(), 5, b.data(), 5, out.data(), 4);
  EXPECT_LE(test::max_abs(out - a * b.transpose()), kRatio * 5 * kUnit);
  using Singles = Eigen::Matrix<float, -1, -1, Eigen::RowMajor>;
  const Singles fa = a.cast<float>(), fb = b.cast<float>();
  Singles single(7, 4);
  row_products(7, 4, 5, fa.data(), 5, fb.data(), 5, single.data(), 4);
  EXPECT_LE(test::max_abs(single - fa * fb.transpose()), kRatio * 5 * test::kUnitSingle);
}

TEST(Blas, GemmAndGramEqualTheProductsWrittenOut) {
  const Block a = test::random_points({.n = 6, .dim = 3, .seed = 10});
  const Block b = test::random_points({.n = 6, .dim = 4, .seed = 11});
  Block c = Block::Ones(3, 4);
  gemm(Transpose::yes, Transpose::no, 2.0, a, b, 0.5, c);
  EXPECT_LE(test::max_abs(c - (2 * a.transpose() * b + 0.5 * Block::Ones(3, 4))), 1e3 * kUnit);
  const Points rows = test::random_points({.n = 9, .dim = 3, .seed = 12});
  Block gram = Block::Zero(3, 3);
  add_gram(rows.data(), 9, 3, gram);
  const Block expected = (rows.transpose() * rows).triangularView<Eigen::Lower>();
  EXPECT_LE(test::max_abs(Block(gram.triangularView<Eigen::Lower>()) - expected), 1e3 * kUnit);
}

}  // namespace lapack_test
TEST(Lapack, PolishingTakesNearlyOrthonormalColumnsToFullPrecision) {
  Block v = test::random_orthonormal(50, 7, 3);
  const Block before = v;
  v += 1e-9 * test::random_points({.n = 50, .dim = 7, .seed = 4});
  ASSERT_GT(test::orthogonality_ratio(v), 1e4);
  polish_orthonormal(v);
  EXPECT_LE(test::orthogonality_ratio(v), test::kRatio);
  EXPECT_LE(test::max_abs(v - before), 1e-7);  // neither turned nor swapped
}

}  // namespace mercer
