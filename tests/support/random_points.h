// Data for tests: standard normal, a pure function of the seed.
#pragma once

#include "mercer/core/random.h"
#include "mercer/core/types.h"

namespace mercer::test {

struct RandomPoints {
  Index n = 10;
  Index dim = 2;
  std::uint64_t seed = 1;
};

/// n x dim independent standard normal numbers.
Points random_points(RandomPoints wanted);

/// The same, rounded to multiples of 2^-10: adding 1e8 to such numbers is exact.
Points coarse_points(RandomPoints wanted);

/// n x count orthonormal columns, count <= n.
Block random_orthonormal(Index n, Index count, std::uint64_t seed);

}  // namespace mercer::test
