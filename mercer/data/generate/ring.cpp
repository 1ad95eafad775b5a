// One ring of radius 1, points evenly spaced: the data on which kernels are usually shown, since
// every one of them draws other curves around it.
#include "mercer/data/detail/toy.h"

#include <cmath>
#include <numbers>

namespace mercer {
namespace {

Dataset make_ring(const GeneratorOptions& options) {
  Points points(options.n, 2);
  for (Index i = 0; i < options.n; ++i) {
    const double angle =
        2 * std::numbers::pi * static_cast<double>(i) / static_cast<double>(options.n);
    points(i, 0) = std::cos(angle);
    points(i, 1) = std::sin(angle);
  }
  detail::add_noise(points, options);
  return detail::named(std::move(points), {"x", "y"});
}

}  // namespace

const Generator& ring_generator() {
  static constexpr Generator generator{"ring", "one ring of radius 1", make_ring};
  return generator;
}

}  // namespace mercer
