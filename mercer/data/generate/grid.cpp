// A square grid over [-1.5, 1.5]^2, row by row, with no noise: places at which to ask a model for
// its component values, so that they can be drawn as a map.
#include "mercer/data/detail/toy.h"

#include <cmath>

namespace mercer {
namespace {

constexpr double kHalf = 1.5;  // the square reaches from -1.5 to 1.5, beyond the circles

Dataset make_grid(const GeneratorOptions& options) {
  // The largest square that n points fill.
  auto side = static_cast<Index>(std::sqrt(static_cast<double>(options.n)));
  while ((side + 1) * (side + 1) <= options.n) ++side;
  while (side * side > options.n) --side;
  const auto at = [&](Index i) {
    return side == 1 ? 0.0
                     : kHalf * (2 * static_cast<double>(i) / static_cast<double>(side - 1) - 1);
  };
  Points points(side * side, 2);
  for (Index i = 0; i < points.rows(); ++i) {
    points(i, 0) = at(i % side);
    points(i, 1) = at(i / side);
  }
  return detail::named(std::move(points), {"x", "y"});
}

}  // namespace

const Generator& grid_generator() {
  static constexpr Generator generator{"grid", "a square grid around the origin, for maps",
                                       make_grid, "rows"};
  return generator;
}

}  // namespace mercer
