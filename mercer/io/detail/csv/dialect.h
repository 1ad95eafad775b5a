// How a text table is written: delimiter, decimal mark, line ends, titles above it, header. What
// the options do not say is found by trying each delimiter on the first rows and taking the one
// that gives rows of equal length with the most numbers; every such guess becomes a Note.
#pragma once

#include "mercer/io/detail/csv/number.h"
#include "mercer/io/table.h"

#include <string_view>
#include <vector>

namespace mercer::detail {

struct Dialect {
  char delimiter = ',';
  char line_end = '\n';
  NumberStyle style;
  Index columns = 0;     // cells of a row
  Index title_rows = 0;  // rows above the header or the data that are passed over
  bool header = false;
  bool trailing = false;   // rows may end with one more delimiter
  bool row_names = false;  // the header lacks a name for the first column, as R writes it
};

/// Throws M102 for options that exclude each other. `content` holds at least one row; of a long
/// text its beginning is enough.
Dialect find_dialect(std::string_view content, char line_end, const ReadOptions& options,
                     std::vector<Note>& notes);

}  // namespace mercer::detail
