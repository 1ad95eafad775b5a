// Where an axis has its ticks and what is written there: multiples of 1, 2 or 5 times a power of
// ten, with as many decimals as the step needs.
#pragma once

#include <string>
#include <vector>

namespace mercer::plot {

struct Extent {
  double low = 0, high = 1;
  double span() const { return high - low; }
};

/// Of finite numbers, the smallest and largest; {0, 1} where there are none.
Extent extent_of(const std::vector<double>& values);
/// Widened by a share of its span on both sides; around a single number, by something that can be
/// told apart from it.
Extent widened(Extent extent, double share);

struct Ticks {
  std::vector<double> at;
  std::vector<std::string> labels;
};

/// Ticks within the extent: about so many, at least two where doubles have them.
/// `whole`: of counts, which have nothing between them.
Ticks nice_ticks(Extent extent, int about, bool whole = false);

/// The step of such ticks: 1, 2 or 5 times a power of ten.
double nice_step(double span, int about);

}  // namespace mercer::plot
