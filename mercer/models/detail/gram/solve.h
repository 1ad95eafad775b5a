// Solving the eigenproblem of a planned fit: builds the operator, centres it, runs the solver,
// measures the answer. Float tiles are checked against float64 rows and, where they do not support
// the tolerance, followed by passes in double; a proof that fails is replaced by the dense solver
// where the data are few.
#pragma once

#include "mercer/models/detail/gram/fit.h"

namespace mercer::detail {

/// Fills in the eigenpairs, means, affine parts and certificate of the fit, by its plan.
void solve_gram(GramFit& fit, const GramProblem& problem, const EigenRequest& request,
                const Context& context);

}  // namespace mercer::detail
