// Vectors of a centred matrix lie in its range, found ones only nearly: a small component has a
// share of the constant as large as its residual beside its own eigenvalue. Models take that out of
// their coefficients, which new rows rely on; done afterwards it would leave scores that are not
// orthogonal.
#pragma once

#include "mercer/solvers/eigen.h"

namespace mercer::detail {

/// Takes the span of `removed` (orthonormal columns) out of the vectors and makes them orthonormal
/// again, the leading ones first; images and residuals follow. Components that lie in that span
/// are cut off with all that come after them.
void recentre(EigenResult& eigen, const Block& removed);

}  // namespace mercer::detail
