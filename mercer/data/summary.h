// What a data set looks like before anything is computed from it.
#pragma once

#include "mercer/core/budget.h"
#include "mercer/core/error.h"
#include "mercer/core/types.h"
#include "mercer/data/view.h"

namespace mercer {

struct Summary {
  Vector minimum, maximum, mean, deviation;  // per column; deviation divides by n, and is 0 for
                                             // constant columns only
  Index constant_columns = 0;
  bool all_rows_equal = false;
};

/// Per-column figures; sums are taken about the middle of each range, so that an offset costs no
/// digits. Throws M212 for the first value that is not finite. Sparse rows cost their non-zeros and
/// one look at each column.
Summary summarize(DataView points, const Context& context);

/// What a user should know about the data: W216 (digits lost to an offset), W234 (scales differ
/// widely).
Warnings warnings_about(const Summary& summary, Scalar type);

/// The largest magnitude as a power of two, inverted: multiplying by it brings all values into [-1,
/// 1] without rounding. 1 for all-zero data. Throws M212 for a value that is not finite.
double power_of_two_scale(DataView points, const Context& context);

}  // namespace mercer
