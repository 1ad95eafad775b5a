// Whether a symmetric matrix M is positive definite, by Cholesky's factorisation M = L L': n^3 / 3
// operations, nearly all of them matrix products on tiles, on all threads, stopped between tiles.
//
// Where it runs to its end, L L' = M + dM with |dM| <= g |L||L'| in every entry, g = (n+1) u / (1 -
// (n+1) u), whatever the order of the sums (Higham, Accuracy and Stability, theorem 10.3): no
// eigenvalue of M is below -|dM|_2, and the largest row sum of |L||L'|, which one more look at L
// gives, bounds that norm. Where a pivot is not positive, the rows before it give a vector x with
// x'M x <= 0; the row is then left out, and the factorisation goes on for further ones.
#pragma once

#include "mercer/core/budget.h"
#include "mercer/core/types.h"

namespace mercer {

struct DefiniteTest {
  bool definite = false;
  double error = 0;  // where it is definite: its eigenvalues are all above -error
  Block directions;  // where it is not: independent unit columns x with x'M x <= 0, to rounding
};

/// Reads the lower triangle and the diagonal, and overwrites them; what is above stays. Stops after
/// `most` directions, at least 1.
DefiniteTest test_definite(BlockRef matrix, Index most, const Context& context);

/// x <- (L L')^-1 x for the factor that test_definite left below and on the diagonal.
void solve_definite(ConstBlockRef factor, BlockRef x, const Context& context);

}  // namespace mercer
