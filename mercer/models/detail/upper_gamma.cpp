#include "mercer/models/detail/upper_gamma.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

namespace mercer::detail {
namespace {

constexpr double kEpsilon = std::numeric_limits<double>::epsilon();
constexpr double kTiny = std::numeric_limits<double>::min() / kEpsilon;

// Both sums have about sqrt(a) terms that count.
double most_terms(double a) { return 1000 + 20 * std::sqrt(a); }

// x^a e^-x / gamma(a + 1), without the cancellation of its logarithms where a is large.
double leading_factor(double a, double x) {
  constexpr double kStirling = 1e3;
  if (x == 0) return 0;
  if (a < kStirling) return std::exp(a * std::log(x) - x - std::lgamma(a + 1));
  // ln gamma(a + 1) = (a + 1/2) ln a - a + ln sqrt(2 pi) + 1 / 12 a - 1 / 360 a^3 + ...
  const double d = (x - a) / a;
  const double exponent = a * (std::log1p(d) - d) - 1 / (12 * a) + 1 / (360 * a * a * a);
  return std::exp(exponent) / std::sqrt(2 * std::numbers::pi * a);
}

// sum_{i >= 0} x^i / ((a + 1) ... (a + i))
double series(double a, double x) {
  double term = 1, sum = 1;
  for (double i = 1; i < most_terms(a) && term > kEpsilon * sum; ++i) {
    term *= x / (a + i);
    sum += term;
  }
  return sum;
}

// 1 / (x + 1 - a - 1 (1 - a) / (x + 3 - a - ...))
double fraction(double a, double x) {
  double b = x + 1 - a, c = 1 / kTiny, d = 1 / b, h = d;
  for (double i = 1; i < most_terms(a); ++i) {
    const double factor = -i * (i - a);
    b += 2;
    d = factor * d + b;
    d = 1 / (std::abs(d) < kTiny ? kTiny : d);
    c = b + factor / c;
    c = std::abs(c) < kTiny ? kTiny : c;
    h *= d * c;
    if (std::abs(d * c - 1) < kEpsilon) break;
  }
  return h;
}

}  // namespace

double upper_gamma(double a, double x) {
  if (!(x > 0)) return 1;
  if (std::isinf(x)) return 0;
  const double lead = leading_factor(a, x);
  const double q = x < a + 1 ? 1 - lead * series(a, x) : lead * a * fraction(a, x);
  return std::clamp(q, 0.0, 1.0);
}

}  // namespace mercer::detail
