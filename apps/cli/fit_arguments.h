// The options of `fit`. `plan` takes the same, so that one word turns a fit into its plan.
#pragma once

#include "apps/cli/arguments.h"
#include "apps/cli/fit_checkpoint.h"
#include "mercer/models/model.h"

#include <optional>
#include <string>

namespace mercer::cli {

struct FitArguments {
  std::string table, method = "kernel_pca", output, scores;
  ReadArguments reading;
  FitOptions fit;
  BudgetArguments budget;
  CheckpointArguments keep;
  bool reproducible = false, explain = false, force = false, draw = false;

  void add_to(Command& command);
  /// The same options; the help says which of them change no plan.
  void add_to_plan(Command& command);

 private:
  void add_shared(Command& command);
};

/// The plan of a fit; the error of an operator or solver that was named and cannot serve tells how
/// to see those that can.
Plan plan_of(const FitArguments& args, const Dataset& data, const Context& context,
             const Terminal& terminal);
/// The same with rates that fit this machine: where the table does not know the processor, none are
/// stored and the fit is long, they are measured first, into `machine`, which the context then
/// uses.
Plan plan_with_rates(const FitArguments& args, const Dataset& data, Context& context,
                     std::optional<Machine>& machine, Terminal& terminal);
/// The plan with every candidate, as a table.
std::string plan_table(const Plan& plan);
/// Which rates the times rest on, and how to get better ones.
std::string rates_line(const Plan& plan);
/// "dense_gram + dense; 12.3 MiB of 11.7 GiB; about 0.4 s".
std::string plan_line(const Plan& plan, const Budget& budget);
/// "residuals ≤ 3e-07 (asked 1e-06)", or the same of the enclosures of the eigenvalues.
std::string accuracy_text(const FitReport& report);
/// "verified", "verified (failure <= 1e-07)", "not verified".
std::string completeness_text(const Certificate& certificate);
/// The head line of `mercer plan`.
std::string problem_line(const FitArguments& arguments, const Dataset& data);

}  // namespace mercer::cli
