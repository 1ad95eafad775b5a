// A sheet bent to the letter S: with u, v uniform in (0, 1) and t = 3 pi (u - 1/2),
//   x = sin t,   y = 2 v,   z = sign(t) (cos t - 1).
#include "mercer/data/detail/toy.h"

#include <cmath>
#include <numbers>

namespace mercer {
namespace {

Dataset make_s_curve(const GeneratorOptions& options) {
  const Random random(options.seed, detail::kShapeStream);
  Points points(options.n, 3);
  for (Index i = 0; i < options.n; ++i) {
    const auto draw = 2 * static_cast<std::uint64_t>(i);
    const double t = 3 * std::numbers::pi * (random.uniform(draw) - 0.5);
    points(i, 0) = std::sin(t);
    points(i, 1) = 2 * random.uniform(draw + 1);
    points(i, 2) =
        std::copysign(std::cos(t) - 1, -t);  // cos t - 1 <= 0: the sign is opposite to t's
  }
  detail::add_noise(points, options);
  return detail::named(std::move(points), {"x", "y", "z"});
}

}  // namespace

const Generator& s_curve_generator() {
  static constexpr Generator generator{"s_curve", "a sheet bent to an S in space", make_s_curve};
  return generator;
}

}  // namespace mercer
