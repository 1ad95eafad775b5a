// Two interleaving half circles, t from 0 to pi:
//   upper (cos t, sin t),   lower (1 - cos t, 1/2 - sin t).
#include "mercer/data/detail/toy.h"

#include <cmath>
#include <numbers>

namespace mercer {
namespace {

/// Both ends of the half circle belong to it; a single point sits at the start.
double half_turn(Index position, Index count) {
  if (count == 1) return 0;
  return std::numbers::pi * static_cast<double>(position) / static_cast<double>(count - 1);
}

Dataset make_moons(const GeneratorOptions& options) {
  Points points(options.n, 2);
  for (Index i = 0; i < options.n; ++i) {
    const Index which = i % 2;
    const double t = half_turn(i / 2, detail::rows_of_class(options.n, 2, which));
    points(i, 0) = which == 0 ? std::cos(t) : 1 - std::cos(t);
    points(i, 1) = which == 0 ? std::sin(t) : 0.5 - std::sin(t);
  }
  detail::add_noise(points, options);
  return detail::named(std::move(points), {"x", "y"},
                       detail::alternating_labels({"upper", "lower"}, options.n));
}

}  // namespace

const Generator& moons_generator() {
  static constexpr Generator generator{"moons", "two interleaving half circles", make_moons};
  return generator;
}

}  // namespace mercer
