// Rates of processors, per CPU level, as they stand in the sources. Measuring this one is for
// calibrate.h; the library never does it unasked.
#pragma once

#include "mercer/core/budget.h"
#include "mercer/core/cpu.h"
#include "mercer/core/processor.h"
#include "mercer/linalg/cost.h"

namespace mercer {

/// What one core of this CPU level does, with the thread count of the budget for predictions: the
/// rates that the budget brings, or those of the table. Products are as fast as the kernels that
/// the BLAS has chosen, which need not be of the same level.
Machine machine_of(CpuLevel level, const Budget& budget);

/// The table alone, for a processor and for the level of the BLAS' kernels. The origin is `listed`
/// where the rates were measured on such a processor, at its highest level, and `estimated`
/// elsewhere.
Machine listed_rates(const Processor& processor, CpuLevel level, CpuLevel blas_level);

/// One core of the processor on which rules about sizes were set; the same on every machine.
Machine reference_rates();

}  // namespace mercer
