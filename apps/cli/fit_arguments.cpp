#include "apps/cli/fit_arguments.h"

#include "apps/cli/calibration.h"
#include "apps/cli/render/table.h"
#include "apps/cli/shell.h"
#include "mercer/core/text.h"
#include "mercer/linalg/blas_info.h"
#include "mercer/solvers/recipe.h"

#include <fmt/format.h>

#include <algorithm>

namespace mercer::cli {

void FitArguments::add_shared(Command& command) {
  command.positional("TABLE", table, "table to fit on; - is standard input");
  command.option("method", method, "kernel_pca or pca (mercer list methods)");
  command.fields(fit);
  budget.add_to(command, true);
  reading.add_to(command);
}

void FitArguments::add_to(Command& command) {
  add_shared(command);
  command.option("-o,--output", output, "model file to write (default: TABLE's name + .mercer)");
  command.option("scores", scores, "also write the scores of the table's rows");
  command.option("checkpoint", keep.checkpoint,
                 "keep what was computed in this file, to go on from after a stop "
                 "(long fits do so unasked, beside the model)");
  command.option("resume", keep.resume, "go on from this checkpoint");
  command.flag("reproducible", reproducible, "byte-equal model files from equal runs");
  command.flag("explain", explain, "show every plan considered, and predicted against measured");
  command.flag("force", force, "replace a default-named output whatever it is");
  command.flag("draw", draw, "draw the first two components in the terminal");
}

void FitArguments::add_to_plan(Command& command) {
  const std::string no_effect = "as for fit; a plan reads and writes no such file";
  add_shared(command);
  command.option("-o,--output", output, no_effect);
  command.option("scores", scores, no_effect);
  command.option("checkpoint", keep.checkpoint, no_effect);
  command.option("resume", keep.resume, no_effect);
  command.flag("reproducible", reproducible, "the plan of a fit with this option");
  command.flag("explain", explain, "as for fit; a plan always shows what was considered");
  command.flag("force", force, "as for fit; a plan replaces nothing");
  command.flag("draw", draw, "as for fit; a plan draws nothing");
}

namespace {

// Whether the planner finds something where nothing is named: then the names are at fault.
bool free_choice_serves(const FitArguments& args, const Dataset& data, Context context) {
  context.budget.operator_name = context.budget.solver_name = {};
  try {
    plan_model(args.method, data, args.fit, context);
    return true;
  } catch (const Error& error) {
    if (error.code() == ErrorCode::cancelled) throw;
    return false;
  }
}

}  // namespace

Plan plan_of(const FitArguments& args, const Dataset& data, const Context& context,
             const Terminal& terminal) {
  try {
    return about(args.table, [&] { return plan_model(args.method, data, args.fit, context); });
  } catch (const Error& error) {
    std::vector<std::string> named;
    if (!context.budget.operator_name.empty())
      named.push_back("--operator " + args.budget.operator_name);
    if (!context.budget.solver_name.empty()) named.push_back("--solver " + args.budget.solver_name);
    if (error.code() != ErrorCode::bad_option_value || named.empty() ||
        !free_choice_serves(args, data, context))
      throw;
    throw Error(error.code(), error.message(),
                fmt::format("drop {}, or see what can be used here, and why not the others: {}",
                            fmt::join(named, " and "),
                            printable(command_without({"--operator", "--solver"}, "plan",
                                                      terminal.arguments))),
                error.place());
  }
}

Plan plan_with_rates(const FitArguments& args, const Dataset& data, Context& context,
                     std::optional<Machine>& machine, Terminal& terminal) {
  constexpr double kLong = 3;  // seconds of which those for measuring are a tenth
  Plan plan = plan_of(args, data, context, terminal);
  const bool guessed = plan.rates == RateOrigin::estimated && !args.reproducible;
  if (!guessed || plan.predicted_seconds < kLong) return plan;
  machine = quick_calibration(context, terminal);
  context.budget.machine = &*machine;
  return plan_of(args, data, context, terminal);
}

namespace {

// The pairs of one operator worth a line: the chosen one, the two solvers that are usually best,
// and the fastest of the others.
std::vector<const Candidate*> worth_a_line(const std::vector<const Candidate*>& group) {
  std::vector<const Candidate*> shown;
  const Candidate* fastest = nullptr;
  const auto asked = [](const Candidate* one) { return one->verdict != "not the one asked for"; };
  const bool named = !std::ranges::all_of(group, asked);
  for (const Candidate* one : group) {
    if (named && !asked(one)) continue;
    const bool usual = one->solver_name == "dense" || one->solver_name == "block_krylov";
    if (one->chosen() || usual)
      shown.push_back(one);
    else if (one->possible() && (fastest == nullptr || one->seconds < fastest->seconds))
      fastest = one;
  }
  if (fastest != nullptr) shown.push_back(fastest);
  return shown;
}

void add_line(TextTable& table, const Candidate& candidate, const std::string& solver) {
  table.add(
      {fmt::format("{}{} + {}", candidate.chosen() ? "▸ " : "  ", candidate.operator_name, solver),
       candidate.possible() ? bytes(candidate.bytes) : "—",
       candidate.possible() ? duration(candidate.seconds) : "—",
       candidate.possible() ? candidate.error : "—", candidate.verdict});
}

}  // namespace

std::string plan_table(const Plan& plan) {
  TextTable table({"operator + solver", "memory", "time", "error", "verdict"});
  std::size_t left_out = 0;
  for (std::size_t begin = 0, end = 0; begin < plan.candidates.size(); begin = end) {
    std::vector<const Candidate*> group;
    bool same = true;  // refused for the same reason with every solver
    for (; end < plan.candidates.size() &&
           plan.candidates[end].operator_name == plan.candidates[begin].operator_name;
         ++end) {
      group.push_back(&plan.candidates[end]);
      same = same && !group.back()->possible() && group.back()->verdict == group.front()->verdict;
    }
    if (same) {
      add_line(table, *group.front(), "any solver");
      continue;
    }
    const std::vector<const Candidate*> shown = worth_a_line(group);
    left_out += group.size() - shown.size();
    for (const Candidate* one : shown) add_line(table, *one, one->solver_name);
  }
  const std::string more =
      left_out > 0
          ? fmt::format("  {} more pairs, slower or not asked for: --json lists all\n", left_out)
          : "";
  return table.text() + more;
}

namespace {

// What counts against the budget; the program itself is not part of it.
std::uint64_t chosen_bytes(const Plan& plan) {
  for (const Candidate& candidate : plan.candidates)
    if (candidate.chosen()) return candidate.bytes;
  return plan.predicted_bytes;
}

}  // namespace

std::string plan_line(const Plan& plan, const Budget& budget) {
  return fmt::format("{} + {}{}; {} of {}; about {}", plan.operator_name, plan.solver_name,
                     plan.operator_name == "blocked_gram" &&
                             !solver_choice(plan.solver_name).recipe.needs_matrix
                         ? ", the matrix is never stored"
                         : "",
                     bytes(chosen_bytes(plan)), bytes(budget.memory),
                     duration(plan.predicted_seconds)) +
         (plan.rates == RateOrigin::estimated ? " (by the rates of another processor)" : "");
}

std::string rates_line(const Plan& plan) {
  const BlasInfo& blas = blas_info();
  std::string line = fmt::format("\n  times by rates {}   mercer calibrate\n",
                                 plan.rates == RateOrigin::listed     ? "listed for this processor"
                                 : plan.rates == RateOrigin::measured ? "measured on this machine"
                                 : plan.rates == RateOrigin::quick
                                     ? "measured here in a moment"
                                     : "of another processor: right to a factor of 3 or so");
  if (!blas.better.empty())
    line += fmt::format("  {} runs its {} kernels: OPENBLAS_CORETYPE={} would be faster (W802)\n",
                        blas.library, blas.kernels, blas.better);
  return line;
}

std::string accuracy_text(const FitReport& report) {
  const Certificate& proof = report.certificate;
  const double worst = proof.residuals.size() > 0 ? proof.residuals.maxCoeff() : 0;
  if (!report.eigenvalues_only)
    return fmt::format("residuals ≤ {} (asked {})", brief(worst, 2), brief(report.tolerance, 2));
  const Vector width =
      (proof.eigenvalue_upper - report.eigenvalues).cwiseQuotient(report.eigenvalues);
  return fmt::format("eigenvalues within {} (asked {}), residuals ≤ {}: scores are less exact",
                     brief(width.size() > 0 ? width.maxCoeff() : 0, 2), brief(report.tolerance, 2),
                     brief(worst, 2));
}

std::string completeness_text(const Certificate& certificate) {
  if (!certificate.complete)
    return certificate.kind == ProofKind::none && certificate.reason.empty() ? "not asked"
                                                                             : "not verified";
  if (certificate.kind != ProofKind::probabilistic) return "verified";
  return fmt::format("verified (failure ≤ {})", brief(certificate.failure, 1));
}

std::string problem_line(const FitArguments& arguments, const Dataset& data) {
  return fmt::format("{}   n {}   dim {}   components {}   tolerance {}", arguments.method,
                     grouped(data.n()), grouped(data.dim()), arguments.fit.components.text(),
                     arguments.fit.tolerance.text());
}

}  // namespace mercer::cli
