// A width found from the data: how far a row is from the one nearest to it.
#pragma once

#include "mercer/core/budget.h"
#include "mercer/data/view.h"
#include "mercer/kernels/row_distance.h"

namespace mercer {

/// The mean distance from a row to the nearest one that differs from it. Of many or wide rows, the
/// mean over at least 200 and at most 1000 of them, drawn with a fixed seed, each looked up among
/// all. Throws M230 for one row, M231 where all are equal.
double mean_nearest_distance(DataView points, const Context& context,
                             Metric metric = Metric::euclidean);

}  // namespace mercer
