// Text cut into rows of cells, as views into it. A cell that begins with a double quote ends with
// the next lone one; a doubled quote inside stands for one, and delimiters and line ends inside
// belong to the cell. With a space as delimiter, runs of spaces and tabs count as one. Blank lines
// are passed over.
#pragma once

#include "mercer/core/types.h"

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

class RowReader {
 public:
  /// `line_end` is '\n' (a '\r' before it is blank) or '\r'; `first_line` is the number of the
  /// first line.
  RowReader(std::string_view content, char delimiter, char line_end, Index first_line = 1);

  /// The next row that is not blank; false at the end, and when a quote is never closed.
  bool next(std::vector<Cell>& cells);

  /// Number of the line on which the latest row begins.
  Index line() const { return row_line_; }
  /// Bytes consumed.
  Index position() const { return position_ - begin_; }
  /// The line of a quote that is never closed; 0 when there is none.
  Index unclosed_line() const { return unclosed_line_; }

 private:
  void read_row(std::vector<Cell>& cells);
  void read_spaced_row(std::vector<Cell>& cells);
  Cell read_cell();
  Cell read_quoted();
  bool is_blank(char c) const;
  bool ends_cell(char c) const;

  const char* begin_;
  const char* position_;
  const char* end_;
  char delimiter_, line_end_;
  Index next_line_, row_line_ = 0, unclosed_line_ = 0;
};

}  // namespace mercer::detail
