#include "tests/support/random_points.h"

#include "tests/support/dense.h"

namespace mercer::test {

Points random_points(RandomPoints wanted) {
  const Random random(wanted.seed);
  Points points(wanted.n, wanted.dim);
  for (Index i = 0; i < points.size(); ++i)
    points.data()[i] = random.normal(static_cast<std::uint64_t>(i));
  return points;
}

Points coarse_points(RandomPoints wanted) {
  return (random_points(wanted) * 1024).array().round().matrix() / 1024;
}

Block random_orthonormal(Index n, Index count, std::uint64_t seed) {
  return orthonormal(random_points({.n = n, .dim = count, .seed = seed}));
}

}  // namespace mercer::test
