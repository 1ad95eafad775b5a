// Products of a symmetric matrix with a block of few vectors, tile by tile. A tile K of rows I and
// columns J serves both sides of the diagonal:
//   y_I += K x_J    and    y_J += K' x_I
// BLAS has no call that reads K once for both, and its products with 1 to 100 columns stay far
// below what the processor can do. Sums over at most 512 terms are kept in T, then added to y in
// double. The order is fixed: nothing depends on threads.
#pragma once

#include "mercer/core/budget.h"
#include "mercer/core/types.h"

#include <cstdint>
#include <vector>

namespace mercer {

/// The block of vectors x, in T (float or double), in the layouts the loops like. Immutable.
template <class T>
class SkinnyProduct {
 public:
  /// Packs x (n x b). Tiles begin at multiples of `part` and have at most `part` rows and columns.
  /// `units`: each column is divided by its own, a power of two, where they may be too large for T.
  SkinnyProduct(ConstBlockRef x, Index part, const Context& context, const Vector* units = nullptr);

  /// Bytes that packing x (n x b) takes.
  static std::uint64_t bytes(Index n, Index b, Index part);

  /// What one thread needs; not to be shared between threads.
  struct Scratch {
    std::vector<T> edge;
    const T* next = nullptr;  // where the next tile begins, if that is known: memory is asked early
  };

  /// y_rows += K x_cols and y_cols += K' x_rows for a row-major tile K; y is n x b. Of a diagonal
  /// tile (rows == cols), which must be full and symmetric, only the first.
  void add(const T* tile, Index ld, Range rows, Range cols, BlockRef y, Scratch& scratch) const;

  /// y_rows += K x_cols only: K is new rows, which index y, against the rows of x.
  void add_rows(const T* tile, Index ld, Range rows, Range cols, BlockRef y,
                Scratch& scratch) const;

 private:
  using Storage = Eigen::Matrix<T, Eigen::Dynamic, 1>;  // aligned to 64 bytes

  void pack(ConstBlockRef x, Range rows, const Vector* units);
  void run(const T* tile, Index ld, Range rows, Range cols, BlockRef& y, Scratch& scratch,
           bool both) const;

  Index n_, b_, part_;
  Index ldc_, ldr_;
  Storage by_columns_;  // part by part, each column-major, ldc_ rows with zeros at the end
  Storage by_rows_;     // n x b, row-major
};

extern template class SkinnyProduct<float>;
extern template class SkinnyProduct<double>;

/// Sum of the squares of a row-major tile, in double.
template <class T>
double sum_of_squares(const T* tile, Index rows, Index cols, Index ld);
template <>
double sum_of_squares(const float* tile, Index rows, Index cols, Index ld);
template <>
double sum_of_squares(const double* tile, Index rows, Index cols, Index ld);

}  // namespace mercer
