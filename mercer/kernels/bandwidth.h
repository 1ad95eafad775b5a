// Widths found from the data: the median distance between rows.
#pragma once

#include "mercer/core/budget.h"
#include "mercer/core/error.h"
#include "mercer/data/view.h"
#include "mercer/kernels/row_distance.h"

#include <functional>

namespace mercer {

struct Bandwidth {
  double median = 0;     // of the positive distances of rows i < j
  double variation = 0;  // standard deviation / mean of the squared distances
  Index pairs = 0;       // that were looked at
  bool exact = false;    // all pairs, or a sample
  Warnings warnings;
};

/// All pairs up to 2000 rows, otherwise a million random pairs with a fixed seed (relative standard
/// error about 0.05 % for well-spread data). Throws M231 when all rows are equal.
Bandwidth median_distance(DataView points, const Context& context,
                          Metric metric = Metric::euclidean);

/// The same of samples of which nothing but the square of their distances is known.
Bandwidth median_distance(Index n, const std::function<double(Index, Index)>& squared,
                          const Context& context);

}  // namespace mercer
