// Columns that are called label, class or target. One of them may hold the classes; those that are
// left are no measurements either, or a model would learn from what it is to find out.
#pragma once

#include "mercer/io/detail/column_choice.h"
#include "mercer/io/detail/csv/columns.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace mercer::detail {

/// Whether a column of this name holds classes where it can: label, class or target, in any case.
bool names_classes(std::string_view name);

/// Takes the columns that are called so, and that a model does not know, out of the numeric ones.
/// The first that holds whole numbers are the classes, unless others are named or a text column is
/// called so; a column called target only where few numbers come often, since many different ones
/// are numbers to predict. The others are set aside with a note where they hold whole numbers or
/// are called target. One numeric column is left in any case.
std::optional<Index> take_called_classes(CsvValues& values, const std::vector<std::string>& names,
                                         const ColumnChoice& choice, const KnownColumns& known,
                                         ColumnTypes& types, Table& result);

}  // namespace mercer::detail
