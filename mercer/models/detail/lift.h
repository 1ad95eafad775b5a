// From the small problem of a factor back to the rows.
#pragma once

#include "mercer/models/detail/gram_fit.h"
#include "mercer/operators/factored.h"

namespace mercer::detail {

/// Directions w of the small problem become unit vectors over the rows, u = F w / sqrt(mu), and
/// eigenvalues and bounds those of the Gram matrix; w stays in `primal`.
void lift(GramFit& fit, const FactoredOperator& factor, const Context& context);

}  // namespace mercer::detail
