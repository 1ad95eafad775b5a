// Bounds that hold with a stated probability: the quantile against integrals, the probability
// against counts.
#include "mercer/solvers/bounds.h"
#include "tests/support/dense.h"
#include "tests/support/random_points.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

namespace mercer {
namespace probe_bounds_test {

std::uint64_t seed_of(Index number) { return static_cast<std::uint64_t>(number); }

Block gaussian(Index rows, Index columns, std::uint64_t seed) {
  return test::random_points({.n = rows, .dim = columns, .seed = seed});
}

// P(chi-square <= x) by Simpson's rule in y = sqrt(x), where the density is smooth at 0.
double chi_square_probability(double x, double degrees) {
  const Index steps = 4000;
  const double h = std::sqrt(x) / static_cast<double>(steps);
  const double log_norm = (1 - degrees / 2) * std::numbers::ln2 - std::lgamma(degrees / 2);
  double sum = 0;
  for (Index i = 0; i <= steps; ++i) {
    const double y = h * static_cast<double>(i);
    const double weight = i == 0 || i == steps ? 1 : i % 2 == 1 ? 4 : 2;
    const double power = y > 0 ? (degrees - 1) * std::log(y) : (degrees == 1 ? 0 : -1e300);
    sum += weight * std::exp(power - y * y / 2 + log_norm);
  }
  return sum * h / 3;
}

TEST(ChiSquareQuantile, AgreesWithPublishedTablesAndClosedForms) {
  EXPECT_NEAR(chi_square_quantile(1e-6, 32), 7.046935678198309, 1e-8);  // of SciPy 1.10
  EXPECT_NEAR(chi_square_quantile(1e-9, 32), 4.21403237134096, 1e-8);
  EXPECT_NEAR(chi_square_quantile(1e-6, 64), 23.747764297114184, 1e-7);
  EXPECT_NEAR(chi_square_quantile(1e-9, 64), 17.40435749565869, 1e-7);
  EXPECT_NEAR(chi_square_quantile(1e-6, 8), 0.14198478271724216, 1e-9);
  EXPECT_NEAR(chi_square_quantile(1e-9, 8), 0.0249555062483661, 1e-10);
  EXPECT_NEAR(chi_square_quantile(0.05, 1000), 927.594363020979, 1e-5);
  EXPECT_NEAR(chi_square_quantile(1e-12, 1000), 716.9494787894976, 1e-5);
  for (const double delta : {1e-12, 1e-6, 0.05, 0.5, 0.9, 0.999}) {
    const double two = -2 * std::log1p(-delta);
    EXPECT_NEAR(chi_square_quantile(delta, 2), two, 1e-10 * two);
    const double one = std::sqrt(chi_square_quantile(delta, 1) / 2);
    EXPECT_NEAR(std::erf(one), delta, 1e-10 * delta);
  }
  for (const double delta : {1e-3, 0.05, 0.5, 0.9}) {
    const double q = chi_square_quantile(delta, 3);
    const double tail = std::sqrt(2 * q / std::numbers::pi) * std::exp(-q / 2);
    EXPECT_NEAR(std::erf(std::sqrt(q / 2)) - tail, delta, 1e-10);
  }
}

TEST(ChiSquareQuantile, IsWhereTheIntegralOfTheDensityReachesDelta) {
  for (const Index degrees : {1, 2, 3, 5, 8, 16, 33, 64, 128, 500, 1000})
    for (const double delta : {1e-12, 1e-9, 1e-6, 1e-3, 0.05, 0.5, 0.99}) {
      const double q = chi_square_quantile(delta, degrees);
      // dP/P = (q p(q)/P) dq/q, and q p(q)/P <= degrees / 2
      const double allowed = 1e-8 * static_cast<double>(degrees) / 2;
      EXPECT_NEAR(chi_square_probability(q, static_cast<double>(degrees)) / delta, 1, allowed)
          << degrees << " degrees, delta " << delta;
    }
}

// Shares are of 2000 draws: 4 sigma of a share of 5 % is 0.0195.
constexpr Index kDraws = 2000;
constexpr double kFourSigma = 0.0195;

TEST(ProbeComplement, OfRankOneFailsExactlyAsOftenAsSaid) {
  const Vector e = gaussian(20, 1, 1).normalized();
  const Block complement = 3 * e * e.transpose();
  const double quantile = chi_square_quantile(0.05, 8);
  Index failures[3] = {0, 0, 0};
  for (Index draw = 0; draw < kDraws; ++draw) {
    Block y = gaussian(20, 8, seed_of(draw + 10));
    for (Index power = 1; power <= 3; ++power) {
      y = (complement * y).eval();
      failures[power - 1] += probe_complement(y.transpose() * y, power, quantile) < 3 ? 1 : 0;
    }
  }
  for (const Index count : failures)
    EXPECT_NEAR(static_cast<double>(count) / static_cast<double>(kDraws), 0.05, kFourSigma);
}

TEST(ProbeComplement, CarriedIntoALargerBasisFailsAtMostAsOftenAsSaid) {
  const Block v = test::random_orthonormal(24, 24, 5);
  Vector values(24);
  for (Index i = 0; i < 24; ++i) values[i] = std::pow(0.5, static_cast<double>(i));
  const Block a = v * values.asDiagonal() * v.transpose();
  const double quantile = chi_square_quantile(0.05, 8);
  Index one = 0, merged = 0;
  for (Index draw = 0; draw < kDraws; ++draw) {
    const Block q = test::random_orthonormal(24, 6, seed_of(draw));
    const Block before = Block::Identity(24, 24) - q.leftCols(3) * q.leftCols(3).transpose();
    const Block after = Block::Identity(24, 24) - q * q.transpose();
    const Block g = gaussian(24, 8, seed_of(draw + 100000));
    const Block y = before * (a * (before * g)), z = after * (a * (after * y));
    const Block direct = after * (a * (after * g));
    const double size = test::dense_eigen(after * a * after).values[0];
    one += probe_complement(direct.transpose() * direct, 1, quantile) < size ? 1 : 0;
    merged += probe_complement(z.transpose() * z, 2, quantile) < size ? 1 : 0;
  }
  const double allowed = (0.05 + kFourSigma) * static_cast<double>(kDraws);
  EXPECT_LE(static_cast<double>(one), allowed);
  EXPECT_LE(static_cast<double>(merged), allowed);
}

}  // namespace probe_bounds_test
}  // namespace mercer
