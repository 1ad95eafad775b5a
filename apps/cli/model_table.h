// Tables that go into a model and come out of it: matching columns, filling gaps, naming scores.
#pragma once

#include "apps/cli/terminal.h"
#include "apps/cli/written_rows.h"
#include "mercer/core/budget.h"
#include "mercer/core/value.h"
#include "mercer/io/table.h"
#include "mercer/models/model.h"

#include <string>
#include <vector>

namespace mercer::cli {

/// The table's rows with the model's columns in the model's order. Columns are matched by name
/// where both sides have names, by position otherwise; sparse rows that end early are widened, for
/// what they lack is zero. Throws M710 (too few or too many, missing ones named), M711 (other
/// names).
Dataset match_columns(const Table& table, const Model& model, const Context& context,
                      Terminal& terminal);

/// What a model knows of the columns of its table, for reading another one.
KnownColumns columns_known_to(const Model& first);

/// How new rows are read for a model: with its columns, its classes and targets where they are
/// there, and its way with missing values unless another one was asked for.
ReadOptions reading_for(const Model& model, ReadOptions options);

/// Rows of a new table, ready for a model, and what became of their missing values.
struct NewRows {
  Dataset data;
  Dataset targets = {};  // what the table has of the columns that a model predicts
  Value missing;         // policy, rows_dropped, rows_empty, cells_filled
  std::string ids_name;
  Warnings warnings = {};  // of reading them
  WrittenRows written = {};
  std::vector<Index> image_shape = {};  // as Table::image_shape
};

/// Reads new rows and matches their columns. Missing values are filled in by the figures of the
/// training rows, never by the new table's own, or the score of a row would depend on the rows
/// beside it. Throws M102 where the model has no such figures. `with_gaps`:
/// rows that lack values are there as they are, for a caller that fills them in.
NewRows read_new_rows(const std::string& path, ReadOptions options, const Model& model,
                      const Context& context, Terminal& terminal, bool with_gaps = false);

/// Notes in a fitted model how missing values of its table were treated, and by which figures.
void remember_missing(const Table& table, const std::string& policy, InputInfo& input);

/// What the fit of a model was warned of and every result of the model inherits: a tolerance that
/// was not reached, completeness that was not proven, a time limit.
Warnings inherited_warnings(const Model& model);

/// Warnings as --json shows them.
Value warning_list(const Warnings& warnings);

/// PC1, PC2, ...: the header of a table of scores.
std::vector<std::string> score_names(Index count);

}  // namespace mercer::cli
