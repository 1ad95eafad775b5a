#include "apps/cli/render/bars.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace mercer::cli {

std::string spark_bars(const Vector& values, Index most) {
  static constexpr std::array kBlocks = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
  std::string text;
  if (values.size() == 0) return text;
  const double largest = std::max(values.maxCoeff(), 1e-300);
  for (Index i = 0; i < std::min(most, values.size()); ++i) {
    const double share = std::clamp(std::isfinite(values[i]) ? values[i] / largest : 0.0, 0.0, 1.0);
    text += kBlocks[static_cast<std::size_t>(std::lround(share * 7))];
  }
  return text;
}

}  // namespace mercer::cli
