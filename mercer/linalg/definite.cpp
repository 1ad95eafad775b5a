#include "mercer/linalg/definite.h"

#include "mercer/core/check.h"
#include "mercer/core/parallel.h"
#include "mercer/linalg/blas.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace mercer {
namespace {

// Columns of a panel, and rows and columns of a tile: the inner length of its products.
constexpr Index kTile = 256;
// What BLAS may do besides the sums of the theorem, such as multiplying by a reciprocal pivot; and
// the rounding of the bound itself.
constexpr double kMargin = 2;
constexpr double kExtra = 16;

class Cholesky {
 public:
  Cholesky(BlockRef matrix, Index most, const Context& context)
      : l_(matrix), n_(matrix.rows()), most_(most), context_(context), found_(n_, 0) {}

  DefiniteTest run();

 private:
  bool factor_corner(Range at);
  bool leave_out(Range at, Index row);
  void solve_panel(Range at);
  void update(Range at);
  double error() const;

  BlockRef l_;
  Index n_, most_;
  const Context& context_;
  bool definite_ = true;
  Block found_;
  std::vector<Index> left_out_;  // rows of the panel in work
};

// The diagonal tile, column by column. False where enough directions were found.
bool Cholesky::factor_corner(Range at) {
  left_out_.clear();
  auto d = l_.block(at.begin, at.begin, at.size(), at.size());
  for (Index j = 0; j < at.size(); ++j) {
    const double pivot = d(j, j) - d.row(j).head(j).squaredNorm();
    if (!(pivot > 0)) {
      if (!leave_out(at, at.begin + j)) return false;
      continue;
    }
    d(j, j) = std::sqrt(pivot);
    const Index below = at.size() - j - 1;
    const Vector row = d.row(j).head(j);
    d.col(j).tail(below).noalias() -= d.block(j + 1, 0, below, j) * row;
    d.col(j).tail(below) /= d(j, j);
  }
  return true;
}

// x = (-L^-T l, 1, 0) with L the rows so far and l that of the pivot: x'M x is the pivot. Without
// its row and column the matrix may have further ones.
bool Cholesky::leave_out(Range at, Index row) {
  definite_ = false;
  Vector x = Vector::Zero(n_);
  x.head(row) = -l_.row(row).head(row).transpose();
  x[row] = 1;
  l_.topLeftCorner(row, row).triangularView<Eigen::Lower>().transpose().solveInPlace(x.head(row));
  const Index had = found_.cols();
  if (x.allFinite()) {
    found_.conservativeResize(Eigen::NoChange, had + 1);
    found_.col(had) = x / x.lpNorm<Eigen::Infinity>();
    found_.col(had).normalize();
  }
  if (!x.allFinite() || had + 1 >= most_) return false;
  l_.row(row).head(row).setZero();
  l_(row, row) = 1;
  l_.col(row).segment(row + 1, at.end - row - 1).setZero();
  left_out_.push_back(row);
  return true;
}

// The rows below: X D' = M, tile by tile.
void Cholesky::solve_panel(Range at) {
  const std::vector<Range> tiles = tiles_of(n_ - at.end, kTile);
  const auto corner = l_.block(at.begin, at.begin, at.size(), at.size());
  parallel_for(context_, static_cast<Index>(tiles.size()), [&](Index t) {
    const Range rows = tiles[static_cast<std::size_t>(t)];
    auto tile = l_.block(at.end + rows.begin, at.begin, rows.size(), at.size());
    for (const Index out : left_out_) tile.col(out - at.begin).setZero();
    solve_transposed(corner, tile);
  });
}

// What is left: M - X X', the lower tiles.
void Cholesky::update(Range at) {
  const std::vector<Range> tiles = tiles_of(n_ - at.end, kTile);
  const auto count = static_cast<Index>(tiles.size());
  parallel_for(context_, count * (count + 1) / 2, [&](Index t) {
    // Task t is tile (i, j) of the lower half, counted row by row.
    auto i = static_cast<Index>((std::sqrt(8 * static_cast<double>(t) + 1) - 1) / 2);
    while (i * (i + 1) / 2 > t) --i;
    while ((i + 1) * (i + 2) / 2 <= t) ++i;
    const Range rows = tiles[static_cast<std::size_t>(i)];
    const Range columns = tiles[static_cast<std::size_t>(t - i * (i + 1) / 2)];
    const auto left = l_.block(at.end + rows.begin, at.begin, rows.size(), at.size());
    const auto right = l_.block(at.end + columns.begin, at.begin, columns.size(), at.size());
    if (rows.begin != columns.begin) {
      gemm(Transpose::no, Transpose::yes, -1.0, left, right, 1.0,
           l_.block(at.end + rows.begin, at.end + columns.begin, rows.size(), columns.size()));
      return;
    }
    Block square(rows.size(), rows.size());  // what lies above the diagonal is not ours
    gemm(Transpose::no, Transpose::yes, 1.0, left, left, 0.0, square);
    l_.block(at.end + rows.begin, at.end + rows.begin, rows.size(), rows.size())
        .triangularView<Eigen::Lower>() -= square;
  });
}

// The largest row sum of |L||L'|, times what rounding takes of it.
double Cholesky::error() const {
  Vector sums = Vector::Zero(n_);
  for (Index j = 0; j < n_; ++j) {
    const auto column = l_.col(j).tail(n_ - j).cwiseAbs();
    sums.tail(n_ - j) += column.sum() * column;
  }
  const double length = static_cast<double>(n_) + kExtra;
  return kMargin * length * 0x1p-53 * sums.maxCoeff();
}

DefiniteTest Cholesky::run() {
  if (n_ == 0) return {.definite = true};
  for (const Range at : tiles_of(n_, kTile)) {
    context_.check_cancelled();
    if (!factor_corner(at)) break;
    solve_panel(at);
    update(at);
  }
  if (definite_) return {.definite = true, .error = error()};
  return {.directions = std::move(found_)};
}

}  // namespace

DefiniteTest test_definite(BlockRef matrix, Index most, const Context& context) {
  MERCER_ASSERT(matrix.rows() == matrix.cols() && most >= 1);
  const BlasThreadGuard guard;
  return Cholesky(matrix, most, context).run();
}

void solve_definite(ConstBlockRef factor, BlockRef x, const Context& context) {
  constexpr Index kColumns = 4;  // few, so that work can be stopped between them
  const std::vector<Range> groups = tiles_of(x.cols(), kColumns);
  parallel_for(context, static_cast<Index>(groups.size()), [&](Index g) {
    const Range own = groups[static_cast<std::size_t>(g)];
    auto columns = x.middleCols(own.begin, own.size());
    factor.triangularView<Eigen::Lower>().solveInPlace(columns);
    factor.triangularView<Eigen::Lower>().transpose().solveInPlace(columns);
  });
}

}  // namespace mercer
