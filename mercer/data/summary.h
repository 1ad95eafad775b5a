// What a data set looks like before anything is computed from it.
#pragma once

#include "mercer/core/budget.h"
#include "mercer/core/error.h"
#include "mercer/core/types.h"
#include "mercer/data/view.h"

#include <cmath>
#include <vector>

namespace mercer {

struct Summary {
  Vector minimum, maximum, mean, deviation;  // per column; deviation divides by n, and is 0 for
                                             // constant columns only
  Index constant_columns = 0;
  bool all_rows_equal = false;
};

/// Per-column figures; sums are taken about the middle of each range, so that an offset costs no
/// digits. Throws M212 for the first value that is not finite, M301 for more columns than there is
/// memory for. Sparse rows cost their non-zeros and one look at each column.
Summary summarize(DataView points, const Context& context);

/// What all columns together look like.
struct Overview {
  Index constant_columns = 0;
  std::vector<Index> first_constant;  // the first of them, at most 4
  bool all_rows_equal = false;
  double widest = 0, narrowest = HUGE_VAL;  // deviations of the columns that vary
  double largest_offset = 0;                // of |value| / deviation
};

/// The same figures, but of some columns at a time: memory does not grow with their number. Throws
/// M212, M301.
Overview look_over(DataView points, const Context& context);

/// What a user should know about the data: W216 (digits lost to an offset).
Warnings warnings_about(const Overview& overview, Scalar type);

/// The largest magnitude as a power of two, inverted: multiplying by it brings all values into [-1,
/// 1] without rounding. 1 for all-zero data. Throws M212 for a value that is not finite.
double power_of_two_scale(DataView points, const Context& context);

}  // namespace mercer
