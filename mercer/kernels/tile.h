// Tiles: blocks of the kernel matrix, the only fast path. One matrix product gives the dot products
// of all pairs (or one vectorised walk their sums of terms, or byte instructions the exact products
// of whole numbers), one vectorised map turns them into kernel values in place. T is float or
// double.
#pragma once

#include "mercer/core/budget.h"
#include "mercer/core/types.h"
#include "mercer/kernels/frame.h"
#include "mercer/kernels/integer_tile.h"
#include "mercer/kernels/kernel.h"
#include "mercer/kernels/tile_points.h"

#include <vector>

namespace mercer {

/// Rows a tile has unless the budget says otherwise: a double tile fills 2 MB, so does a float32
/// panel of 784.
constexpr Index kTileRows = 512;
/// Coordinates that are summed at once where distances or terms are: a panel of them has at most 16
/// MB, however wide the table. By the width alone, so that an entry's sum has the same parts in
/// every tile.
constexpr Index kPanelColumns = 4096;

/// Whether tiles hold values as they are, or over a power of four that brings them near 1.
enum class Values { plain, in_units };

/// Evaluates tiles. Immutable; fill() may be called from many threads, each with its own scratch.
template <class T>
class TileKernel {
 public:
  /// Work space of one thread; grows as needed.
  struct Scratch {
    std::vector<T> base_radial, base_dot, base_angle, factor, product, transposed, part;
    SparseScratch<T> sparse;
    IntegerScratch integer;
  };

  TileKernel(const Kernel& kernel, const Frame& frame, Values values = Values::plain);

  /// What values were divided by; 1 where they are plain or near 1.
  double unit() const { return unit_; }

  /// out(i, j) = k(a_i, b_j) for the given rows of a and b, row-major with leading dimension ldo.
  void fill(const TilePoints<T>& a, Range rows, const TilePoints<T>& b, Range cols, T* out,
            Index ldo, Scratch& scratch) const;

  /// k(x, x) of every row, from the formula and never from a tile (0 where the frame says
  /// less_diagonal).
  Vector diagonal(const TilePoints<T>& points) const;

 private:
  struct Pair;  // the rows and columns of one tile

  void base(Form form, const Pair& pair, T* out, Index ldo, Scratch& scratch) const;
  void sums(const AnyFamily& family, const Pair& pair, T* out, Index ldo, Scratch& scratch) const;
  void map(const AnyFamily& family, const Pair& pair, T* tile, Index ldt) const;
  void fill_one(const AnyFamily& family, const Pair& pair, T* out, Index ldo,
                Scratch& scratch) const;

  std::vector<KernelTerm> terms_;  // families rescaled to the frame
  double unit_ = 1;
  bool direct_;
};

extern template class TileKernel<float>;
extern template class TileKernel<double>;

/// Throws M221 when k(x, x) of some row is not finite, or so large that sums over n rows would
/// overflow.
void check_diagonal(const Vector& diagonal);

}  // namespace mercer
