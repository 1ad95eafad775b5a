// Tables that go into a model and come out of it: matching columns, naming scores.
#pragma once

#include "apps/cli/terminal.h"
#include "mercer/io/table.h"
#include "mercer/models/model.h"

namespace mercer::cli {

/// The table's rows with the model's columns in the model's order. Columns are matched by name
/// where both sides have names, by position otherwise. Throws M710 (too few or too many, missing
/// ones named), M711 (other names).
Dataset match_columns(const Table& table, const Model& model, Terminal& terminal);

/// PC1, PC2, ...: the header of a table of scores.
std::vector<std::string> score_names(Index count);

}  // namespace mercer::cli
