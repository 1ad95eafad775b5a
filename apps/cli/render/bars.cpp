#include "apps/cli/render/bars.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace mercer::cli {

std::string spark_bars(const Vector& values, Index most) {
  static constexpr std::array kBlocks = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
  std::string text;
  if (values.size() == 0) return text;
  // Shares that are not known are not finite: they have no bar.
  const auto height = [&](Index i) { return std::isfinite(values[i]) ? values[i] : 0.0; };
  double largest = 1e-300;
  for (Index i = 0; i < values.size(); ++i) largest = std::max(largest, height(i));
  for (Index i = 0; i < std::min(most, values.size()); ++i) {
    const double share = std::clamp(height(i) / largest, 0.0, 1.0);
    text += kBlocks[static_cast<std::size_t>(std::lround(share * 7))];
  }
  return text;
}

}  // namespace mercer::cli
