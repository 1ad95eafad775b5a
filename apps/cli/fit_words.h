// What a fit says while it runs: what was chosen, how far it is, what came out.
#pragma once

#include "apps/cli/fit_arguments.h"
#include "apps/cli/terminal.h"
#include "mercer/io/checkpoint.h"
#include "mercer/models/model.h"
#include "mercer/plan/plan.h"

#include <string>

namespace mercer::cli {

/// The kernel as a formula with its numbers, and the flag that changes it; nothing where it is
/// null.
void tell_kernel(const FitArguments& args, const Value& kernel, Terminal& terminal);
/// The same before the fit, where the plan knows the kernel: whether it does.
bool tell_kernel(const FitArguments& args, const Plan& plan, Terminal& terminal);
void tell_plan(const FitArguments& args, const Prepared& prepared, const Plan& plan,
               const Context& context, Terminal& terminal);
void tell_result(const Model& model, double seconds, Terminal& terminal);
/// What was done in the end, where it is not what was planned.
void tell_changes(const Plan& planned, const Plan& done, Terminal& terminal);

/// What the fit took, beside what was predicted.
void tell_measured(const Plan& planned, double seconds, Terminal& terminal);

/// What to do after Ctrl-C, where the error does not know it.
std::string way_after_cancel(const Plan& plan, const Checkpoint* checkpoint);
/// Tells the terminal what the plan says of the phases of the fit.
void expect_phases(const Plan& plan, const Prepared& prepared, Terminal& terminal);

}  // namespace mercer::cli
