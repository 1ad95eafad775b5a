// Data for tests: standard normal, a pure function of the seed.
#pragma once

#include "mercer/core/random.h"
#include "mercer/core/types.h"

#include <Eigen/QR>

namespace mercer::test {

struct RandomPoints {
  Index n = 10;
  Index dim = 2;
  std::uint64_t seed = 1;
};

/// n x dim independent standard normal numbers.
inline Points random_points(RandomPoints wanted) {
  const Random random(wanted.seed);
  Points points(wanted.n, wanted.dim);
  for (Index i = 0; i < points.size(); ++i)
    points.data()[i] = random.normal(static_cast<std::uint64_t>(i));
  return points;
}

/// The same, rounded to multiples of 2^-10: adding 1e8 to such numbers is exact.
inline Points coarse_points(RandomPoints wanted) {
  return (random_points(wanted) * 1024).array().round().matrix() / 1024;
}

/// n x count orthonormal columns, count <= n.
inline Block random_orthonormal(Index n, Index count, std::uint64_t seed) {
  const Block gaussian = random_points({.n = n, .dim = count, .seed = seed});
  return Eigen::HouseholderQR<Block>(gaussian).householderQ() * Block::Identity(n, count);
}

}  // namespace mercer::test
