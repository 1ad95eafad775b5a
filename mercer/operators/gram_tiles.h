// The kernel matrix of a problem, tile by tile: what the operators that store it and those that
// recompute it share. Tiles are square, numbered by row and column block, of one size that depends
// on the number of rows alone; every unordered pair of blocks is computed once.
#pragma once

#include "mercer/core/budget.h"
#include "mercer/core/parallel.h"
#include "mercer/kernels/tile.h"
#include "mercer/operators/problem.h"

#include <span>
#include <vector>

namespace mercer {

/// Rows of a tile for n rows: the budget's, or what keeps a few threads busy and a tile in cache.
Index gram_tile_rows(Index n, const Budget& budget);

template <class T>
class GramTiles {
 public:
  using Scratch = typename TileKernel<T>::Scratch;

  /// Throws M221 where values are too large. The problem's points must outlive it.
  GramTiles(const GramProblem& problem, const Context& context);

  Index n() const { return points_.n(); }
  Index tile_rows() const { return tile_; }
  Range block(Index number) const { return blocks_[static_cast<std::size_t>(number)]; }
  /// All pairs of blocks; within a round no block stands in two pairs.
  const std::vector<std::vector<TilePair>>& rounds() const { return rounds_; }
  Index tiles() const;
  const Vector& diagonal() const { return diagonal_; }
  /// What all values were divided by.
  double unit() const { return kernel_.unit(); }

  /// Values of one tile, row-major without gaps; diagonal tiles are exactly symmetric and have the
  /// diagonal of the formula.
  void fill(TilePair pair, T* out, Scratch& scratch) const;

  /// Entries at the crossings of these rows and columns.
  void entries(std::span<const Index> which, BlockRef out) const;

  /// Whole columns of the matrix, n x which.size().
  void columns(std::span<const Index> which, BlockRef out, const Context& context) const;

 private:
  Index tile_;
  Frame frame_;
  TilePoints<T> points_;
  TileKernel<T> kernel_;
  Vector diagonal_;
  std::vector<Range> blocks_;
  std::vector<std::vector<TilePair>> rounds_;
};

extern template class GramTiles<float>;
extern template class GramTiles<double>;

/// Seconds of one thread for all entries of the lower half, and what a thread's buffers take.
struct TilePrice {
  double entries_seconds = 0;
  double entry = 0;  // one entry, seconds
  double points_bytes = 0, thread_bytes = 0;
};
/// Threads whose buffers a price counts, whatever their number: a plan must not depend on it.
constexpr double kThreadsPriced = 8;

TilePrice price_tiles(const GramProblem& problem, const Machine& machine, Precision precision,
                      const Budget& budget);

}  // namespace mercer
