// The preconditioner of residuals from a low-rank matrix A~ = U diag(nu) U' close to the operator:
//
//   theta (theta - A~)^-1 r = r + sum_i (theta / (theta - nu_i) - 1) u_i (u_i' r).
//
// Where A~ is A itself this is the Newton direction of the eigenpair; components at nu_i near theta
// belong to the Ritz vector and would drown all others.
#pragma once

#include "mercer/core/budget.h"
#include "mercer/core/types.h"
#include "mercer/linalg/low_rank.h"

namespace mercer {

/// Preconditions each column, the residual of the Ritz value with the same number.
void precondition(BlockRef residuals, ConstVectorRef ritz_values, const LowRank& near,
                  const Context& context);

}  // namespace mercer
