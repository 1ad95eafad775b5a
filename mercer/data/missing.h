// Missing values are NaN. They are refused, their rows left out, or filled in with the mean or the
// median of the column's other values (of all other rows: the zeros of sparse columns count). The
// figures are kept, so that new rows can be filled in as the training rows were and not from their
// own table. Infinite values are never filled in: they are no absence but a result.
#pragma once

#include "mercer/core/budget.h"
#include "mercer/core/types.h"
#include "mercer/data/dataset.h"

#include <string_view>
#include <vector>

namespace mercer {

/// What to do with rows that have NaN; spelt as on the command line. `model` leaves them as they
/// are for a model that does without the missing values, `keep` for a caller that fills them in
/// afterwards, or passes over such rows.
enum class Missing { error, drop, mean, median, model, keep };

/// Throws M102 for another name.
Missing missing_policy(std::string_view name);

struct WithoutMissing {
  Dataset data;
  Index rows_dropped = 0;
  Index cells_filled = 0;
  Vector figures = {};  // mean and median only: that of every column, whether it had gaps or not
  std::vector<Index> rows_left = {};  // drop only, where any was: which rows the data are
};

/// Data without NaN (but under `model` and `keep`); those that have none are passed through without
/// a copy. Throws M212 with row and column: for any NaN under `error`, for a column or table of
/// nothing but NaN otherwise, and always for infinity; M301 where there is no room for what is made
/// anew. Sparse rows stay sparse.
WithoutMissing treat_missing(Dataset data, Missing policy, const Context& context = {});

/// Which rows have no NaN, counted from 0. Throws M212 for infinity.
std::vector<Index> rows_without_missing(const Dataset& data, const Context& context = {});

/// The data with every NaN replaced by its column's figure; `figures` has one for each column.
WithoutMissing fill_missing(Dataset data, Vector figures, const Context& context = {});

}  // namespace mercer
