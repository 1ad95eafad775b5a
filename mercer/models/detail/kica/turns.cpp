#include "mercer/models/detail/kica/turns.h"

#include <algorithm>
#include <cmath>

namespace mercer::detail {

Block antisymmetric(const Vector& angles, Index k) {
  Block a = Block::Zero(k, k);
  Index at = 0;
  for (Index j = 0; j < k; ++j)
    for (Index i = j + 1; i < k; ++i) {
      a(i, j) = angles[at];
      a(j, i) = -angles[at++];
    }
  return a;
}

Vector angle_slopes(const Block& slopes) {
  const Index k = slopes.rows();
  Vector angles(k * (k - 1) / 2);
  Index at = 0;
  for (Index j = 0; j < k; ++j)
    for (Index i = j + 1; i < k; ++i) angles[at++] = slopes(i, j) - slopes(j, i);
  return angles;
}

Block rotation_of(Block a) {
  // Halved until 14 terms leave less than rounding: 0.5^15 / 15! = 2e-17.
  constexpr int kTerms = 14;
  int halvings = 0;
  for (double norm = a.norm(); norm > 0.5 && halvings < 60; norm /= 2) ++halvings;
  a *= std::ldexp(1.0, -halvings);
  const Block identity = Block::Identity(a.rows(), a.cols());
  Block power = identity;
  for (int term = kTerms; term > 0; --term) power = identity + a * power / term;
  for (int i = 0; i < halvings; ++i) power = power * power;
  return power;
}

double largest_turn(const Vector& angles, Index k) {
  if (angles.size() == 0) return 0;
  return antisymmetric(angles, k).rowwise().squaredNorm().maxCoeff() / 2;
}

Block plane_turn(Index k, Index i, Index j, double angle) {
  Block turn = Block::Identity(k, k);
  turn(i, i) = turn(j, j) = std::cos(angle);
  turn(i, j) = std::sin(angle);
  turn(j, i) = -turn(i, j);
  return turn;
}

}  // namespace mercer::detail
