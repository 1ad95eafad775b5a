// One piece of a text table: its numbers, row-major, the texts of the columns whose texts are
// wanted, and what else was found. Pieces know nothing of each other, so that they can be read at
// the same time; lines are counted from 0 within each.
#pragma once

#include "mercer/core/memory_account.h"
#include "mercer/io/detail/csv/cells.h"
#include "mercer/io/detail/csv/dialect.h"
#include "mercer/io/detail/csv/tally.h"

#include <cstdint>
#include <string_view>
#include <vector>

namespace mercer::detail {

/// Where a column's cells go: places among the number columns and the text columns, or nowhere.
struct ParsedColumn {
  std::int32_t number = -1;
  std::int32_t text = -1;
};

struct ParsePlan {
  const Dialect& dialect;
  std::vector<ParsedColumn> uses;  // one per column
  std::size_t numbers = 0;         // columns read as numbers
  std::size_t texts = 0;           // columns kept as texts
  bool rejects = false;            // pass over ragged rows, and keep the lines of the others
};

struct RaggedRow {
  Index line = 0;
  Index found = 0;
  std::string_view text;
};

/// The texts are views into the piece.
struct PieceValues {
  std::vector<double> values;            // at least rows * numbers
  std::vector<std::vector<Cell>> texts;  // by text column
  Tallies tallies;                       // by number column
  Index rows = 0, lines = 0;
  std::vector<Index> row_lines;   // with rejects only
  std::vector<RaggedRow> ragged;  // the first one ends the reading, unless there are rejects
  Index unclosed_line = -1;       // of a quote that is never closed
  Index nul_line = -1;            // of a zero byte
  MemoryAccount::Hold hold;       // counts all but the values,
  std::uint64_t uncounted = 0;    // where it is more than this

  /// Empty again, but for the space of the values and the counting, which begins anew.
  void forget();
};

/// Reads a piece that ends with a line end and is padded as quick_number() needs it. Throws M301.
void parse_piece(std::string_view text, const ParsePlan& plan, PieceValues& result);

}  // namespace mercer::detail
