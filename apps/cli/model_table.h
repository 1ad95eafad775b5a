// Matching a new table to the columns a model was fitted on.
#pragma once

#include "apps/cli/terminal.h"
#include "mercer/io/table.h"
#include "mercer/models/model.h"

namespace mercer::cli {

/// The table's rows with the model's columns in the model's order. Columns are matched by name
/// where both sides have names, by position otherwise. Throws M710 (too few or too many, missing
/// ones named), M711 (other names).
Dataset match_columns(const Table& table, const Model& model, Terminal& terminal);

}  // namespace mercer::cli
