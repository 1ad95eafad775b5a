#include "mercer/models/detail/leading_pairs.h"

#include "mercer/core/parallel.h"
#include "mercer/linalg/blas.h"
#include "mercer/linalg/householder.h"
#include "mercer/linalg/lapack.h"

#include <algorithm>
#include <numeric>
#include <vector>

namespace mercer::detail {
namespace {

constexpr Index kSmallMatrix = 200;  // up to this size matrices are reduced sooner than searched
constexpr Index kSpare = 6;          // columns beyond those wanted
constexpr Index kDegree = 8;         // of the polynomial: products between two looks at the values
constexpr Index kRounds = 12;        // of that, before the matrix is reduced after all
// Residuals that are rounding, relative to the largest eigenvalue.
constexpr double kPairRounding = 1e-12;

std::vector<Index> largest_of(Index size, Index count) {
  std::vector<Index> positions(static_cast<std::size_t>(count));
  for (Index k = 0; k < count; ++k) positions[static_cast<std::size_t>(k)] = size - 1 - k;
  return positions;
}

Block multiplied(const Block& matrix, const Block& x, const Context& context) {
  Block y(matrix.rows(), x.cols());
  const std::vector<Range> parts = tiles_of(matrix.rows(), 128);
  parallel_for(context, static_cast<Index>(parts.size()), [&](Index t) {
    const Range part = parts[static_cast<std::size_t>(t)];
    gemm(Transpose::yes, Transpose::no, 1.0, matrix.middleCols(part.begin, part.size()), x, 0.0,
         y.middleRows(part.begin, part.size()));
  });
  return y;
}

}  // namespace

void LeadingPairs::by_reduction(Block matrix, const Context& context) {
  const SymmetricReduction reduction(matrix, context);
  const Index kept = std::min(size_, count_ + kSpare);
  space_ = reduction.vectors(largest_of(size_, kept));
  found_.vectors = space_.leftCols(count_);
  found_.values = reduction.values().reverse().head(count_);
  bound_ = reduction.values()[size_ - kept];
}

// T_8(2 A / bound - I) x by the three-term recurrence, unscaled: it stays far from overflow, and
// the columns are made orthonormal afterwards.
Block LeadingPairs::filtered(const Block& matrix, double bound, const Context& context) const {
  Block before = space_;
  Block now = 2 / bound * multiplied(matrix, before, context) - before;
  for (Index d = 1; d < kDegree; ++d) {
    Block next = 4 / bound * multiplied(matrix, now, context) - 2 * now - before;
    before = std::move(now);
    now = std::move(next);
  }
  return now;
}

bool LeadingPairs::by_search(const Block& matrix, const Context& context) {
  const Index width = space_.cols();
  for (Index round = 0; round < kRounds && bound_ > 0; ++round) {
    context.check_cancelled();
    const Block basis = orthonormal_in_order(filtered(matrix, bound_, context));
    const Block image = multiplied(matrix, basis, context);
    Block small = basis.transpose() * image;
    const SymmetricReduction reduction(small);
    const Block turn = reduction.vectors(largest_of(width, width));
    space_ = basis * turn;
    found_.values = reduction.values().reverse().head(count_);
    found_.vectors = space_.leftCols(count_);
    bound_ = reduction.values()[0];
    const Block rest = image * turn.leftCols(count_) - found_.vectors * found_.values.asDiagonal();
    if (rest.colwise().norm().maxCoeff() <= kPairRounding * found_.values[0]) return true;
  }
  return false;
}

const LeadingPairs::Found& LeadingPairs::of(const Block& matrix, const Context& context) {
  const bool search =
      !reduce_ && size_ > kSmallMatrix && space_.size() > 0 && 8 * (count_ + kSpare) < size_;
  if (!search || !by_search(matrix, context)) by_reduction(matrix, context);
  return found_;
}

}  // namespace mercer::detail
