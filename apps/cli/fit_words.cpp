#include "apps/cli/fit_words.h"

#include "apps/cli/fit_plan.h"
#include "apps/cli/plan_text.h"
#include "apps/cli/render/bars.h"
#include "apps/cli/report_text.h"
#include "apps/cli/shell.h"
#include "mercer/core/system.h"
#include "mercer/core/text.h"
#include "mercer/kernels/kernel.h"
#include "mercer/operators/problem.h"

#include <fmt/format.h>

#include <algorithm>

namespace mercer::cli {
namespace {

void tell_constant_columns(const Prepared& prepared, Terminal& terminal) {
  const Overview& overview = prepared.overview;
  if (overview.constant_columns == 0 || overview.all_rows_equal) return;
  const std::vector<std::string>& known = prepared.input.column_names;
  std::vector<std::string> names;
  for (const Index j : overview.first_constant)
    names.push_back(known.empty() ? fmt::format("{}", j + 1)
                                  : printable(known[static_cast<std::size_t>(j)]));
  const bool more = overview.constant_columns > static_cast<Index>(names.size());
  terminal.line(fmt::format("         {} column{} constant: {}{}   --drop",
                            grouped(overview.constant_columns),
                            overview.constant_columns == 1 ? " is" : "s are",
                            fmt::join(names, ", "), more ? ", ..." : ""));
}

void tell_spectrum(const Report& report, double seconds, Terminal& terminal) {
  const Spectrum& spectrum = *report.spectrum;
  const Index k = spectrum.eigenvalues.size();
  const std::string passes =
      report.plan.solver_name == "dense"
          ? ""
          : fmt::format(", {} pass{}", report.plan.passes, report.plan.passes == 1 ? "" : "es");
  terminal.say("Solved",
               fmt::format("{} component{} in {}{}, {}, complete: {}", k, k == 1 ? "" : "s",
                           duration(seconds), passes, accuracy_text(spectrum),
                           completeness_text(spectrum.certificate)));
  const std::string bars = spectrum.drowned() ? "" : spark_bars(spectrum.ratio_bounds(), 40);
  terminal.say("Variance", shares_text(spectrum, 3) + (bars.empty() ? "" : "   ") + bars);
}

}  // namespace

void tell_kernel(const FitArguments& args, const Value& kernel, Terminal& terminal) {
  if (kernel.is_null()) return;
  const Value& gamma = kernel["gamma"];
  const Value options = args.kind().record(args.given);
  // A matrix that was given is its own kernel, unless there is one of its distances.
  const bool given = kernel["name"].as_text() == "precomputed";
  const Value& asked = options["kernel"];
  const std::string found =
      given || !asked.is_text() ? "" : Kernel(asked.as_text()).found_from_data();
  terminal.say(
      "Kernel",
      fmt::format("{}   {}{}{}   {} to change", kernel["name"].as_text(),
                  kernel["formula"].as_text(), found.empty() ? "" : "   " + found,
                  gamma.is_null() ? "" : fmt::format(" (gamma = {})", brief(gamma.as_number())),
                  given ? "--as" : "--kernel"));
}

bool tell_kernel(const FitArguments& args, const Plan& plan, Terminal& terminal) {
  const bool known = plan.problem != nullptr && plan.problem->given == Given::table &&
                     args.kind().has_option("kernel") && plan.problem->kernel.resolved();
  if (known) tell_kernel(args, plan.problem->kernel.describe(), terminal);
  return known;
}

void tell_plan(const FitArguments& args, const Prepared& prepared, const Plan& plan,
               const Context& context, Terminal& terminal) {
  if (!terminal.quiet) tell_constant_columns(prepared, terminal);
  if (plan.operator_name.empty()) return;
  if (args.explain)
    terminal.line(problem_line(args, prepared) + "\n\n" + plan_table(plan));
  else
    terminal.say("Plan", plan_line(plan, context.budget) + "   mercer plan");
}

void tell_result(const Model& model, double seconds, Terminal& terminal) {
  const Report& report = model.report;
  if (report.spectrum)
    tell_spectrum(report, seconds, terminal);
  else
    terminal.say("Solved", fmt::format("in {}{}", duration(seconds),
                                       report.converged ? "" : ", not converged"));
  if (report.chosen) terminal.say("Chosen", chosen_text(*report.chosen));
  if (!report.figures.empty()) terminal.say("Figures", figures_text(report));
  for (const Warning& warning : report.warnings) terminal.warn(warning);
}

// What was done in the end, where it is not what was planned.
void tell_changes(const Plan& planned, const Plan& done, Terminal& terminal) {
  if (done.solver_name == planned.solver_name && done.operator_name == planned.operator_name)
    return;
  if (done.operator_name == planned.operator_name)
    terminal.say("Solver", fmt::format("{} could not show that nothing is missing: all eigenvalues "
                                       "were computed by {}",
                                       planned.solver_name, done.solver_name));
  else
    terminal.say("Solver",
                 fmt::format("{} did not suffice: {} + {} took its place", planned.operator_name,
                             done.operator_name, done.solver_name));
}

void tell_measured(const Plan& planned, double seconds, Terminal& terminal) {
  terminal.say("Measured", fmt::format("{} (predicted {}), {} (predicted {})", duration(seconds),
                                       duration(planned.predicted.seconds), bytes(peak_memory()),
                                       bytes(planned.predicted.bytes)));
}

std::string way_after_cancel(const Plan& plan, const Checkpoint* checkpoint) {
  if (checkpoint != nullptr)
    return fmt::format("mercer info {} says what is kept, and how to go on",
                       printable(quoted_path(checkpoint->path())));
  if (plan.solver_name.empty() || plan.solver_name == "dense")
    return "nothing is kept of such a fit: start it again";
  return "nothing is kept: with --checkpoint FILE the fit could go on from here";
}

void expect_phases(const Plan& plan, const Prepared& prepared, Terminal& terminal) {
  if (plan.solver_name.empty()) return terminal.expect(0, 0.6);  // phases nobody knows
  const auto n = static_cast<double>(prepared.rows.n());
  const auto dim = static_cast<double>(prepared.rows.dim());
  // Entries of the matrix beside its reduction, 4/3 n^3 operations at a third of the speed.
  const double form = std::clamp((dim + 10) / (dim + 10 + 2 * n), 0.02, 0.9);
  const auto passes = static_cast<double>(plan.passes);
  if (plan.solver_name == "dense") return terminal.expect(0, form);
  // For a share of the variance more searches may follow; how many, nobody knows before the first.
  const double part = plan.grows ? 0.5 : 1;
  if (plan.operator_name != "dense_gram") return terminal.expect(passes, 0.15, part);
  // Half of the entries are made, each of `dim` operations and some for the kernel itself; then
  // each is used for every column of each pass, at a third of the speed: memory gives no more.
  const double made = dim / 2 + 10;
  const double used = 3 * passes * static_cast<double>(std::max<Index>(plan.search.block, 1));
  terminal.expect(passes, std::clamp(made / (made + used), 0.02, 0.9), part);
}

}  // namespace mercer::cli
