// A range from landmark rows: K ~ F F' by randomly pivoted Cholesky, F centred, F'F = V mu V', so
// that the orthonormal functions of the landmarks are U = F V mu^-1/2. Costs n l^2 operations and
// one factor of n x l numbers for l landmarks, whatever the kernel's spectrum.
#pragma once

#include "mercer/models/detail/discriminant/kernel_range.h"

namespace mercer::detail {

/// Throws M102 for a kernel that has no such factor.
void check_landmarks(const GramProblem& problem, const RangeAsked& asked);

/// Throws M244, M301.
KernelRange landmark_range(const GramProblem& problem, const RangeAsked& asked,
                           const Context& context);

}  // namespace mercer::detail
