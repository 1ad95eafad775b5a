#include "mercer/plot/ticks.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace mercer::plot {
namespace {

// Beyond these, numbers are written with an exponent.
constexpr double kLargest = 1e6, kSmallestStep = 1e-4;

// Over a power of ten that may itself be too small or too large for a double.
double with_exponent_0(double value, int power) {
  return value / std::pow(10.0, power / 2) / std::pow(10.0, power - power / 2);
}

std::vector<std::string> labels_of(const std::vector<double>& at, double step) {
  double largest = 0;
  for (const double value : at) largest = std::max(largest, std::abs(value));
  const auto power_of = [](double value) {
    return static_cast<int>(std::floor(std::log10(value) + 1e-9));
  };
  const int of_step = power_of(step);
  const int shared = largest > 0 ? power_of(largest) : of_step;  // 0.5e6 beside 1.5e6
  std::vector<std::string> labels;
  for (const double value : at) {
    if (value == 0)
      labels.emplace_back("0");
    else if (largest >= kLargest || step < kSmallestStep)
      labels.push_back(fmt::format("{:.{}f}e{}", with_exponent_0(value, shared),
                                   std::clamp(shared - of_step, 0, 15), shared));
    else
      labels.push_back(fmt::format("{:.{}f}", value, std::max(0, -of_step)));
  }
  return labels;
}

}  // namespace

Extent extent_of(const std::vector<double>& values) {
  Extent extent{std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity()};
  for (const double value : values) {
    if (!std::isfinite(value)) continue;
    extent.low = std::min(extent.low, value);
    extent.high = std::max(extent.high, value);
  }
  return extent.low <= extent.high ? extent : Extent{};
}

Extent widened(Extent extent, double share) {
  // Half first: the span of the largest doubles is none.
  const double half = extent.high / 2 - extent.low / 2;
  const double size = std::max(std::abs(extent.low), std::abs(extent.high));
  // What differs by rounding alone is drawn as one number.
  if (!(half > 1e-12 * size)) {
    const double apart = size > 0 ? size / 4 : 1;
    return {extent.low - apart, extent.high + apart};
  }
  constexpr double kMost = 1e300;  // so that pictures of the largest numbers have a span
  return {std::max(-kMost, extent.low - 2 * share * half),
          std::min(kMost, extent.high + 2 * share * half)};
}

double nice_step(double span, int about) {
  const double rough = span / std::max(1, about);
  const double power = std::pow(10.0, std::floor(std::log10(rough)));
  const double share = rough / power;  // from 1 to 10: the step that is nearest by ratio
  if (share < std::sqrt(2.0)) return power;
  if (share < std::sqrt(10.0)) return 2 * power;
  return share < std::sqrt(50.0) ? 5 * power : 10 * power;
}

Ticks nice_ticks(Extent extent, int about, bool whole) {
  Ticks ticks;
  if (!(extent.span() > 0) || !std::isfinite(extent.span())) return ticks;
  double step = nice_step(extent.span(), about);
  if (whole) step = std::max(1.0, step);
  constexpr double kSlack = 1e-9;  // of a step: ends that are ticks but for their rounding
  const double first = std::ceil(extent.low / step - kSlack);
  const double last = std::floor(extent.high / step + kSlack);
  // Doubles of this size have no such steps.
  constexpr double kMostSteps = 1e15, kMostTicks = 1000;
  if (std::max(std::abs(first), std::abs(last)) > kMostSteps || last - first > kMostTicks)
    return ticks;
  for (double k = first; k <= last; ++k) ticks.at.push_back(k == 0 ? 0 : k * step);
  ticks.labels = labels_of(ticks.at, step);
  return ticks;
}

}  // namespace mercer::plot
