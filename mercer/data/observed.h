// Rows with gaps (NaN), for methods that take them as they are: where the gaps are, and figures of
// the values that are there.
#pragma once

#include "mercer/core/budget.h"
#include "mercer/core/types.h"
#include "mercer/data/summary.h"
#include "mercer/data/view.h"

#include <vector>

namespace mercer {

/// Whether any value is NaN. Throws M212 for the first infinite one.
bool has_gaps(DataView points, const Context& context);

/// What is there of rows with gaps.
struct Observed {
  Summary summary;  // of the values of each column; all_rows_equal is not looked for
  Vector counts;    // of them
  Index cells = 0;  // all of them
};

/// Throws M212 for a row or a column without any value, and for infinite ones.
Observed summarize_observed(DataView points, const Context& context);

/// Rows with values in the same columns.
struct Pattern {
  Index first_row = 0;      // one of the rows
  std::vector<Index> rows;  // all of them, rising
  bool whole = false;       // nothing is missing
};

/// The patterns of some rows, in the order in which they first occur.
std::vector<Pattern> patterns_of(DataView points, const Context& context);

}  // namespace mercer
