// All eigenvectors of a symmetric tridiagonal matrix by divide and conquer (Cuppen 1981; Gu and
// Eisenstat 1995): T is torn into two halves and a matrix of rank one; the halves' eigenpairs and
// the roots of a secular equation give those of T. LAPACK's dstedc, but on all threads and with a
// check between steps: the deflation and the roots are LAPACK's own (dlaed2, dlaed4), halves are
// independent, and the products that join them are cut into tiles.
#pragma once

#include "mercer/core/budget.h"
#include "mercer/core/types.h"

#include <vector>

namespace mercer {

/// Orthonormal eigenvectors of the eigenvalues with these ascending positions. `diagonal` has n
/// numbers, `off_diagonal` at least n - 1. Takes 16 n^2 bytes besides; throws M600 where LAPACK
/// fails.
Block tridiagonal_vectors(const Vector& diagonal, const Vector& off_diagonal,
                          const std::vector<Index>& positions, const Context& context);

}  // namespace mercer
