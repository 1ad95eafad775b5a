// The ridge of discriminants by leaving out one row at a time. The discriminants with ridge e are
// those of the least squares fit of the indicators of the classes, Y ~ 11'Y/n + U diag(mu / (mu +
// e)) U'Y, whose errors without a row need no other fit:
//   e_i = (y_i - y^_i) / (1 - h_i),   h_i = 1/n + sum_j u_ij^2 mu_j / (mu_j + e)
// so that all ridges come from one decomposition and one walk over the rows, or over 5000 of them,
// evenly spaced. The sum of the squares decides; up to so many rows their order does not matter.
#pragma once

#include "mercer/models/class_counts.h"
#include "mercer/models/detail/discriminant/kernel_range.h"

namespace mercer::detail {

struct RidgePath {
  Vector shares;    // ridges as shares of the trace, descending
  Vector squares;   // mean square of the errors of the indicators
  Vector wrong;     // share of rows whose largest indicator is not their class
  double best = 0;  // the ridge chosen, as a share of the trace
};

/// `sums`: U'Y.
RidgePath ridge_path(const KernelRange& range, const ClassCounts& classes, const Block& sums,
                     const Context& context);

}  // namespace mercer::detail
