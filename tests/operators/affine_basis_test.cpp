// Affine functions of columns that are hard to tell apart, against Gram-Schmidt in 113 bits: the
// span on the rows, the functions at other rows, and what counts as the same column.
#include "mercer/operators/affine_basis.h"

#include "mercer/data/summary.h"
#include "tests/support/dense.h"
#include "tests/support/quad_plate.h"
#include "tests/support/random_points.h"
#include "tests/support/sparse_rows.h"

#include <gtest/gtest.h>

namespace mercer {
namespace affine_basis_test {

using test::Quad;
using test::QuadAffine;
using test::QuadColumn;

AffineBasis basis_of(DataView x) { return {x, power_of_two_scale(x, {}), {}}; }

/// Largest part of an exact function's values that lies outside the span.
double outside(const QuadAffine& exact, const Block& q) {
  double worst = 0;
  for (const QuadColumn& value : exact.values) {
    QuadColumn rest = value;
    for (Index s = 0; s < q.cols(); ++s) {
      Quad part = 0;
      for (std::size_t i = 0; i < rest.size(); ++i)
        part += value[i] * Quad(q(static_cast<Index>(i), s));
      for (std::size_t i = 0; i < rest.size(); ++i)
        rest[i] -= part * Quad(q(static_cast<Index>(i), s));
    }
    worst = std::max(worst, static_cast<double>(sqrtq(test::dot(rest, rest))));
  }
  return worst;
}

/// The span is the exact one to the error stated, which is small.
AffineBasis expect_exact(const Points& x) {
  const QuadAffine exact(x);
  const AffineBasis basis = basis_of(x);
  EXPECT_EQ(basis.q.cols(), exact.rank());
  EXPECT_LE(outside(exact, basis.q), basis.error);
  EXPECT_LE(outside(exact, basis.q), 2e-14);
  EXPECT_LE(basis.error, 1e-11);
  EXPECT_LE(test::orthogonality_ratio(basis.q), test::kRatio);
  return basis;
}

/// A third column that is the first one, but for a little.
Points nearly_equal(double little, Index n = 24) {
  const Points base = test::random_points({.n = n, .dim = 3, .seed = 5});
  Points x = base;
  x.col(2) = base.col(0) + little * base.col(2);
  return x;
}

TEST(HardAffineBasis, NearlyEqualColumnsSpanWhatTheirDifferencesDo) {
  for (const double little : {1e-2, 1e-5, 1e-9, 1e-12, 1e-14}) {
    SCOPED_TRACE(little);
    EXPECT_TRUE(expect_exact(nearly_equal(little)).dependent.empty());
  }
  Points thrice = nearly_equal(1e-6);  // differences of differences
  thrice.conservativeResize(24, 4);
  thrice.col(3) = thrice.col(2) + 1e-11 * test::random_points({.n = 24, .dim = 1, .seed = 9});
  EXPECT_TRUE(expect_exact(thrice).dependent.empty());
}

TEST(HardAffineBasis, OffsetsCostNoDigits) {
  for (const double offset : {1e4, 1e8, 1e12}) {
    SCOPED_TRACE(offset);
    Points x = test::random_points({.n = 30, .dim = 3, .seed = 6});
    x.array() += offset;
    EXPECT_TRUE(expect_exact(x).dependent.empty());
  }
}

TEST(HardAffineBasis, ScalesDoNotMatter) {
  for (const double scale : {1e-300, 1e-100, 1e100, 1e300}) {
    SCOPED_TRACE(scale);
    const Points x = nearly_equal(1e-9) * scale;
    const AffineBasis basis = basis_of(x);
    EXPECT_EQ(basis.q.cols(), 4);
    EXPECT_TRUE(basis.dependent.empty());
    EXPECT_LE(test::orthogonality_ratio(basis.q), test::kRatio);
    EXPECT_TRUE(basis.back.high.allFinite());
  }
  const double power = std::exp2(300);
  EXPECT_TRUE(basis_of(Points(nearly_equal(1e-9) * power)).q == basis_of(nearly_equal(1e-9)).q);
}

TEST(HardAffineBasis, SparseRowsHaveTheSameOne) {
  Points x = nearly_equal(1e-9);
  x.col(1).array() += 1e6;
  for (Index i = 0; i < 24; i += 3) x(i, 0) = 0;
  const Dataset sparse = test::sparse_rows(x);
  EXPECT_TRUE(basis_of(sparse).q == basis_of(x).q);
  EXPECT_TRUE(basis_of(sparse).back.high == basis_of(x).back.high);
}

TEST(HardAffineBasis, RoundingOfTheValuesMakesNoFunction) {
  const Points base = test::random_points({.n = 40, .dim = 2, .seed = 7});
  Points x(40, 4);
  x << base, 2 * base.col(0) - base.col(1) + Vector::Constant(40, 3), Vector::Constant(40, 98.6);
  const AffineBasis basis = basis_of(x);
  EXPECT_EQ(basis.q.cols(), 3);
  EXPECT_EQ(basis.dependent.size(), 2U);
  EXPECT_EQ(basis.dependent.back(), 3);
  // In single precision a unit of rounding is larger.
  const Eigen::MatrixXf single = x.cast<float>();
  EXPECT_EQ(basis_of(single).q.cols(), 3);
  EXPECT_EQ(basis_of(Points(single.cast<double>())).q.cols(), 4);
}

TEST(HardAffineBasis, StepsAwayFromThePlaneOfTheRowsAreNotSeen) {
  const Points base = test::random_points({.n = 40, .dim = 2, .seed = 8});
  Points x(40, 4);
  x << base, 2 * base.col(0) - base.col(1) + Vector::Constant(40, 3), Vector::Constant(40, 98.6);
  const AffineBasis basis = basis_of(x);
  const Vector normal = (Vector(4) << 2, -1, -1, 0).finished();
  EXPECT_LE(test::max_abs(basis.back.high.bottomRows(4).transpose() * normal), 1e-13);
  EXPECT_LE(basis.back.high.row(4).lpNorm<Eigen::Infinity>(), 1e-13);
}

TEST(AffineFunctions, KeepTheirDigitsBetweenNearlyEqualColumns) {
  for (const double little : {1e-2, 1e-9, 1e-13}) {
    SCOPED_TRACE(little);
    Points x = nearly_equal(little);
    const Points fresh = x.topRows(5) + Points::Constant(5, 3, 0x1p-10);
    const double scale = power_of_two_scale(x, {});
    const QuadAffine exact(x);
    const AffineBasis basis = basis_of(x);
    const Vector centre = scale * x.colwise().mean().transpose();
    const AffineFunctions functions(basis, Block::Identity(4, 4), centre);
    Block values = Block::Zero(5, 4);
    functions.remove(fresh, scale, centre, values);
    for (Index i = 0; i < 5; ++i) {
      // sum_f f(y) q_f is the same for any basis of the functions.
      const QuadColumn terms = exact.at(fresh.row(i));
      for (Index r = 0; r < 24; ++r) {
        Quad expected = 0;
        for (std::size_t f = 0; f < terms.size(); ++f)
          expected += terms[f] * exact.values[f][static_cast<std::size_t>(r)];
        EXPECT_NEAR(-values.row(i).dot(basis.q.row(r)), static_cast<double>(expected), 1e-12);
      }
    }
  }
}

}  // namespace affine_basis_test
}  // namespace mercer
