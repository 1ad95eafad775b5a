// The plan of a fit, as the program asks for it and tells of it.
#pragma once

#include "apps/cli/fit_arguments.h"

#include <optional>
#include <string>

namespace mercer::cli {

/// The plan of a fit; the error of an operator or solver that was named and cannot serve tells how
/// to see those that can.
Plan plan_of(const FitArguments& args, const Prepared& prepared, const Context& context,
             const Terminal& terminal);
/// The same with rates that fit this machine: where the table does not know the processor, none are
/// stored and the fit is long, they are measured first, into `machine`, which the context then
/// uses.
Plan plan_with_rates(const FitArguments& args, const Prepared& prepared, Context& context,
                     std::optional<Machine>& machine, Terminal& terminal);
/// The head line of `mercer plan`.
std::string problem_line(const FitArguments& args, const Prepared& prepared);

}  // namespace mercer::cli
