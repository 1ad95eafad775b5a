// Columns judged as a whole: numeric, text or empty. A column that is mostly numbers with some text
// is a mistake in the file and refused with the place of the first such cell, not guessed at.
#pragma once

#include "mercer/io/detail/column_choice.h"
#include "mercer/io/detail/csv/values.h"

#include <string>
#include <vector>

namespace mercer::detail {

/// Places in CsvValues::columns(), each list ascending.
struct ColumnTypes {
  std::vector<std::size_t> numeric, text, empty;
  std::vector<std::size_t> extra;  // numbers that nobody asked for: whatever else is in them
  std::vector<std::size_t>
      encoded;  // texts that are to become numbers, also where they are numbers
};

struct Judging {
  bool rejects = false;     // rows that cannot be read are left out, not refused
  bool keep_empty = false;  // columns without any value are numeric: somebody else fills them
  std::vector<bool> encoded = {};  // of each column: whatever it holds are texts; empty: of none
  std::vector<bool> extra = {};  // of each column of the file: nobody asked for it; empty: for all
};

/// Throws M209 (1,234.5) and, unless such rows are to be rejected, M204 (text), M213 (1e400) and
/// M212 (infinity) for cells of numeric columns; adds W213 for numbers that became 0.
ColumnTypes judge_columns(const OpenedText& table, const CsvValues& values,
                          const std::vector<std::string>& names, Judging how, Warnings& warnings);

/// Throws M211 with the names of the columns that hold text.
[[noreturn]] void throw_nothing_numeric(const OpenedText& table,
                                        const std::vector<std::string>& names,
                                        const std::vector<Index>& text_columns);

/// Throws M212 with counts and the first place when a numeric column lacks cells, but for those
/// that may. Gaps in named targets cannot be filled in.
void check_none_missing(const OpenedText& table, const CsvValues& values, const ColumnTypes& types,
                        const std::vector<std::string>& names, const ColumnChoice& choice);

}  // namespace mercer::detail
