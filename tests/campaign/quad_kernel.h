// The kernel matrix of rows of doubles, which are taken as exact, by the plain formulas in 113-bit
// arithmetic. Even a kernel that is 1 - 1e-12 everywhere keeps twenty digits after centring.
#pragma once

#include "mercer/kernels/kernel.h"
#include "tests/campaign/quad.h"

#include <string>

namespace mercer::campaign {

/// K of a kernel whose parameters are all numbers. `constants`: false where they are removed
/// anyway, so that the offset of a linear kernel does not drown products of 1e-200. Throws
/// std::invalid_argument for a family that has no formula here.
QuadMatrix quad_kernel(const Kernel& kernel, const Points& rows, bool constants);

/// The kernel that a given matrix stands for (--as).
QuadMatrix quad_given(const Points& matrix, const std::string& as);

/// Whether the model removes all affine functions of the rows from such a kernel.
bool is_spline(const Kernel& kernel);

}  // namespace mercer::campaign
