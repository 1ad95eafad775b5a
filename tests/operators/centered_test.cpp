// Double centring, against 113-bit arithmetic: also where a constant part dwarfs all variation.
#include "mercer/operators/centered.h"

#include "tests/oracle/quad_reference.h"
#include "tests/support/dense.h"
#include "tests/support/random_points.h"

#include <gtest/gtest.h>

namespace mercer {
namespace centered_test {

using test::kUnit;

Block random_symmetric(Index n, std::uint64_t seed) {
  const Block a = test::random_points({.n = n, .dim = n, .seed = seed});
  return (a + a.transpose()) / 2;
}

/// Largest |centred - exact| where exact is H A H in 113 bits.
double centring_error(const Block& a, const Block& centred) {
  oracle::QuadMatrix quad(a.rows());
  for (Index i = 0; i < a.rows(); ++i)
    for (Index j = 0; j < a.cols(); ++j) quad(i, j) = a(i, j);
  quad = oracle::double_centred(std::move(quad));
  double worst = 0;
  for (Index i = 0; i < a.rows(); ++i)
    for (Index j = 0; j < a.cols(); ++j)
      worst =
          std::max(worst, std::abs(static_cast<double>(quad(i, j) - oracle::Quad(centred(i, j)))));
  return worst;
}

TEST(CenterInPlace, EqualsTheExactCentredMatrixAndStaysSymmetric) {
  for (const Index n : {1, 2, 3, 63, 64, 65, 130}) {
    const Block a = random_symmetric(n, 1);
    Block centred = a;
    center_in_place(centred, {});
    EXPECT_LE(centring_error(a, centred), 4 * 2 * kUnit * test::max_abs(a)) << n;
    EXPECT_TRUE(centred == centred.transpose());
  }
}

TEST(CenterInPlace, AHugeConstantPartCostsNoMoreThanItsOwnRounding) {
  // The target is 4 eps times the largest entry, eps = 2 u: what storing the matrix rounded
  // already.
  for (const double constant : {1e6, 1e12, -1e12, 1e16}) {
    const Block a = random_symmetric(90, 2).array() + constant;
    Block centred = a;
    center_in_place(centred, {});
    EXPECT_LE(centring_error(a, centred), 4 * 2 * kUnit * test::max_abs(a)) << constant;
  }
}

TEST(CenterInPlace, AWholeNumberOfConstantIsRemovedWithoutAnyError) {
  Block a = (random_symmetric(64, 3) * 1024).array().round();  // 64 rows: the means are exact too
  Block shifted = a.array() + 1e12;
  center_in_place(a, {});
  center_in_place(shifted, {});
  EXPECT_TRUE(a == shifted);
}

TEST(CenterInPlace, ReturnsRowMeansUpToOneConstant) {
  const Block a = random_symmetric(40, 4);
  Block centred = a;
  const Vector means = center_in_place(centred, {});
  const Vector expected = a.rowwise().mean().array() - a(0, 0);
  EXPECT_LE(test::max_abs(means - expected), 40 * kUnit * test::max_abs(a));
}

TEST(CenterInPlace, RowsSumToZero) {
  Block a = random_symmetric(100, 5).array() + 3;
  const double largest = test::max_abs(a);
  center_in_place(a, {});
  const Vector sums = a.rowwise().sum();
  EXPECT_LE(test::max_abs(sums), 30 * 100 * kUnit * largest);
}

TEST(Centered, ProductDiagonalAndFormAgreeWithTheExplicitMatrix) {
  const Block a = random_symmetric(37, 6).array() + 2;
  const test::MatrixOperator inner(a);
  const Context context;
  const Centered centered(inner);
  const Block expected = test::double_centred(a);
  const double tolerance = 30 * 37 * kUnit * test::max_abs(a);
  EXPECT_EQ(centered.size(), 37);
  EXPECT_LE(test::max_abs(test::dense(centered) - expected), tolerance);
  EXPECT_LE(test::max_abs(centered.diagonal(context) - expected.diagonal()), tolerance);
  Block formed(37, 37);
  centered.form(formed, context);
  EXPECT_LE(test::max_abs(formed - expected), tolerance);
}

TEST(Centered, MeansAreThoseOfTheMatrixUpToAConstantBeforeAndAfterForming) {
  const Block a = random_symmetric(20, 7).array() + 2;
  const test::MatrixOperator inner(a);
  const Context context;
  const Centered fresh(inner), formed(inner);
  Block out(20, 20);
  formed.form(out, context);
  const Vector exact = a.rowwise().mean();
  for (const Centered* centered : {&fresh, &formed}) {
    const Vector difference = centered->means(context) - exact;
    EXPECT_LE(difference.maxCoeff() - difference.minCoeff(), 100 * kUnit * test::max_abs(a));
  }
}

TEST(RemoveMeans, LeavesColumnsThatSumToZero) {
  Block v = test::random_points({.n = 50, .dim = 3, .seed = 8});
  v.col(1).array() += 1e6;
  remove_means(v);
  EXPECT_LE(test::max_abs(v.colwise().sum()), 50 * 50 * kUnit * 1e6);
}

}  // namespace centered_test
}  // namespace mercer
