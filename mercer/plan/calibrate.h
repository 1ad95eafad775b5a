// The rates of this very machine, measured when the user asks for it (`mercer calibrate`), or in a
// moment where the table does not know the processor and a long fit is ahead. The planner never
// calls this: a plan must not depend on what else ran at the moment it was made.
#pragma once

#include "mercer/core/budget.h"
#include "mercer/linalg/cost.h"

#include <span>
#include <string_view>

namespace mercer {

/// One rate of a Machine, by name.
struct MachineRate {
  std::string_view name;
  double Machine::*value;
  std::string_view unit, summary;  // the unit is what 1e9 of it is called
};

/// All rates of a Machine, in the order of its fields.
std::span<const MachineRate> machine_rates();

/// Measures every rate, `seconds` for each: the best of many short runs on one thread, the
/// bandwidth with all threads of the budget reading at once. Throws M001 when cancelled.
Machine calibrate(const Context& context, double seconds = 0.4);

/// The same on small problems, all rates in about 0.3 s: right to a factor, not to a few percent.
Machine calibrate_quickly(const Context& context);

}  // namespace mercer
