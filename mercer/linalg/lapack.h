// Symmetric eigenproblems. The matrix is reduced to tridiagonal form once (4/3 n^3 operations); all
// eigenvalues then cost O(n^2), and eigenvectors are made only for the ones asked for. LAPACK gives
// the eigenvalues of the tridiagonal matrix and few of its vectors (Fortran symbols, no LAPACKE);
// the reduction, the way back and all vectors are our own, on all threads, and can be stopped.
#pragma once

#include "mercer/core/budget.h"
#include "mercer/core/types.h"
#include "mercer/linalg/tridiagonal.h"

#include <vector>

namespace mercer {

/// A context of one thread that nothing stops: for small matrices.
const Context& one_thread();

class SymmetricReduction {
 public:
  /// Reduces the matrix; its lower triangle is read and the whole of it overwritten. It must
  /// outlive this object.
  explicit SymmetricReduction(BlockRef matrix, const Context& context = one_thread(),
                              WhenLate late = WhenLate::fail);

  /// All eigenvalues, ascending; Ritz values where the time was over before the end.
  const Vector& values() const { return values_; }

  /// Whether the whole matrix was reduced; where it was not, its columns that were.
  bool complete() const { return form_.steps == matrix_.rows(); }
  Index steps() const { return form_.steps; }

  /// Orthonormal eigenvectors of the eigenvalues with these ascending positions, one column each.
  Block vectors(const std::vector<Index>& positions) const { return found(positions).vectors; }

  struct Found {
    Block vectors;
    Vector residuals;  // |A v - value v|, rounding apart: 0 where the reduction is complete
  };
  Found found(const std::vector<Index>& positions) const;

  /// From now on the time does not run out: there is an answer to be worked up.
  void go_on_untimed();

  /// Bytes a reduction of size n and `count` vectors takes besides the matrix itself.
  static double bytes(Index n, Index count);

 private:
  /// Whether the vectors of the tridiagonal matrix are made by divide and conquer.
  static bool takes_all(Index n, Index count);
  Block tridiagonal_range(Index first, Index count) const;
  Block tridiagonal_ranges(const std::vector<Index>& positions) const;

  BlockRef matrix_;
  Context context_;
  Tridiagonal form_;
  Vector values_;
};

/// One Newton step towards the nearest orthonormal columns: v <- v (3 I - v'v) / 2. Takes columns
/// that are orthonormal to 1e-8 to full precision, without turning or swapping them.
void polish_orthonormal(BlockRef v, const Context& context = one_thread());

}  // namespace mercer
