// The quad oracle against closed forms: an oracle must be checked by something simpler than itself.
#include "tests/oracle/quad_reference.h"

#include "mercer/core/random.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numbers>

namespace mercer::oracle {
namespace quad_reference_test {

double distance(Quad a, Quad b) { return static_cast<double>(fabsq(a - b)); }

Points normal_points(Index n, Index dim, std::uint64_t seed) {
  const Random random(seed);
  Points points(n, dim);
  for (Index i = 0; i < points.size(); ++i)
    points.data()[i] = random.normal(static_cast<std::uint64_t>(i));
  return points;
}

// pi to 34 digits, as the double and what it lacks.
Quad quad_pi() { return Quad(3.141592653589793116) + Quad(1.2246467991473531772e-16); }

TEST(QuadReference, SecondDifferenceMatrixHasItsKnownEigenvaluesTo30Digits) {
  constexpr Index n = 40;
  QuadMatrix a(n);
  for (Index i = 0; i < n; ++i) {
    a(i, i) = 2;
    if (i > 0) a(i, i - 1) = a(i - 1, i) = -1;
  }
  const QuadEigen eigen = jacobi_eigen(a);
  for (Index k = 0; k < n; ++k) {
    // 2 - 2 cos(j pi / (n + 1)), largest first
    const Quad expected = 2 - 2 * cosq(Quad(n - k) * quad_pi() / Quad(n + 1));
    EXPECT_LT(distance(eigen.exact_values[static_cast<std::size_t>(k)], expected), 1e-31);
  }
}

TEST(QuadReference, TwoPointsHaveOneComponentOfOneMinusTheKernel) {
  Points x(2, 1);
  x << 1e8, 1e8 + 0.5;  // far from the origin: direct differences lose nothing
  const QuadEigen eigen = quad_kernel_pca(x, quad_gaussian(0.25));
  const Quad expected = 1 - expq(Quad(-2));  // distance 2 sigma
  EXPECT_LT(distance(eigen.exact_values[0], expected), 1e-33);
  EXPECT_LT(distance(eigen.exact_values[1], 0), 1e-33);
  EXPECT_NEAR(std::abs(eigen.vectors(0, 0)), std::sqrt(0.5), 1e-16);
  EXPECT_EQ(eigen.vectors(0, 0), -eigen.vectors(1, 0));
}

TEST(QuadReference, PointsFarApartGiveTheCentringMatrix) {
  Points x(7, 1);
  for (Index i = 0; i < 7; ++i) x(i, 0) = 1000.0 * static_cast<double>(i);
  const QuadEigen eigen = quad_kernel_pca(x, quad_gaussian(1.0));  // K = I to the last bit
  for (Index k = 0; k < 6; ++k) EXPECT_EQ(eigen.values[k], 1.0);
  EXPECT_LT(std::abs(eigen.values[6]), 1e-32);
}

TEST(QuadReference, PointsOnACircleHaveTheEigenvaluesOfACirculant) {
  constexpr Index n = 12;
  constexpr double kSigma = 0.7;
  Points x(n, 2);
  for (Index i = 0; i < n; ++i) {
    const double angle = 2 * std::numbers::pi * static_cast<double>(i) / static_cast<double>(n);
    x.row(i) << std::cos(angle), std::sin(angle);
  }
  // Eigenvalue m is the cosine sum of the first row; centring removes m = 0. Squared chord: 2 - 2
  // cos.
  std::vector<double> expected = {0};
  for (Index m = 1; m < n; ++m) {
    double sum = 0;
    for (Index d = 0; d < n; ++d) {
      const double angle = 2 * std::numbers::pi * static_cast<double>(d) / static_cast<double>(n);
      sum += std::exp((std::cos(angle) - 1) / (kSigma * kSigma)) *
             std::cos(static_cast<double>(m) * angle);
    }
    expected.push_back(sum);
  }
  std::sort(expected.rbegin(), expected.rend());
  const QuadEigen eigen = quad_kernel_pca(x, quad_gaussian(kSigma));
  for (Index k = 0; k < n; ++k)
    EXPECT_NEAR(eigen.values[k], expected[static_cast<std::size_t>(k)], 1e-14);
}

TEST(QuadReference, LinearKernelOfTwoColumnsHasTheRootsOfAQuadraticAndThenZeros) {
  const Points x = normal_points(30, 2, 3);
  const QuadEigen eigen = quad_kernel_pca(x, quad_dot);
  const Points centred = x.rowwise() - x.colwise().mean();
  const Eigen::Matrix2d s = centred.transpose() * centred;
  const double middle = s.trace() / 2, root = std::hypot((s(0, 0) - s(1, 1)) / 2, s(0, 1));
  EXPECT_NEAR(eigen.values[0], middle + root, 1e-13);
  EXPECT_NEAR(eigen.values[1], middle - root, 1e-13);
  for (Index k = 2; k < 30; ++k) EXPECT_LT(std::abs(eigen.values[k]), 1e-30);
}

TEST(QuadReference, TinyEigenvaluesKeepTheirDigits) {
  // On N points of a line a wide Gaussian has eigenvalues that fall by sigma^-2 each. Centred, 3
  // points -h, 0, h have 1 - b for the odd vector and (3 - 4a + b) / 3 for the even one, with a =
  // k(h), b = k(2h).
  Points x(3, 1);
  x << -1, 0, 1;
  const QuadEigen eigen = quad_kernel_pca(x, quad_gaussian(1024.0));
  const Quad a = expq(Quad(-0x1p-21)), b = expq(Quad(-0x1p-19));
  const Quad odd = 1 - b, even = (3 - 4 * a + b) / 3;
  EXPECT_LT(distance(eigen.exact_values[0], odd) / static_cast<double>(odd), 1e-27);
  EXPECT_LT(distance(eigen.exact_values[1], even) / static_cast<double>(even), 1e-20);
  EXPECT_LT(static_cast<double>(even), 1e-12);
}

TEST(QuadReference, VectorsAreOrthonormalAndRebuildTheMatrixAtN60) {
  const Points x = normal_points(60, 4, 11);
  const QuadMatrix k = double_centred(quad_gram(x, quad_gaussian(1.5)));
  const QuadEigen eigen = jacobi_eigen(k);
  Block dense(60, 60);
  for (Index i = 0; i < 60; ++i)
    for (Index j = 0; j < 60; ++j) dense(i, j) = static_cast<double>(k(i, j));
  // The checks below are done in double: a sum of 60 products is itself only right to 60 * 1.1e-16.
  const Block& u = eigen.vectors;
  EXPECT_LT((u.transpose() * u - Block::Identity(60, 60)).cwiseAbs().maxCoeff(), 1e-14);
  const Block rebuilt = u * eigen.values.asDiagonal() * u.transpose();
  EXPECT_LT((rebuilt - dense).cwiseAbs().maxCoeff(), 1e-13);
  EXPECT_TRUE(std::is_sorted(eigen.values.begin(), eigen.values.end(), std::greater<>()));
}

TEST(QuadReference, AcceptsOnePointAndAnyKernel) {
  EXPECT_EQ(quad_kernel_pca(normal_points(1, 3, 0), quad_gaussian(1)).values[0], 0);
  Points x(2, 1);
  x << 1, 2;
  const auto square = [](const Quad* p, const Quad* q, Index dim) {
    const Quad dot = quad_dot(p, q, dim);
    return dot * dot;
  };
  // Feature x^2: 1 and 4, so mu = 2 (1.5)^2.
  EXPECT_NEAR(quad_kernel_pca(x, square).values[0], 4.5, 1e-15);
}

}  // namespace quad_reference_test
}  // namespace mercer::oracle
