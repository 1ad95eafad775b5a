// Rates of a machine, per CPU level. Nothing is measured behind the user's back: the table stands
// in the sources.
#pragma once

#include "mercer/core/budget.h"
#include "mercer/core/cpu.h"
#include "mercer/linalg/cost.h"

namespace mercer {

/// What one core of this CPU level does, with the thread count of the budget for predictions.
Machine machine_of(CpuLevel level, const Budget& budget);

}  // namespace mercer
