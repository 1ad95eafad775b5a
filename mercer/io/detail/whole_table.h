// What every reader does last: missing values are treated as asked, and the table tells what became
// of them.
#pragma once

#include "mercer/data/missing.h"
#include "mercer/io/table.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace mercer::detail {

/// Whether missing values are treated where the targets have been split off: they are not the
/// data's.
inline bool treats_gaps_later(const ColumnOptions& columns) {
  return !columns.targets.empty() || !columns.known.targets.empty();
}

/// What row numbers are called where they stand for names.
constexpr std::string_view kRowNumbers = "row";

/// Where rows were left out and have no names, their numbers in the file, from 1, become their
/// names: a result tells then which row it belongs to. `left`: the rows that are there, from 0.
/// Throws M301.
void name_by_numbers(Table& table, const std::vector<Index>& left, const Context& context);

/// The texts of the rows that are left.
void keep_texts_of(Table& table, const std::vector<Index>& left);

/// Puts treated data and their counts and figures into the table.
inline void take_whole(Table& table, WithoutMissing whole, const Context& context) {
  table.data = std::move(whole.data);
  if (whole.rows_dropped > 0) {
    name_by_numbers(table, whole.rows_left, context);
    keep_texts_of(table, whole.rows_left);
  }
  table.gaps.rows_dropped = whole.rows_dropped;
  table.gaps.cells_filled = whole.cells_filled;
  table.gaps.fill = std::move(whole.figures);
}

}  // namespace mercer::detail
