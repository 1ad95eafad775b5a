// Down the contrast of kernel ICA from one place: along geodesics w <- exp(t A) w of the orthogonal
// group, A from the slopes by the limited memory of BFGS, t halved until the contrast falls by a
// share of what the slope promises (Armijo).
#pragma once

#include "mercer/models/detail/ica/unmixing.h"
#include "mercer/models/detail/kica/objective.h"

namespace mercer::detail {

/// From orthonormal w. It has converged where the last step, at its full length, turned no
/// direction by more than the tolerance, 1 - cos, or no step that rounding lets through goes down.
/// The objective is the contrast; what it was at the start goes to `before` where that is not null.
Unmixing descend(KicaObjective& objective, const Block& w, const UnmixingStop& stop,
                 const Context& context, double* before = nullptr);

}  // namespace mercer::detail
