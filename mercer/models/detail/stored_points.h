// Training rows as a model keeps them: in the type they came in, so that raw images stay one byte
// per pixel.
#pragma once

#include "mercer/core/state.h"
#include "mercer/data/dataset.h"

namespace mercer::detail {

Dataset stored_points(DataView rows);
Array points_array(const Dataset& points);
/// Throws M703 for an array that is not a matrix of a type samples may have.
Dataset points_from(const Array& array);

}  // namespace mercer::detail
