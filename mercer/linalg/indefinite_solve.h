// Shifted symmetric systems (A - s I) x = b by LAPACK: A - s I = P L D L' P' with blocks of order 1
// and 2 in D (Bunch and Kaufman), n^3 / 3 operations, stable for either sign. The matrix stays in
// the strict upper triangle and in a copy of the diagonal, the factors take the lower one: one
// shift after the other needs no second matrix. By Sylvester's law of inertia the positive pivots
// are as many as the eigenvalues above the shift.
#pragma once

#include "mercer/core/types.h"

#include <vector>

namespace mercer {

class IndefiniteSolve {
 public:
  /// Of a square matrix whose diagonal and upper triangle are read. Its lower triangle and diagonal
  /// are overwritten, and it must outlive this object.
  explicit IndefiniteSolve(BlockRef matrix);

  /// Factors A - s I. Where that is singular, s moves by a few units of rounding of `scale`, which
  /// is about |A|. Returns the shift that was used.
  double factor(double shift, double scale);

  /// x <- (A - s I)^-1 x for the shift factored last.
  void solve(BlockRef x) const;

  /// How many eigenvalues of A lie above the shift factored last.
  Index above() const;

 private:
  void restore(double shift);
  bool vanishes(double least) const;

  BlockRef matrix_;
  Vector diagonal_;
  std::vector<int> pivots_;
};

}  // namespace mercer
