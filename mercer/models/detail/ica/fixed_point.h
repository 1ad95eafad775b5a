// FastICA (Hyvarinen 1999): directions w of whitened rows along which the mean of G(w.z) is a local
// extremum, by the fixed point
//   w <- mean(z g(w.z)) - mean(g'(w.z)) w,   g = G'
// made orthonormal after each step: all at once, (W W')^-1/2 W, or one after the other, each
// against those before it. A search has converged when no direction turned: 1 - |cos| at most the
// tolerance. All at once, the fixed point finds the neighbourhood, and climb.h the place in it;
// large tables are looked at in float until the tolerance is met, and in double from there.
#pragma once

#include "mercer/models/detail/ica/passes.h"
#include "mercer/models/detail/ica/unmixing.h"

namespace mercer::detail {

enum class Approach { symmetric, deflation };

/// From the rows of `start`, which are made orthonormal first where all are sought at once. With
/// the objective: sum over the sources of |mean G(y) - that of a Gaussian source|.
Unmixing fixed_point(ConstBlockRef z, const Block& start, Contrast contrast, Approach approach,
                     const UnmixingStop& stop, const Context& context);

}  // namespace mercer::detail
