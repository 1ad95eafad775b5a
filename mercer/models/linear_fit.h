// What a linear regression on components leaves: scores (x - m) R, predictions t + (x - m) B, and
// the same in the units of the table. Shared by the methods that end in one.
#pragma once

#include "mercer/core/budget.h"
#include "mercer/core/state.h"
#include "mercer/data/scale.h"
#include "mercer/models/report.h"

namespace mercer {

struct LinearFit {
  Vector mean;         // m, of the columns as the method saw them
  Block directions;    // R, a column for each component
  Block coefficients;  // B, a column for each target
  Vector target_mean;  // t

  Block scores(DataView rows, const Context& context) const;
  Block predictions(DataView rows, const Context& context) const;

  /// Coefficients and intercepts in the units of the table, unscaled, as figures; tables of very
  /// many columns are left out.
  void add_figures(const Scaler& scaler, Report& report) const;

  void save(State& state) const;
  /// Throws M703.
  static LinearFit load(State& state, Index dim, Index targets);
};

/// Whether a table with so many numbers for each column is shown as a figure.
bool is_shown(Index dim, Index numbers);
/// A list for each row.
Value table_value(const Block& table);

}  // namespace mercer
