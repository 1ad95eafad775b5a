// The bias of functions of the linear kernel, measured on the rows.
#pragma once

#include "mercer/core/types.h"
#include "mercer/data/view.h"
#include "mercer/kernels/frame.h"

namespace mercer::detail {

/// The mean of what the linear kernel makes of the training rows: A' X m / scale^2, with the rows X
/// and their mean m in the frame's coordinates, where rounding leaves m a little beside 0.
Vector mean_projection(DataView rows, const Frame& frame, const Block& coefficients);

}  // namespace mercer::detail
