// Whether an answer is what was asked for, and what a user should know of it: the last step of a
// fit.
#pragma once

#include "mercer/models/detail/gram/fit.h"

namespace mercer::detail {

/// Adds what the model's own use of the vectors may add to residuals and bounds, marks the fit as
/// converged or not, and warns: of a tolerance not reached, a rank lower than asked, clusters that
/// are cut, kernels so wide or so narrow that nothing is left to see.
void give_verdict(GramFit& fit, const GramProblem& problem, const Components& components,
                  const EigenRequest& request, const Context& context);

}  // namespace mercer::detail
