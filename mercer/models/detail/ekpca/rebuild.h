// Kernel PCA whose axes are combinations of a few rows: v = sum_s beta_s phi(x_s), where beta adds
// up to 0, so that constants of the kernel do not matter. With H = I - 11'/l, the rows' kernel
// matrix K_SS, that of all rows against them K_NS, and J = I - 11'/n,
//   H K_SS H = U L U',   B = U L^-1/2: coefficients of orthonormal axes,   F = K_NS B
//   (J F)'(J F) = W mu W':   coefficients B W, scores J F W, variances mu / n.
// Axes with eigenvalues in L that rounding may have made are left out. With all rows as patterns
// this is kernel PCA.
#pragma once

#include "mercer/core/budget.h"
#include "mercer/core/types.h"
#include "mercer/data/dataset.h"
#include "mercer/kernels/frame.h"
#include "mercer/kernels/kernel.h"
#include "mercer/models/components.h"

namespace mercer::detail {

struct Rebuilt {
  Block coefficients;   // one row for each pattern, one column for each component
  Vector eigenvalues;   // mu, falling
  Vector bias;          // means of the scores before they are centred
  double trace = 0;     // of (J F)'(J F)
  double negative = 0;  // share of the magnitudes in L that is negative
  Index axes = 0;       // that the patterns have
  bool fewer = false;   // fewer components than asked for are significant
};

/// Throws M233 for more components than patterns allow, M244 where there is nothing.
Rebuilt rebuild(const Kernel& kernel, const Frame& frame, const Dataset& patterns, DataView rows,
                const Components& components, const Context& context);

}  // namespace mercer::detail
