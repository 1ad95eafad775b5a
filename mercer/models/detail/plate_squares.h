// Tiles of a fit leave multiples of squared distances out of thin plate splines; those of new rows
// do not. For coefficients without affine part such a multiple is a constant:
//   sum_i a_i |x - x_i|^2 = sum_i a_i |x_i|^2.
#pragma once

#include "mercer/kernels/frame.h"
#include "mercer/kernels/kernel.h"

namespace mercer::detail {

/// What sums over the whole kernel have more than those in the frame, for each column of the
/// coefficients; 0 where the frame leaves nothing out.
Vector constants_of_squares(const Kernel& kernel, const Frame& frame, DataView rows,
                            const Block& coefficients);

}  // namespace mercer::detail
