#include "mercer/solvers/inertia.h"

#include "mercer/core/parallel.h"
#include "mercer/linalg/blas.h"
#include "mercer/linalg/definite.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace mercer {
namespace {

// Beyond, a test takes minutes.
constexpr Index kMostRows = 20000;
constexpr Index kTile = 256;
// Directions that a test looks for before it gives up: each takes n^2 operations.
constexpr Index kDirections = 8;

std::size_t square_bytes(Index n) {
  return sizeof(double) * static_cast<std::size_t>(n) * static_cast<std::size_t>(n);
}

}  // namespace

bool Inertia::fits(Index n, Index wanted, std::uint64_t bytes) {
  const auto rows = static_cast<double>(n), columns = static_cast<double>(wanted);
  const double needed = 8 * rows * (rows + 2 * columns + static_cast<double>(3 * kDirections));
  return n <= kMostRows && needed <= static_cast<double>(bytes);
}

Inertia::Inertia(const SymmetricOperator& a, double largest, const Context& context)
    : n_(a.size()),
      context_(context),
      memory_(square_bytes(n_)),
      matrix_(memory_.as<double>(), n_, n_) {
  a.form(matrix_, context);
  scale_ = largest > 0 ? std::exp2(-std::ilogb(largest)) : 1;
  largest_ = largest * scale_;
  const std::vector<Range> tiles = tiles_of(n_, kTile);
  std::vector<double> squares(tiles.size());
  parallel_for(context_, static_cast<Index>(tiles.size()), [&](Index t) {
    const Range at = tiles[static_cast<std::size_t>(t)];
    auto columns = matrix_.middleCols(at.begin, at.size());
    columns *= scale_;
    squares[static_cast<std::size_t>(t)] = columns.squaredNorm();
  });
  for (const double part : squares) norm_ += part;
  norm_ = std::sqrt(norm_);
  diagonal_ = matrix_.diagonal();
}

// The lower triangle of line I - sign A + V diag(lift) V'.
void Inertia::write(ConstBlockRef columns, const Vector& lift, double line, double sign) {
  const Block lifted = columns * lift.asDiagonal();
  const std::vector<Range> tiles = tiles_of(n_, kTile);
  parallel_for(context_, static_cast<Index>(tiles.size()), [&](Index t) {
    const Range at = tiles[static_cast<std::size_t>(t)];
    const auto right = lifted.middleRows(at.begin, at.size());
    Block corner(at.size(), at.size());
    corner = -sign * matrix_.block(at.begin, at.begin, at.size(), at.size()).transpose();
    corner.diagonal() = line - sign * diagonal_.segment(at.begin, at.size()).array();
    gemm(Transpose::no, Transpose::yes, 1.0, columns.middleRows(at.begin, at.size()), right, 1.0,
         corner);
    matrix_.block(at.begin, at.begin, at.size(), at.size()).triangularView<Eigen::Lower>() = corner;
    for (Index row = at.end; row < n_; row += kTile) {
      const Index rows = std::min(kTile, n_ - row);
      auto tile = matrix_.block(row, at.begin, rows, at.size());
      tile = -sign * matrix_.block(at.begin, row, at.size(), rows).transpose();
      gemm(Transpose::no, Transpose::yes, 1.0, columns.middleRows(row, rows), right, 1.0, tile);
    }
  });
}

Inertia::Answer Inertia::test(ConstBlockRef columns, const Vector& values, double line, End end) {
  const double sign = end == End::upper ? 1 : -1;
  const double b = line * scale_;
  // What the columns span is lifted to the size of the matrix itself.
  const Vector lift = (sign * scale_ * values.array() - b + largest_).cwiseMax(0.0);
  write(columns, lift, b, sign);
  DefiniteTest test = test_definite(matrix_, kDirections, context_);
  if (!test.definite) return {.directions = std::move(test.directions)};
  // Each entry of M is a sum of so many products, a shift and an entry of A, and |A|_F bounds the
  // norm of their absolute values.
  const double terms = static_cast<double>(columns.cols()) + 8;
  const double written = 2 * terms * 0x1p-53 * (norm_ + 2 * lift.sum() + std::abs(b));
  return {.within = true, .bound = (b + test.error + written) / scale_};
}

}  // namespace mercer
