// Two concentric circles of radii 1 and 0.5, points evenly spaced: no line separates them, and a
// kernel does.
#include "mercer/data/detail/toy.h"

#include <cmath>
#include <numbers>

namespace mercer {
namespace {

Dataset make_circles(const GeneratorOptions& options) {
  Points points(options.n, 2);
  for (Index i = 0; i < options.n; ++i) {
    const Index which = i % 2, position = i / 2;
    const double radius = which == 0 ? 1.0 : 0.5;
    const double turn = static_cast<double>(position) /
                        static_cast<double>(detail::rows_of_class(options.n, 2, which));
    const double angle = 2 * std::numbers::pi * turn;
    points(i, 0) = radius * std::cos(angle);
    points(i, 1) = radius * std::sin(angle);
  }
  detail::add_noise(points, options);
  return detail::named(std::move(points), {"x", "y"},
                       detail::alternating_labels({"outer", "inner"}, options.n));
}

}  // namespace

const Generator& circles_generator() {
  static constexpr Generator generator{"circles", "two concentric circles", make_circles};
  return generator;
}

}  // namespace mercer
