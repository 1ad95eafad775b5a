// Training rows as a model keeps them: in the type they came in, so that raw images stay one byte
// per pixel, and sparse where they came sparse. Dense rows are the array "points"; sparse ones are
// the arrays "points.starts", "points.columns" and "points.values" of compressed rows.
#pragma once

#include "mercer/core/state.h"
#include "mercer/data/dataset.h"

namespace mercer::detail {

/// The numbers of the data set whose rows these are, shared; or a copy of the rows.
Dataset stored_points(DataView rows, const Dataset* owner = nullptr);

/// Adds the arrays of the rows.
void save_points(State& state, const Dataset& points);

/// The rows of `dim` columns that save_points wrote; dense ones are taken out of the state, not
/// copied. Throws M703 for arrays that are missing, of another type or width, without rows, with
/// values that are not finite, starts that fall or columns that do not rise.
Dataset load_points(State& state, Index dim);

}  // namespace mercer::detail
