// Symmetric eigenproblems by LAPACK: the only LAPACK calls of the library (Fortran symbols, no
// LAPACKE). The matrix is reduced to tridiagonal form once (4/3 n^3 operations); all eigenvalues
// then cost O(n^2), and eigenvectors are made only for the ones asked for.
#pragma once

#include "mercer/core/types.h"

#include <vector>

namespace mercer {

class SymmetricReduction {
 public:
  /// Reduces the matrix; its lower triangle is read and the whole of it overwritten. It must
  /// outlive this object.
  explicit SymmetricReduction(BlockRef matrix);

  /// All eigenvalues, ascending.
  const Vector& values() const { return values_; }

  /// Orthonormal eigenvectors of the eigenvalues with these ascending positions, one column each.
  Block vectors(const std::vector<Index>& positions) const;

  /// Bytes a reduction of size n and `count` vectors takes besides the matrix itself.
  static double bytes(Index n, Index count);

 private:
  /// Whether all vectors of the tridiagonal matrix are made by divide and conquer.
  static bool takes_all(Index n, Index count);
  Block tridiagonal_all() const;
  Block tridiagonal_range(Index first, Index count) const;

  BlockRef matrix_;
  Vector diagonal_, off_diagonal_, reflectors_, values_;
};

/// One Newton step towards the nearest orthonormal columns: v <- v (3 I - v'v) / 2. Takes columns
/// that are orthonormal to 1e-8 to full precision, without turning or swapping them.
void polish_orthonormal(BlockRef v);

}  // namespace mercer
