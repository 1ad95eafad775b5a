// A rectangle rolled up in space: with u, v uniform in (0, 1) and t = 3/2 pi (1 + 2u),
//   x = t cos t,   y = 21 v,   z = t sin t.
#include "mercer/data/detail/toy.h"

#include <cmath>
#include <numbers>

namespace mercer {
namespace {

Dataset make_swiss_roll(const GeneratorOptions& options) {
  const Random random(options.seed, detail::kShapeStream);
  Points points(options.n, 3);
  for (Index i = 0; i < options.n; ++i) {
    const auto draw = 2 * static_cast<std::uint64_t>(i);
    const double t = 1.5 * std::numbers::pi * (1 + 2 * random.uniform(draw));
    points(i, 0) = t * std::cos(t);
    points(i, 1) = 21 * random.uniform(draw + 1);
    points(i, 2) = t * std::sin(t);
  }
  detail::add_noise(points, options);
  return detail::named(std::move(points), {"x", "y", "z"});
}

}  // namespace

const Generator& swiss_roll_generator() {
  static constexpr Generator generator{"swiss_roll", "a rolled-up sheet in space", make_swiss_roll};
  return generator;
}

}  // namespace mercer
