// The JSON object of a command whose rows go to standard output too. The text of a long table is
// many times as large as its numbers: it is written piece by piece.
#pragma once

#include "apps/cli/terminal.h"
#include "mercer/core/value.h"
#include "mercer/data/view.h"

#include <string>
#include <string_view>
#include <vector>

namespace mercer::cli {

/// Rows as lists of numbers under `name`, and what they are called.
struct NamedRows {
  std::string_view name;
  DataView rows;
  const std::vector<std::string>* ids = nullptr;
};

/// One object: the members of `before`, the names of the rows where they have any, the rows, and
/// the members of `after`. Names that all are whole numbers are written as numbers.
void write_json_rows(Terminal& terminal, const Value& before, const NamedRows& named,
                     const Value& after);

}  // namespace mercer::cli
