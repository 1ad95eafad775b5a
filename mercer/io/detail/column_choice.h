// Which columns of a table are kept, in which order, and which one holds the classes: the options
// `columns`, `drop` and `label`, by name or by number from 1.
#pragma once

#include "mercer/core/index.h"
#include "mercer/io/table.h"

#include <optional>
#include <string>
#include <vector>

namespace mercer::detail {

struct ColumnChoice {
  std::vector<Index> kept;     // without the label, in the order asked for
  std::optional<Index> label;  // only when the option names one
  bool no_label = false;       // the option says "none": no column holds classes
};

/// Throws M216 for a column that is not there. `names` is empty, or has one entry per column.
ColumnChoice choose_columns(Index count, const std::vector<std::string>& names,
                            const ReadOptions& options, const std::string& file);

/// "column "x"", or "column 3" where there are no names.
std::string column_text(Index column, const std::vector<std::string>& names);

}  // namespace mercer::detail
