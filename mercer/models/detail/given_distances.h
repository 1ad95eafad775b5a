// Given distances as numbers of our own, with a constant added to them.
#pragma once

#include "mercer/core/budget.h"
#include "mercer/core/types.h"
#include "mercer/data/view.h"
#include "mercer/operators/given.h"

namespace mercer::detail {

/// The mean of both halves, of squared distances its root, with zeros on the diagonal.
Points symmetric_distances(DataView matrix, Given given, const Context& context);

/// The same with c added to all but the diagonal.
Points raised(const Points& distances, double c, const Context& context);

/// Distances of new rows from the samples (of `squares` the roots), with c added. A distance of 0
/// is that of a sample to itself, to which nothing is added. Throws M245 for negative ones.
Points raised_rows(DataView rows, double c, bool squares);

/// The distances of one new row, times `scale`; `number` is what messages call the row. Throws
/// M245.
void take_distances(double* row, Index count, Given given, double scale, Index number);

}  // namespace mercer::detail
