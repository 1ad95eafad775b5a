// Tables that are not read as a whole: their rows come from the file, chunk by chunk, at every walk
// over them.
#pragma once

#include "apps/cli/terminal.h"
#include "mercer/core/budget.h"
#include "mercer/io/row_file.h"
#include "mercer/io/table.h"

#include <memory>
#include <string>

namespace mercer::cli {

/// The rows of a table that is to be read in chunks, told to the terminal: where that was asked
/// for, or where it would take more than half of the memory that is left. Null where it is read as
/// a whole. `able`: whether the method, which `method` names, can learn from chunks. Throws M102
/// where it was asked for and cannot be, and where the table does not fit either.
std::unique_ptr<RowFile> rows_in_chunks(const std::string& path, const ReadOptions& options,
                                        bool asked, bool able, std::string_view method,
                                        const Context& context, Terminal& terminal);

}  // namespace mercer::cli
