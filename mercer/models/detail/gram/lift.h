// From the small problem of a factor back to the rows.
#pragma once

#include "mercer/models/detail/gram/fit.h"
#include "mercer/operators/factored.h"

namespace mercer::detail {

/// Directions w of the small problem become unit vectors over the rows, u = F w / sqrt(mu), and
/// eigenvalues and bounds those of the Gram matrix; w stays in `primal`. Returns the w with u = F
/// w.
///
/// Rounding leaves w_j some 1e-16 of larger directions, which F blows up by sqrt(mu_i / mu_j): so
/// the vectors are made orthonormal on the rows, each against the larger ones before it, and
/// `primal` follows. Where the model scores by unit directions (`by_axes`) no vector over the rows
/// is made: what it gives is F w.
Block lift(GramFit& fit, const FactoredOperator& factor, bool by_axes, const Context& context);

/// |K u - mu u| of lifted vectors, u = F w, K = F F' without what the factor leaves out of it: by
/// the small matrix, with all that products through it may be off, where that already is within the
/// tolerance and small beside each eigenvalue; measured on the rows elsewhere. `u`:
/// null where scores are by axes.
Vector lifted_residuals(const FactoredOperator& factor, ConstBlockRef w, const Block* u,
                        const Vector& values, double tolerance, const Context& context);

/// Keeps the first components, what scores new rows included.
void keep_lifted(GramFit& fit, Index kept);

}  // namespace mercer::detail
