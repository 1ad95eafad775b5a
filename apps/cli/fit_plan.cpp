#include "apps/cli/fit_plan.h"

#include "apps/cli/calibration.h"
#include "apps/cli/shell.h"
#include "mercer/core/text.h"
#include "mercer/io/model.h"

#include <fmt/format.h>

#include <string>
#include <utility>
#include <vector>

namespace mercer::cli {
namespace {

// Whether the planner finds something where nothing is named: then the names are at fault.
bool free_choice_serves(const FitArguments& args, const Prepared& prepared, Context context) {
  context.budget.operator_name = context.budget.solver_name = {};
  try {
    model_kind(args.method).plan(prepared, args.given, context);
    return true;
  } catch (const Error& error) {
    if (error.code() == ErrorCode::cancelled) throw;
    return false;
  }
}

// The error of names that cannot serve leads to those that can.
Plan plan_or_way(const FitArguments& args, const Prepared& prepared, const Context& context,
                 const Terminal& terminal) {
  try {
    return about(args.place(),
                 [&] { return model_kind(args.method).plan(prepared, args.given, context); });
  } catch (const Error& error) {
    std::vector<std::string> named;
    if (!context.budget.operator_name.empty())
      named.push_back("--operator " + args.budget.operator_name);
    if (!context.budget.solver_name.empty()) named.push_back("--solver " + args.budget.solver_name);
    if (error.code() != ErrorCode::bad_option_value || named.empty() ||
        !free_choice_serves(args, prepared, context))
      throw;
    throw Error(error.code(), error.message(),
                fmt::format("drop {}, or see what can be used here, and why not the others: {}",
                            fmt::join(named, " and "),
                            printable(command_without({"--operator", "--solver"}, "plan",
                                                      terminal.arguments))),
                error.place());
  }
}

// Where there is one way to fit a method, none can be named.
void refuse_choice(const FitArguments& args) {
  for (const auto& [option, name] : {std::pair("operator", args.budget.operator_name),
                                     std::pair("solver", args.budget.solver_name)})
    if (name != "auto")
      throw Error(ErrorCode::bad_option_value,
                  fmt::format("--{} {}: there is one way to fit this {}", option, printable(name),
                              args.method),
                  fmt::format("drop --{}", option));
}

}  // namespace

Plan plan_of(const FitArguments& args, const Prepared& prepared, const Context& context,
             const Terminal& terminal) {
  Plan plan = plan_or_way(args, prepared, context, terminal);
  if (plan.operator_name.empty()) refuse_choice(args);
  return plan;
}

Plan plan_with_rates(const FitArguments& args, const Prepared& prepared, Context& context,
                     std::optional<Machine>& machine, Terminal& terminal) {
  constexpr double kLong = 3;  // seconds of which those for measuring are a tenth
  Plan plan = plan_of(args, prepared, context, terminal);
  const bool guessed = plan.predicted.rates == RateOrigin::estimated && !args.reproducible;
  if (!guessed || plan.predicted.seconds < kLong) return plan;
  machine = quick_calibration(context, terminal);
  context.budget.machine = &*machine;
  return plan_of(args, prepared, context, terminal);
}

std::string problem_line(const FitArguments& args, const Prepared& prepared) {
  const Value options = model_kind(args.method).record(args.given);
  const auto told = [&](const char* name) {
    return options[name].is_text() ? fmt::format("   {} {}", name, options[name].as_text()) : "";
  };
  return fmt::format("{}   n {}   dim {}{}{}", args.method, grouped(prepared.rows.n()),
                     grouped(prepared.rows.dim()), told("components"), told("tolerance"));
}

}  // namespace mercer::cli
