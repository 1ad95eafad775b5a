// A text table opened: refused where it is no text, its dialect found, its header read. Its data
// rows then come in pieces.
#pragma once

#include "mercer/io/detail/csv/dialect.h"
#include "mercer/io/detail/csv/pieces.h"

#include <string>
#include <vector>

namespace mercer::detail {

struct OpenedText {
  std::string file;      // for messages
  Index first_line = 1;  // of the table: behind the skipped lines
  Index data_line = 1;   // of the first data row, or of a blank line above it
  Dialect dialect = {};
  std::vector<std::string> header = {};  // one text per column; empty where there is none

  /// "file:line:column", counted from 1.
  std::string place(Index line, Index column) const;
};

/// Refuses what is no UTF-8 text (M203, M205, M206), empty (M201) or beyond the limits (M214,
/// M215), finds the dialect, and leaves the reader at the data rows.
OpenedText open_text(PieceReader& reader, const ReadOptions& options, std::vector<Note>& notes);

/// Refuses binary content by its first bytes: M203, M205, M206.
void check_is_text(std::string_view head, const std::string& file);

/// M207, M206, M208 and M214 with their places.
[[noreturn]] void throw_ragged(const OpenedText& table, Index found, Index line);
[[noreturn]] void throw_nul(const std::string& file, Index line);
[[noreturn]] void throw_unclosed(const std::string& file, Index line);
[[noreturn]] void throw_line_too_long(const std::string& file, Index line, Index limit);

}  // namespace mercer::detail
