// Fits whose answer is changed after the search: stated by what was measured of the new one.
#pragma once

#include "mercer/models/detail/gram/fit.h"

namespace mercer::detail {

/// The answer is that of other vectors than the search's: no residual is less than it was, and none
/// less than what was measured of them.
void restate(GramFit& fit, const Vector& measured);

/// How far each eigenvalue found may be from the true one: its residual, or its enclosure where
/// that is narrower.
Vector unknown_of(const Spectrum& spectrum);

/// Leaves out all but the first components.
void keep_components(GramFit& fit, Index kept);

}  // namespace mercer::detail
