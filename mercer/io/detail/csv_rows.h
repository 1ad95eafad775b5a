// A text table whose dialect is known: its header and its data rows, every row checked for the
// number of cells. Rows are views into the text and can be gone through as often as needed; nothing
// is kept.
#pragma once

#include "mercer/core/budget.h"
#include "mercer/io/detail/csv_cells.h"
#include "mercer/io/detail/dialect.h"

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace mercer::detail {

/// The most a text table may have; tests use smaller ones.
struct TextLimits {
  Index line_bytes = Index{256} << 20;
  Index columns = 10'000'000;
};

struct TextTable {
  std::string_view body;  // without byte order mark and skipped lines
  Index first_line = 1;   // number of the body's first line in the file
  std::string file;       // for messages
  Dialect dialect;

  /// "file:line:column", counted from 1.
  std::string place(Index line, Index column) const;
};

/// Refuses what is no UTF-8 text (M203, M205, M206), empty (M201) or beyond the limits (M214,
/// M215), and finds the dialect.
TextTable open_text(std::string_view content, const std::string& file, const ReadOptions& options,
                    std::vector<Note>& notes, const TextLimits& limits = {});

/// The row of names; empty when the table has none.
std::vector<Cell> header_row(const TextTable& table);

/// At most this many data rows, found from the number of lines and the length of the text.
Index row_bound(const TextTable& table);

/// Calls `use(cells, line)` for each data row. Throws M207 and M208, and M001 when cancelled.
void for_each_row(const TextTable& table, const Context& context,
                  const std::function<void(const std::vector<Cell>&, Index)>& use);

}  // namespace mercer::detail
