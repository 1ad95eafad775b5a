// The JSON object of a command whose rows go to standard output too. The text of a long table is
// many times as large as its numbers: it is written piece by piece.
#pragma once

#include "apps/cli/terminal.h"
#include "mercer/core/value.h"
#include "mercer/data/view.h"

#include <string_view>

namespace mercer::cli {

/// One object: the members of `before`, the rows as lists of numbers under `name`, and those of
/// `after`.
void write_json_rows(Terminal& terminal, const Value& before, std::string_view name, DataView rows,
                     const Value& after);

}  // namespace mercer::cli
