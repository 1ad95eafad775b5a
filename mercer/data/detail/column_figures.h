// Mean and median of each column's values that are not NaN, in any range of exponents. The zeros
// that sparse rows do not store are values like others; they are counted, never written out, so
// that the cost is that of the non-zeros and one look at each column.
#pragma once

#include "mercer/core/types.h"
#include "mercer/data/view.h"

namespace mercer::detail {

/// Of rows that stand one after the other, or are sparse. NaN for a column of nothing but NaN.
Vector column_means(DataView rows);
Vector column_medians(DataView rows);

}  // namespace mercer::detail
