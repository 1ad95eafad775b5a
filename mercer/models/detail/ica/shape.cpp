#include "mercer/models/detail/ica/shape.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

namespace mercer::detail {
namespace {

// Of a standard normal x: mean ln cosh x (by numerical integration), mean exp(-x^2/2), mean x^4/4.
constexpr double kLogCosh = 0.374567207491438, kFourth = 0.75;
constexpr double kBell = std::numbers::sqrt2 / 2;
// s_a = 3^-3/2 - 1/8 and s_b = 3^-1/2 - 9/16; and the slopes L of their correlations at 1: with
//   r_a ~ x (1 - x^2/4)^-3/2 / 8 - x/8   and   r_b ~ (1 - x^2/4)^-1/2 / 2 - 1/2 - x^2/16
// L_a = (2 3^-3/2 - 1/8) / s_a and L_b = (3^-3/2 - 1/8) / s_b.
constexpr double kThird = 1 / std::numbers::sqrt3;
constexpr double kLeaningSpread = kThird / 3 - 0.125, kBellSpread = kThird - 0.5625;
constexpr double kLeaningSlope = (2 * kThird / 3 - 0.125) / kLeaningSpread,
                 kBellSlope = (kThird / 3 - 0.125) / kBellSpread;

// Thresholds of the two figures, and what few rows widen them by.
struct Reaches {
  double leaning = 0, bell = 0;
};

Reaches reaches_of(Index n, Index k) {
  const double left = std::max(1.0, static_cast<double>(n - k - 1));
  const double wider = std::sqrt(static_cast<double>(n) / left);
  return {wider * gaussian_reach(kLeaningSlope, k, kGaussianFailure / 2),
          wider * gaussian_reach(kBellSlope, k, kGaussianFailure / 2)};
}

// ln s_i, s_i the surface of the unit sphere in i dimensions.
double log_surface(Index i) {
  const double half = static_cast<double>(i) / 2;
  return std::numbers::ln2 + half * std::log(std::numbers::pi) - std::lgamma(half);
}

double log_choices(Index n, Index k) {
  const auto log_factorial = [](Index i) { return std::lgamma(static_cast<double>(i) + 1); };
  return log_factorial(n) - log_factorial(k) - log_factorial(n - k);
}

// P(max T > u) over the sphere in k dimensions; u lies beyond the zeros of the polynomials.
double chance_above(double u, double slope, Index k) {
  // ln He_j by the ratios He_{j+1} / He_j = u - j / (He_j / He_{j-1}).
  std::vector<double> hermite = {0};
  double ratio = u;
  for (Index j = 1; j < k; ++j) {
    hermite.push_back(hermite.back() + std::log(ratio));
    ratio = u - static_cast<double>(j) / ratio;
  }
  double chance = 0;
  for (Index j = k - 1; j >= 0; j -= 2) {
    const auto order = static_cast<double>(j);
    const double curvature = std::numbers::ln2 + log_choices(k - 1, j) + log_surface(k) -
                             log_surface(k - j) + order / 2 * std::log(slope);
    chance += j == 0 ? std::exp(curvature) * std::erfc(u / std::numbers::sqrt2) / 2
                     : std::exp(curvature - (order + 1) / 2 * std::log(2 * std::numbers::pi) +
                                hermite[static_cast<std::size_t>(j - 1)] - u * u / 2);
  }
  return chance;
}

SourceShape shape_of(const ShapeSums& sums, double variance, Index rows, const Reaches& reaches) {
  const auto n = static_cast<double>(rows);
  const double leaning = sums.leaning_bell / n, bell = sums.bell / n - kBell;
  SourceShape shape;
  shape.variance = variance;
  shape.skewness = sums.cube / n;
  shape.excess_kurtosis = sums.fourth / n - 3;
  shape.negentropy = leaning * leaning / (2 * kLeaningSpread) + bell * bell / (2 * kBellSpread);
  shape.gaussian = std::sqrt(n / kLeaningSpread) * std::abs(leaning) <= reaches.leaning &&
                   std::sqrt(n / kBellSpread) * std::abs(bell) <= reaches.bell;
  return shape;
}

}  // namespace

// The search is between a place beyond all zeros of the polynomials (those of He_{k-1} lie below
// 2 sqrt(k - 1)) and the bound by Sudakov, Fernique and Borell, which no chance passes.
double gaussian_reach(double slope, Index k, double chance) {
  constexpr int kHalvings = 60;
  const auto dimensions = static_cast<double>(k);
  double low = 2 * std::sqrt(std::max(1.0, dimensions - 1));
  double high = std::max(low, std::sqrt(slope * dimensions) + std::sqrt(2 * std::log(1 / chance)));
  if (chance_above(low, slope, k) <= chance) return low;
  for (int i = 0; i < kHalvings; ++i) {
    const double middle = (low + high) / 2;
    (chance_above(middle, slope, k) > chance ? low : high) = middle;
  }
  return high;
}

std::vector<SourceShape> shapes_of(ConstBlockRef z, const Block& w, const Context& context) {
  const auto n = static_cast<double>(z.rows());
  const Vector ones = Vector::Ones(w.rows());
  const std::vector<ShapeSums> raw = shape_sums(z, w, ones, context);
  Vector variances(w.rows());
  for (Index i = 0; i < w.rows(); ++i) variances[i] = raw[static_cast<std::size_t>(i)].square / n;
  const std::vector<ShapeSums> unit =
      shape_sums(z, w, variances.cwiseSqrt().cwiseInverse(), context);
  std::vector<SourceShape> shapes;
  const Reaches reaches = reaches_of(z.rows(), w.rows());
  for (Index i = 0; i < w.rows(); ++i)
    shapes.push_back(shape_of(unit[static_cast<std::size_t>(i)], variances[i], z.rows(), reaches));
  return shapes;
}

double gaussian_mean(Contrast contrast) {
  if (contrast == Contrast::exp) return -kBell;
  return contrast == Contrast::cube ? kFourth : kLogCosh;
}

double contrast_gap(const ShapeSums& sums, Index n, Contrast contrast) {
  const auto rows = static_cast<double>(n);
  switch (contrast) {
    case Contrast::exp:
      return kBell - sums.bell / rows;
    case Contrast::cube:
      return sums.fourth / (4 * rows) - kFourth;
    case Contrast::logcosh:
      break;
  }
  return sums.log_cosh / rows - kLogCosh;
}

}  // namespace mercer::detail
