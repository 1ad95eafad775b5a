#include "mercer/solvers/equal_values.h"

#include <algorithm>
#include <cmath>

namespace mercer {

double counts_as_equal(double size, double unknown, double largest) {
  return std::min(kSameValue * largest, std::max(kSameValue * std::abs(size), unknown));
}

std::vector<Range> runs_of_equals(const Vector& values, const Vector& unknown, double largest) {
  std::vector<Range> found;
  for (Index i = 0; i + 1 < values.size(); ++i) {
    const double size = std::max(std::abs(values[i]), std::abs(values[i + 1]));
    const double near = counts_as_equal(size, unknown[i] + unknown[i + 1], largest);
    if (!(std::abs(values[i] - values[i + 1]) <= near)) continue;
    if (!found.empty() && found.back().end == i + 1)
      found.back().end = i + 2;
    else
      found.push_back({i, i + 2});
  }
  return found;
}

}  // namespace mercer
