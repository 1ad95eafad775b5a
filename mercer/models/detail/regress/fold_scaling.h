// Rows as a fold of a cross-validation sees them: --scale learns from the rows that the fold learns
// from, never from those that are left out.
#pragma once

#include "mercer/core/budget.h"
#include "mercer/core/choice.h"
#include "mercer/data/scale.h"

#include <functional>
#include <span>

namespace mercer::detail {

/// Calls `use` with all rows, scaled by what those that are not left out (rising) say. The rows may
/// be scaled already: standard and range do not depend on what a column was multiplied by and
/// shifted, and whitening up to a rotation, which changes no regression on all components. Throws
/// M301.
void with_fold_scaled(DataView rows, Choice<Scaling> scale, std::span<const Index> left_out,
                      const Context& context, const std::function<void(DataView rows)>& use);

}  // namespace mercer::detail
