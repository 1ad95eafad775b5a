// Affine functions of the rows and their removal, against QR and products written out.
#include "mercer/operators/affine.h"

#include "mercer/data/summary.h"
#include "mercer/kernels/kernel.h"
#include "tests/support/dense.h"
#include "tests/support/random_points.h"

#include <gtest/gtest.h>

namespace mercer {
namespace affine_test {

using test::kRatio;
using test::kUnit;

AffineBasis basis_of(const Points& x) { return {x, power_of_two_scale(x, {}), {}}; }

/// [1, X] with columns about their mean and of length 1: the span is the same, the condition not.
Block functions_of(const Points& x) {
  Block functions(x.rows(), x.cols() + 1);
  functions << Vector::Ones(x.rows()), test::centred_rows(x);
  for (Index j = 0; j < functions.cols(); ++j)
    if (functions.col(j).norm() > 0) functions.col(j).normalize();
  return functions;
}

/// Orthonormal, spans what it should, and is [1, X] back in the coordinates of the frame.
void expect_basis(const Points& x, Index rank) {
  const AffineBasis basis = basis_of(x);
  ASSERT_EQ(basis.q.cols(), rank);
  EXPECT_LE(test::orthogonality_ratio(basis.q), kRatio);
  const Block functions = functions_of(x);
  Block rest = functions;
  remove_span(basis.q, rest);
  const auto n = static_cast<double>(x.rows());
  EXPECT_LE(test::max_abs(rest), kRatio * n * kUnit);
  const double scale = power_of_two_scale(x, {});
  Block terms(x.rows(), x.cols() + 1);
  terms << Vector::Ones(x.rows()), x * scale;
  EXPECT_LE(test::max_abs(terms * basis.back.high - basis.q),
            kRatio * n * kUnit * 100 * test::max_abs(basis.back.high));
}

TEST(AffineBasis, SpansTheConstantAndTheColumns) {
  for (const Index dim : {1, 2, 3, 7})
    expect_basis(test::random_points({.n = 40, .dim = dim, .seed = 1}), dim + 1);
}

TEST(AffineBasis, DoesNotDependOnTheUnitsOfTheColumns) {
  Points x = test::random_points({.n = 40, .dim = 3, .seed = 2});
  const Block plain = basis_of(x).q;
  x.col(0) *= 1e8;
  x.col(2) *= 1e-8;
  expect_basis(x, 4);
  EXPECT_LE(test::subspace_angle(plain, basis_of(x).q), kRatio * 40 * kUnit * 10);
}

TEST(AffineBasis, LeavesOutWhatTheRowsCannotTellApart) {
  const Points base = test::random_points({.n = 30, .dim = 3, .seed = 3});
  Points plane(30, 4);  // the last column is an affine function of the others
  plane << base, 2 * base.col(0) - base.col(1) + Vector::Constant(30, 5);
  expect_basis(plane, 4);
  Points constant(30, 4);
  constant << base, Vector::Constant(30, 7);
  expect_basis(constant, 4);
  Points twice(30, 6);
  twice << base, base;
  expect_basis(twice, 4);
  expect_basis(Points::Constant(5, 2, 3.0), 1);
}

TEST(AffineBasis, HasAtMostAsManyFunctionsAsRows) {
  expect_basis(test::random_points({.n = 3, .dim = 6, .seed = 4}), 3);
}

struct Case {
  Points x;
  Block a, expected;
  AffineBasis basis;

  explicit Case(Index dim, std::uint64_t seed)
      : x(test::random_points({.n = 50, .dim = dim, .seed = seed})) {
    a = test::dense_kernel("thin_plate_spline", x);
    basis = basis_of(x);
    const Block functions = functions_of(x);
    const Block q = test::orthonormal(functions);
    const Block p = Block::Identity(50, 50) - q * q.transpose();
    expected = p * a * p;
  }
  double rounding() const { return kRatio * 50 * kUnit * test::max_abs(a); }
};

TEST(AffineCentered, FormsAndAppliesThePlaneFreeMatrix) {
  for (const Index dim : {1, 2, 5}) {
    const Case c(dim, 5);
    const test::MatrixOperator inner(c.a);
    const AffineCentered centered(inner, c.basis);
    Block formed(50, 50);
    centered.form(formed, {});
    EXPECT_TRUE(formed == formed.transpose());
    EXPECT_LE(test::max_abs(formed - c.expected), c.rounding());
    EXPECT_LE(test::max_abs(test::dense(centered) - c.expected), c.rounding());
    EXPECT_LE(test::max_abs(centered.diagonal({}) - c.expected.diagonal()), c.rounding());
    EXPECT_LE(test::max_abs(formed * functions_of(c.x)), c.rounding());
    EXPECT_NEAR(centered.growth(), c.a.norm() / c.expected.norm(), 1e-9 * centered.growth());
    EXPECT_GT(centered.growth(), 1);
  }
}

TEST(AffineCentered, TheImageIsTheSameWhoeverAsksFirst) {
  const Case c(3, 6);
  const test::MatrixOperator inner(c.a);
  const AffineCentered formed(inner, c.basis), applied(inner, c.basis);
  Block out(50, 50);
  formed.form(out, {});
  EXPECT_LE(test::max_abs(formed.image({}) - c.a * c.basis.q), c.rounding());
  EXPECT_LE(test::max_abs(applied.image({}) - c.a * c.basis.q), c.rounding());
  EXPECT_EQ(applied.growth(), 1);
}

TEST(AffineCentered, KillsSquaredDistancesAndLeavesNoTraceOfThem) {
  // |x - y|^2 = |x|^2 - 2 x.y + |y|^2: every part has an affine factor.
  const Points x = test::random_points({.n = 40, .dim = 3, .seed = 7});
  const test::MatrixOperator squares(-test::dense_kernel("power_distance:exponent=2", x));
  const AffineBasis basis = basis_of(x);
  Block out(40, 40);
  AffineCentered(squares, basis).form(out, {});
  EXPECT_LE(test::max_abs(out), kRatio * 40 * kUnit * test::max_abs(test::dense(squares)));
}

}  // namespace affine_test
}  // namespace mercer
