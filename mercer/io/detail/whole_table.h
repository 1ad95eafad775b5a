// What every reader does last: missing values are treated as asked, and the table tells what became
// of them.
#pragma once

#include "mercer/data/missing.h"
#include "mercer/io/table.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace mercer::detail {

/// Whether missing values are treated where the targets have been split off: they are not the
/// data's.
inline bool treats_gaps_later(const ColumnOptions& columns) {
  return !columns.targets.empty() || !columns.known.targets.empty();
}

/// Puts treated data and their counts and figures into the table.
inline void take_whole(Table& table, WithoutMissing whole) {
  table.data = std::move(whole.data);
  table.gaps.rows_dropped = whole.rows_dropped;
  table.gaps.cells_filled = whole.cells_filled;
  table.gaps.fill = std::move(whole.figures);
}

}  // namespace mercer::detail
