// Targets of a regression: centred and in a unit in which squares stay in range, or each over its
// deviation; and what a user should know of them.
#pragma once

#include "mercer/core/budget.h"
#include "mercer/models/detail/regress/centred_rows.h"
#include "mercer/models/prepare.h"
#include "mercer/models/report.h"

namespace mercer::detail {

struct CentredTargets {
  Block y;         // (target - mean) * factor, a column for each target
  Vector mean;     // in their own units
  Vector factor;   // one power of two for all, or 1 / deviation
  Vector squares;  // of the columns of y; 0 where a target is constant

  Index count() const { return y.cols(); }
};

/// Throws M254 where no target varies. `standard`: each over its deviation.
CentredTargets centred_targets(DataView targets, bool standard);

/// W254 for constant targets, W255 for columns that are a target; `products` is X'y.
void warn_about_targets(const Prepared& prepared, const CentredTargets& targets,
                        const Vector& column_squares, const Block& products, Warnings& warnings);

/// 1 - |residual|^2 / |y|^2 of each target; not finite where it is constant.
Vector r_squared(const CentredTargets& targets, const Block& residual);

}  // namespace mercer::detail
