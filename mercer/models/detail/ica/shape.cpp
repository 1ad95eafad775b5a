#include "mercer/models/detail/ica/shape.h"

#include <cmath>
#include <numbers>

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

// What T may reach in Gaussian rows of K dimensions.
double gaussian_reach(double slope, Index k) {
  return std::sqrt(slope * static_cast<double>(k)) + std::sqrt(2 * std::log(4 / kGaussianFailure));
}

SourceShape shape_of(const ShapeSums& sums, double variance, Index rows, Index k) {
  const auto n = static_cast<double>(rows);
  const double leaning = sums.leaning_bell / n, bell = sums.bell / n - kBell;
  SourceShape shape;
  shape.variance = variance;
  shape.skewness = sums.cube / n;
  shape.excess_kurtosis = sums.fourth / n - 3;
  shape.negentropy = leaning * leaning / (2 * kLeaningSpread) + bell * bell / (2 * kBellSpread);
  shape.gaussian =
      std::sqrt(n / kLeaningSpread) * std::abs(leaning) <= gaussian_reach(kLeaningSlope, k) &&
      std::sqrt(n / kBellSpread) * std::abs(bell) <= gaussian_reach(kBellSlope, k);
  return shape;
}

}  // namespace

std::vector<SourceShape> shapes_of(ConstBlockRef z, const Block& w, const Context& context) {
  const auto n = static_cast<double>(z.rows());
  const Vector ones = Vector::Ones(w.rows());
  const std::vector<ShapeSums> raw = shape_sums(z, w, ones, context);
  Vector variances(w.rows());
  for (Index i = 0; i < w.rows(); ++i) variances[i] = raw[static_cast<std::size_t>(i)].square / n;
  const std::vector<ShapeSums> unit =
      shape_sums(z, w, variances.cwiseSqrt().cwiseInverse(), context);
  std::vector<SourceShape> shapes;
  for (Index i = 0; i < w.rows(); ++i)
    shapes.push_back(shape_of(unit[static_cast<std::size_t>(i)], variances[i], z.rows(), w.rows()));
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
