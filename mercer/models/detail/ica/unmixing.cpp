#include "mercer/models/detail/ica/unmixing.h"

#include "mercer/core/error.h"
#include "mercer/core/random.h"
#include "mercer/linalg/lapack.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

namespace mercer::detail {
namespace {

// Shares of the largest eigenvalue below this are made no larger by the root: Newton's steps then
// finish, each at least one and a half times a singular value that is too small.
constexpr double kLeastShare = 1e-14;
constexpr int kMostPolishing = 100;
// Orthonormal to rounding, which grows with the number of products summed.
constexpr double kUnits = 8 * 0x1p-53;

}  // namespace

void decorrelate(Block& w) {
  Block gram = w * w.transpose();
  const SymmetricReduction reduction(gram);
  std::vector<Index> all(static_cast<std::size_t>(w.rows()));
  std::iota(all.begin(), all.end(), Index{0});
  const Block vectors = reduction.vectors(all);
  const double least = kLeastShare * reduction.values()[w.rows() - 1];
  const Vector roots = reduction.values().cwiseMax(least).cwiseSqrt().cwiseInverse();
  w = (vectors * roots.asDiagonal() * (vectors.transpose() * w)).eval();
  Block columns = w.transpose();
  const double enough = kUnits * std::sqrt(static_cast<double>(w.rows()));
  for (int round = 0; round < kMostPolishing; ++round) {
    polish_orthonormal(columns);
    const Block gap = columns.transpose() * columns - Block::Identity(w.rows(), w.rows());
    if (gap.cwiseAbs().maxCoeff() <= enough) break;
  }
  w = columns.transpose();
}

Block random_rotation(Index k, std::uint64_t seed, Index number) {
  const Random random(seed, static_cast<std::uint64_t>(number));
  Block w(k, k);
  for (Index i = 0; i < k; ++i)
    for (Index j = 0; j < k; ++j) w(i, j) = random.normal(static_cast<std::uint64_t>(i * k + j));
  decorrelate(w);
  return w;
}

bool time_is_over(const Context& context) {
  if (context.cancelled()) throw Error(ErrorCode::cancelled, "cancelled");
  return context.observer.out_of_time && context.observer.out_of_time();
}

}  // namespace mercer::detail
