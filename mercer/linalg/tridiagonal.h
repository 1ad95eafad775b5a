// Reduction of a symmetric matrix to tridiagonal form, Q'AQ = T, by Householder reflections in
// panels, as LAPACK's dsytrd does it (Dongarra, Sorensen, Hammarling 1989), but on all threads and
// with an end at any time.
//
// Half of the 4/3 n^3 operations are products of what is left of the matrix with one vector, at the
// speed of memory; the other half are updates of rank 2b by matrix products. Both are cut into
// tasks by the size alone, and sums are added up in the order of the tasks.
//
// After c columns the leading c x c part of T is Q_c'A Q_c: what Lanczos' method from e_1 has after
// c steps, perfectly orthogonal. So an early end leaves Ritz values, and with the entry of T that
// couples them to the rest their residuals: |A y - theta y| = coupling |s_c|, y = Q_c s.
#pragma once

#include "mercer/core/budget.h"
#include "mercer/core/types.h"

namespace mercer {

/// What to do when the time allowed is over in the middle.
enum class WhenLate { fail, keep };

struct Tridiagonal {
  Vector diagonal, off_diagonal;  // of T: as many as steps, and one less
  Vector reflectors;              // factors tau of H = I - tau v v'; v stays in the matrix
  Index steps = 0;                // columns reduced: n, or fewer after an early end
  double coupling = 0;            // |T(steps, steps - 1)|, 0 where all are reduced
  double unit = 1;                // T is that of the matrix divided by this, a power of two
};

/// Overwrites the matrix, of which it reads the lower triangle: column j then holds the vector v of
/// reflection j, below its leading 1 in row j + 1. Throws M303 when the time is over, unless what
/// is known is to be kept; M601 where the matrix is not finite.
Tridiagonal reduce_to_tridiagonal(BlockRef matrix, WhenLate late, const Context& context);

/// Bytes it takes besides the matrix.
double tridiagonal_bytes(Index n);

/// z <- Q z, for z with as many rows as the matrix: back from the tridiagonal basis.
void apply_reflectors(ConstBlockRef matrix, const Tridiagonal& t, BlockRef z,
                      const Context& context);

}  // namespace mercer
