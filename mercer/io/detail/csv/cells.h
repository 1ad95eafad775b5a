// Text cut into rows of cells, as views into it. A cell that begins with a double quote ends with
// the next lone one; a doubled quote inside stands for one, and delimiters and line ends inside
// belong to the cell. With a space as delimiter, runs of spaces and tabs count as one. Blank lines
// are passed over.
#pragma once

#include "mercer/core/index.h"

#include <string>
#include <string_view>
#include <vector>

namespace mercer::detail {

struct Cell {
  std::string_view text;  // without blanks around it and without its quotes
  bool quoted = false;
  bool doubled = false;  // holds doubled quotes, see plain_text()
};

/// The cell's text with doubled quotes made single.
std::string plain_text(const Cell& cell);

/// Writes a text so that it reads back as the same cell, in quotes where it needs them.
void append_cell(std::string& out, std::string_view text, char delimiter);

/// Where one is in a text, and what its characters mean. `line_end` is '\n' (a '\r' before it is
/// blank) or '\r'.
struct CellCursor {
  const char* position;
  const char* end;
  char delimiter, line_end;
  Index line = 1;           // of the position
  Index unclosed_line = 0;  // of a quote that is never closed; 0 when there is none

  /// The cell that begins here; the position is then at the delimiter or line end behind it.
  Cell read_cell();
  /// Blanks around cells; with a space as delimiter, what stands between them.
  bool is_blank(char c) const {
    return (c == ' ' || c == '\t' || c == '\r') && (c != delimiter || delimiter == ' ') &&
           c != line_end;
  }
  bool ends_cell(char c) const {
    return c == line_end || c == delimiter || (delimiter == ' ' && c == '\t');
  }
  void skip_blanks() {
    while (position != end && is_blank(*position)) ++position;
  }

 private:
  Cell read_quoted();
};

class RowReader {
 public:
  /// `first_line` is the number of the first line.
  RowReader(std::string_view content, char delimiter, char line_end, Index first_line = 1);

  /// The next row that is not blank; false at the end, and when a quote is never closed.
  bool next(std::vector<Cell>& cells);

  /// Number of the line on which the latest row begins.
  Index line() const { return row_line_; }
  /// Number of the line that comes next.
  Index next_line() const { return cursor_.line; }
  /// Bytes consumed.
  Index position() const { return cursor_.position - begin_; }
  /// The line of a quote that is never closed; 0 when there is none.
  Index unclosed_line() const { return cursor_.unclosed_line; }

 private:
  void read_row(std::vector<Cell>& cells);
  void read_spaced_row(std::vector<Cell>& cells);

  const char* begin_;
  CellCursor cursor_;
  Index row_line_ = 0;
};

/// The length of the text up to the end of its last complete row, quotes respected; 0 where no row
/// is complete. The text begins with a row.
std::size_t complete_rows(std::string_view text, char delimiter, char line_end);

}  // namespace mercer::detail
