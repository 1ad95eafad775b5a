// An operator whose entries are far from 1 gives them over a power of four; what was found for it
// is brought back here.
#pragma once

#include "mercer/models/detail/gram/fit.h"

namespace mercer::detail {

/// Multiplies everything that is as large as the kernel's values, or as its eigenvalues.
void leave_unit(GramFit& fit, double unit);

}  // namespace mercer::detail
