#include "mercer/linalg/indefinite_solve.h"

#include "mercer/core/check.h"
#include "mercer/core/parallel.h"
#include "mercer/linalg/detail/lapack_call.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

extern "C" {
void dsytrf_(const char*, const int*, double*, const int*, int*, double*, const int*, int*);
void dsytrs_(const char*, const int*, const int*, const double*, const int*, const int*, double*,
             const int*, int*);
}

namespace mercer {
namespace {

// The first move of a shift, in units of rounding of the matrix; it doubles until it helps.
constexpr double kMove = 4 * 0x1p-52;
constexpr int kMoves = 30;
// Pivots below this share of the matrix overflow when they are divided by.
constexpr double kVanished = 0x1p-500;
// Columns copied at once: the transpose of a tile stays in the cache.
constexpr Index kCopyTile = 64;

}  // namespace

IndefiniteSolve::IndefiniteSolve(BlockRef matrix)
    : matrix_(matrix),
      diagonal_(matrix.diagonal()),
      pivots_(static_cast<std::size_t>(matrix.rows())) {
  MERCER_ASSERT(matrix.rows() == matrix.cols());
  detail::narrow(matrix.rows());
}

// The lower triangle from the upper one, and the shifted diagonal.
void IndefiniteSolve::restore(double shift) {
  const Index n = matrix_.rows();
  for (Index column = 0; column < n; column += kCopyTile) {
    const Index columns = std::min(kCopyTile, n - column);
    for (Index row = column; row < n; row += kCopyTile) {
      const Index rows = std::min(kCopyTile, n - row);
      auto tile = matrix_.block(row, column, rows, columns);
      if (row > column)
        tile = matrix_.block(column, row, columns, rows).transpose();
      else
        tile.triangularView<Eigen::StrictlyLower>() = tile.transpose().eval();
    }
  }
  matrix_.diagonal() = diagonal_.array() - shift;
}

double IndefiniteSolve::factor(double shift, double scale) {
  const BlasThreadGuard guard;
  const int n = detail::narrow(matrix_.rows()),
            lda = detail::narrow(std::max<Index>(1, matrix_.outerStride()));
  if (n == 0) return shift;
  const double size = scale > 0 ? scale : std::max(1.0, std::abs(shift));
  int info = 0, query = -1;
  double best = 0;
  dsytrf_("L", &n, matrix_.data(), &lda, pivots_.data(), &best, &query, &info);
  const int room = std::max(1, static_cast<int>(best));
  Vector work(room);
  double used = shift, move = kMove * size;
  for (int attempt = 0; attempt < kMoves; ++attempt) {
    restore(used);
    dsytrf_("L", &n, matrix_.data(), &lda, pivots_.data(), work.data(), &room, &info);
    detail::check_info("dsytrf", std::min(info, 0));
    if (info == 0 && !vanishes(kVanished * size)) return used;
    used = shift + move;
    move *= 2;
  }
  throw Error(ErrorCode::not_converged, "no shift near an eigenvalue could be factored",
              "use --solver dense");
}

// Whether a pivot is so small that dividing by it overflows.
bool IndefiniteSolve::vanishes(double least) const {
  for (Index i = 0; i < matrix_.rows(); ++i) {
    const bool pair = pivots_[static_cast<std::size_t>(i)] < 0;
    if (!(std::abs(pair ? matrix_(i + 1, i) : matrix_(i, i)) > least)) return true;
    if (pair) ++i;
  }
  return false;
}

void IndefiniteSolve::solve(BlockRef x) const {
  MERCER_ASSERT(x.rows() == matrix_.rows());
  if (x.size() == 0) return;
  const BlasThreadGuard guard;
  const int n = detail::narrow(matrix_.rows()), columns = detail::narrow(x.cols()),
            lda = detail::narrow(matrix_.outerStride()), ldx = detail::narrow(x.outerStride());
  int info = 0;
  dsytrs_("L", &n, &columns, matrix_.data(), &lda, pivots_.data(), x.data(), &ldx, &info);
  detail::check_info("dsytrs", std::min(info, 0));
}

Index IndefiniteSolve::above() const {
  Index positive = 0;
  for (Index i = 0; i < matrix_.rows(); ++i) {
    if (pivots_[static_cast<std::size_t>(i)] > 0) {
      positive += matrix_(i, i) > 0 ? 1 : 0;
    } else {  // pivots of order 2 are chosen so that they have one eigenvalue of each sign
      ++positive;
      ++i;
    }
  }
  return positive;
}

}  // namespace mercer
