// As many leading components as a share of the variance takes, where not all eigenvalues can be
// had: the trace is known without them, so that the leading ones tell what share they are.
#pragma once

#include "mercer/models/detail/gram/fit.h"

namespace mercer::detail {

/// Where there was no time to plan for all components: those of the plan, or as few of them as
/// reach the share, if one was asked for (share > 0).
void solve_in_time(GramFit& fit, const GramProblem& problem, EigenRequest request, double share,
                   const Context& context);

/// Where there is no room for all eigenvalues: more and more components, until they reach the
/// share. Throws M233 where it takes more than a quarter of many rows, M301 where more of them do
/// not fit, naming the share that was reached.
void solve_share(GramFit& fit, const GramProblem& problem, EigenRequest request, double share,
                 const Context& context);

}  // namespace mercer::detail
