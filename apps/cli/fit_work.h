// What the steps of a fit depend on, for its checkpoint: what is compared when a fit goes on, and
// what is noted beside it.
#pragma once

#include "apps/cli/fit_arguments.h"
#include "mercer/core/value.h"
#include "mercer/linalg/cost.h"
#include "mercer/plan/plan.h"

#include <optional>
#include <string>

namespace mercer::cli {

/// All but the plan, and the number of threads, which changes no byte.
Value work_of(const FitArguments& args, const Prepared& prepared);
Value with_plan(Value work, const Plan& plan);

/// The rates that the plan follows from.
Value notes_of(const Context& context);

/// Who goes on with a fit plans it by the rates of its beginning, whatever was measured since:
/// those that the checkpoint notes, where there is one of this work, go into `machine` and the
/// context.
void take_rates_of_beginning(const std::string& checkpoint, const Value& work, Context& context,
                             std::optional<Machine>& machine);

}  // namespace mercer::cli
