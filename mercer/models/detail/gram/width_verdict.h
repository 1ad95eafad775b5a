// Whether the width of a kernel lets anything be seen, judged by what was found: a spectrum as flat
// as that of rows without neighbours, or components that are those of linear PCA.
#pragma once

#include "mercer/models/detail/gram/fit.h"

namespace mercer::detail {

/// W235 and W236, for centred kernels with k(x, x) = 1.
void warn_of_width(GramFit& fit, const GramProblem& problem, const Context& context);

}  // namespace mercer::detail
