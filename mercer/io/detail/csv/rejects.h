// Rows that cannot be read, where the user wants them in a file instead of an error: line, column,
// code, reason and text of each, as CSV.
#pragma once

#include "mercer/io/detail/csv/columns.h"

#include <string>
#include <vector>

namespace mercer::detail {

/// Takes out the rows with text (M204), overflow (M213), infinity or, where missing values are
/// errors, nothing (M212) in a numeric column. Writes them and the ragged rows (M207) to the file,
/// where there are any, counts them in the table and notes it. Returns which rows of the file those
/// are that are left, from 0; nothing where all are. Throws what writing throws, and M301.
std::vector<Index> set_rejects_aside(const OpenedText& table, CsvValues& values,
                                     const ColumnTypes& types, const ColumnChoice& choice,
                                     const ReadOptions& options,
                                     const std::vector<std::string>& names, const Context& context,
                                     Table& result);

}  // namespace mercer::detail
