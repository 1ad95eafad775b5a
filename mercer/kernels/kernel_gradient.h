// The derivative of a kernel with respect to its first row, by dual numbers through the families'
// own formulas: what k(x, y) is computed from (a product, a distance, a sum) is given a derivative
// of 1, and the chain rule does the rest.
#pragma once

#include "mercer/core/types.h"
#include "mercer/kernels/kernel.h"

#include <span>

namespace mercer {

/// out = d k(x, y) / d x. Where a kernel has a kink (a Laplacian at x_i = y_i, a distance at x = y)
/// the slope there counts as 0.
void kernel_gradient(const Kernel& kernel, std::span<const double> x, std::span<const double> y,
                     std::span<double> out);

}  // namespace mercer
