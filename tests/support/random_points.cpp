#include "tests/support/random_points.h"

#include <Eigen/QR>

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
  const Block gaussian = random_points({.n = n, .dim = count, .seed = seed});
  return Eigen::HouseholderQR<Block>(gaussian).householderQ() * Block::Identity(n, count);
}

}  // namespace mercer::test
