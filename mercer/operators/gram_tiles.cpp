#include "mercer/operators/gram_tiles.h"

#include "mercer/core/per_thread.h"
#include "mercer/kernels/integer_rows.h"
#include "mercer/linalg/cost.h"

#include <algorithm>
#include <cmath>

namespace mercer {

Index gram_tile_rows(Index n, const Budget& budget) {
  if (budget.tile > 0) return budget.tile;
  // At least 16 blocks where there are rows enough: rounds of 8 tiles keep 8 threads busy.
  return std::clamp<Index>((n / 16 + 63) / 64 * 64, 128, kTileRows);
}

template <class T>
GramTiles<T>::GramTiles(const GramProblem& problem, const Context& context)
    : tile_(gram_tile_rows(problem.points.n(), context.budget)),
      frame_(frame_of(problem, context)),
      points_(problem.kernel, frame_, problem.points, context),
      kernel_(problem.kernel, frame_, Values::in_units),
      diagonal_(kernel_.diagonal(points_)),
      blocks_(tiles_of(problem.points.n(), tile_)),
      rounds_(pair_rounds(static_cast<Index>(blocks_.size()))) {
  check_diagonal(diagonal_ * unit());
  check_range(problem.kernel, frame_, n());
}

template <class T>
Index GramTiles<T>::tiles() const {
  const auto blocks = static_cast<Index>(blocks_.size());
  return blocks * (blocks + 1) / 2;
}

template <class T>
void GramTiles<T>::fill(TilePair pair, T* out, Scratch& scratch) const {
  const Range rows = block(pair.first), cols = block(pair.second);
  kernel_.fill(points_, rows, points_, cols, out, cols.size(), scratch);
  if (pair.first != pair.second) return;
  // Rounding may differ across the diagonal of a tile: one half is mirrored.
  for (Index i = 0; i < rows.size(); ++i) {
    for (Index j = 0; j < i; ++j) out[j * cols.size() + i] = out[i * cols.size() + j];
    out[i * cols.size() + i] = static_cast<T>(diagonal_[rows.begin + i]);
  }
}

template <class T>
void GramTiles<T>::entries(std::span<const Index> which, BlockRef out) const {
  const TilePoints<T> chosen = points_.gathered(which);
  const auto count = static_cast<Index>(which.size());
  Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> tile(count, count);
  Scratch scratch;
  kernel_.fill(chosen, {0, count}, chosen, {0, count}, tile.data(), count, scratch);
  out = tile.template cast<double>();
  out.template triangularView<Eigen::StrictlyUpper>() = out.transpose().eval();
  for (Index j = 0; j < count; ++j) out(j, j) = diagonal_[which[static_cast<std::size_t>(j)]];
}

template <class T>
void GramTiles<T>::columns(std::span<const Index> which, BlockRef out,
                           const Context& context) const {
  const TilePoints<T> chosen = points_.gathered(which);
  const auto count = static_cast<Index>(which.size());
  struct Work {
    Scratch scratch;
    std::vector<T> tile;
  };
  parallel_for(context, static_cast<Index>(blocks_.size()), [&](Index t) {
    const Range rows = blocks_[static_cast<std::size_t>(t)];
    auto& [scratch, tile] = per_thread<Work>();
    tile.resize(static_cast<std::size_t>(rows.size() * count));
    kernel_.fill(points_, rows, chosen, {0, count}, tile.data(), count, scratch);
    using Tile = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
    out.middleRows(rows.begin, rows.size()) =
        Eigen::Map<const Tile>(tile.data(), rows.size(), count).template cast<double>();
  });
  for (Index j = 0; j < count; ++j)
    out(which[static_cast<std::size_t>(j)], j) = diagonal_[which[static_cast<std::size_t>(j)]];
}

template class GramTiles<float>;
template class GramTiles<double>;

TilePrice price_tiles(const GramProblem& problem, const Machine& machine, Precision precision,
                      const Budget& budget) {
  const auto n = static_cast<double>(problem.points.n()),
             dim = static_cast<double>(problem.points.dim());
  const bool single = precision == Precision::single_;
  const double gemm = single ? machine.gemm_single : machine.gemm_double;
  const double map = single ? machine.map_single : machine.map_double;
  // Sums of terms run at about the speed of the map, one coordinate for one value; sparse rows meet
  // where both have a non-zero.
  const bool terms = problem.kernel.uses(Form::differences) || problem.kernel.uses(Form::sums);
  const double width = static_cast<double>(problem.points.stored()) / std::max(1.0, n);
  const double base = terms                         ? dim / map
                      : problem.points.sparse()     ? width * width / std::max(1.0, dim) / map
                      : problem.facts.integer_tiles ? 2 * dim / machine.integer
                                                    : 2 * dim / gemm;
  const double tile = static_cast<double>(gram_tile_rows(problem.points.n(), budget));
  const double side = std::min(n, tile);
  TilePrice price;
  price.entry = base + 1 / map;
  price.entries_seconds = n * (n + tile) / 2 * price.entry;
  // Every form that the kernel uses has its own copy of dense rows.
  const Kernel& kernel = problem.kernel;
  const double copies = (kernel.uses(Form::radial) || kernel.uses(Form::differences) ? 1 : 0) +
                        (kernel.uses(Form::dot) || kernel.uses(Form::sums) ? 1 : 0) +
                        (kernel.uses(Form::angle) ? 1 : 0);
  const double number = single ? 4 : 8;
  price.points_bytes = problem.facts.integer_tiles
                           ? IntegerRows::bytes(problem.points.n(), problem.points.dim())
                       : problem.points.sparse()
                           ? static_cast<double>(problem.points.stored()) * (number + 4) + 8 * n
                           : copies * n * (dim * number + 8);
  // A tile, and for sums of terms a transposed panel of the columns.
  const double panel = terms ? side * std::min(dim, static_cast<double>(kPanelColumns)) : 0;
  price.thread_bytes = (side * side + panel) * number;
  return price;
}

}  // namespace mercer
