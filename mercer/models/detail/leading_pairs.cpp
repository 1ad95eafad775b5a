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

// Matrices up to this size are reduced sooner than searched.
constexpr Index kSmallMatrix = 200;
constexpr Index kSpare = 6;    // columns beyond those wanted
constexpr Index kDepth = 4;    // products that enrich a space before it is made small again
constexpr Index kRounds = 12;  // times that this is done before the matrix is reduced after all
// Residuals that are rounding, of a matrix whose largest eigenvalue is 1.
constexpr double kRounding = 1e-13;

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
}

bool LeadingPairs::by_search(const Block& matrix, const Context& context) {
  const Index width = space_.cols();
  for (Index round = 0; round < kRounds; ++round) {
    context.check_cancelled();
    Block basis(size_, width * kDepth);
    basis.leftCols(width) = space_;
    for (Index d = 1; d < kDepth; ++d)
      basis.middleCols(d * width, width) = orthonormal_in_order(
          multiplied(matrix, basis.middleCols((d - 1) * width, width), context));
    basis = orthonormal_in_order(basis);
    const Block image = multiplied(matrix, basis, context);
    Block small = basis.transpose() * image;
    const SymmetricReduction reduction(small);
    const Block turn = reduction.vectors(largest_of(small.rows(), width));
    space_ = basis * turn;
    found_.values = reduction.values().reverse().head(count_);
    found_.vectors = space_.leftCols(count_);
    const Block rest = image * turn.leftCols(count_) - found_.vectors * found_.values.asDiagonal();
    if (rest.colwise().norm().maxCoeff() <= kRounding * found_.values[0] * 10) return true;
  }
  return false;
}

const LeadingPairs::Found& LeadingPairs::of(const Block& matrix, const Context& context) {
  const bool search = !reduce_ && size_ > kSmallMatrix && space_.size() > 0 &&
                      (count_ + kSpare) * kDepth < size_ / 2;
  if (!search || !by_search(matrix, context)) by_reduction(matrix, context);
  return found_;
}

}  // namespace mercer::detail
