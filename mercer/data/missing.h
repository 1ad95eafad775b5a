// Missing values are NaN. They are refused, their rows left out, or filled in with the mean or the
// median of the column's other values. Infinite values are never filled in: they are no absence but
// a result.
#pragma once

#include "mercer/data/dataset.h"

#include <string_view>

namespace mercer {

/// What to do with rows that have NaN; spelt as on the command line.
enum class Missing { error, drop, mean, median };

/// Throws M102 for another name.
Missing missing_policy(std::string_view name);

struct WithoutMissing {
  Dataset data;
  Index rows_dropped = 0;
  Index cells_filled = 0;
};

/// Data without NaN; those that have none are passed through without a copy. Throws M212 with row
/// and column: for any NaN under `error`, for a column or table of nothing but NaN otherwise, and
/// always for infinity.
WithoutMissing treat_missing(Dataset data, Missing policy);

}  // namespace mercer
