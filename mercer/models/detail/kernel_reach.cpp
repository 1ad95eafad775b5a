#include "mercer/models/detail/kernel_reach.h"

#include <cmath>

namespace mercer::detail {

bool is_bounded(const Kernel& kernel) {
  for (const KernelTerm& term : kernel.terms())
    for (const AnyFamily& family : term.factors)
      if (!visit_family(
              [](const auto& f) { return f.traits.unit_diagonal || f.traits.form == Form::angle; },
              family))
        return false;
  return true;
}

// Only of a single family, whose values with the row itself are its weight.
double left_out_of_tiles(const Kernel& kernel, const Frame& frame) {
  return frame.less_diagonal ? kernel.terms()[0].weight : 0;
}

std::vector<Index> rows_asked_for_reach(Index n) {
  constexpr Index kMost = 64;  // a twentieth of them are three: more cost time in every fit
  const Index count = std::min(n, kMost);
  std::vector<Index> rows;
  for (Index i = 0; i < count; ++i) rows.push_back(i * n / count);
  return rows;
}

double reach_from(Vector largest) {
  constexpr double kFar = 1e-3;
  if (largest.size() < 2) return 0;
  std::sort(largest.begin(), largest.end());
  const double least = kFar * largest[largest.size() / 20];
  return std::isnormal(least) ? least : 0;
}

}  // namespace mercer::detail
