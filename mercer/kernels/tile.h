// Tiles: blocks of the kernel matrix, the only fast path. One matrix product gives the dot products
// of all pairs, one vectorised map turns them into kernel values in place. T is float or double.
#pragma once

#include "mercer/core/budget.h"
#include "mercer/core/types.h"
#include "mercer/kernels/frame.h"
#include "mercer/kernels/kernel.h"

#include <vector>

namespace mercer {

/// Rows a tile has unless the budget says otherwise: a double tile fills 2 MB, so does a float32
/// panel of 784.
constexpr Index kTileRows = 512;

/// Rows in the precision and frame of a kernel: the copy that tiles are computed from.
template <class T>
class TilePoints {
 public:
  TilePoints(const Kernel& kernel, const Frame& frame, DataView rows, const Context& context);

  Index n() const { return n_; }
  Index dim() const { return dim_; }
  /// What the copy of n rows takes.
  static double bytes(const Kernel& kernel, Index n, Index dim);

 private:
  template <class>
  friend class TileKernel;
  using Rows = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  using Norms = Eigen::Matrix<T, Eigen::Dynamic, 1>;
  Index n_, dim_;
  Rows centred_, plain_;  // for radial and dot families; whichever the kernel uses
  Norms norms_;           // |centred row|^2
  Vector plain_norms_;    // |plain row|^2 in double, for the diagonal
};

/// Evaluates tiles. Immutable; fill() may be called from many threads, each with its own scratch.
template <class T>
class TileKernel {
 public:
  /// Work space of one thread; grows as needed.
  struct Scratch {
    std::vector<T> base_radial, base_dot, factor, product, transposed;
  };

  TileKernel(const Kernel& kernel, const Frame& frame);

  /// out(i, j) = k(a_i, b_j) for the given rows of a and b, row-major with leading dimension ldo.
  void fill(const TilePoints<T>& a, Range rows, const TilePoints<T>& b, Range cols, T* out,
            Index ldo, Scratch& scratch) const;

  /// k(x, x) of every row, from the formula and never from a tile (k - 1 where the frame says
  /// minus_one).
  Vector diagonal(const TilePoints<T>& points) const;

 private:
  void radial_base(const TilePoints<T>& a, Range rows, const TilePoints<T>& b, Range cols, T* out,
                   Index ldo, Scratch& scratch) const;
  void map(const AnyFamily& family, const TilePoints<T>& a, Range rows, const TilePoints<T>& b,
           Range cols, T* tile, Index ldt) const;

  std::vector<KernelTerm> terms_;  // families rescaled to the frame
  bool direct_;
  bool radial_, dot_;
};

extern template class TilePoints<float>;
extern template class TilePoints<double>;
extern template class TileKernel<float>;
extern template class TileKernel<double>;

/// Throws M221 when k(x, x) of some row is not finite, or so large that sums over n rows would
/// overflow.
void check_diagonal(const Vector& diagonal);

}  // namespace mercer
