// mercer bench SCENARIO...: how long whole fits take, what they hold, and whether they are as
// accurate as promised.
#include "apps/cli/arguments.h"
#include "apps/cli/calibration.h"
#include "apps/cli/command.h"
#include "apps/cli/outputs.h"
#include "apps/cli/render/table.h"
#include "apps/cli/report_text.h"
#include "apps/cli/scenario.h"
#include "mercer/core/system.h"
#include "mercer/core/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <optional>

namespace mercer::cli {
namespace bench_command {
namespace {

struct Arguments {
  std::vector<std::string> files;
  Index runs = 5;
  bool check = true;
  BudgetWords budget;
};

struct Outcome {
  Index n = 0, dim = 0;
  Plan plan;
  std::vector<double> seconds;  // rising
  std::uint64_t peak = 0;
  Report report;
  const Spectrum& spectrum() const { return *report.spectrum; }
  std::optional<double> eigenvalue_error;  // none: not asked for, or --no-check
  bool kept = false;     // nothing that was looked at is less accurate than the scenario asks
  bool checked = false;  // and everything it asks for was looked at

  double median() const {
    const std::size_t half = seconds.size() / 2;
    return seconds.size() % 2 == 1 ? seconds[half] : (seconds[half - 1] + seconds[half]) / 2;
  }
  double residual() const {
    const Vector& all = spectrum().certificate.residuals;
    return all.size() > 0 ? all.maxCoeff() : 0;
  }
};

// From here on the system counts this process's peak anew; where it does not let us, the peak is
// that of the whole process, which is no less.
void forget_peak() { std::ofstream("/proc/self/clear_refs") << "5"; }

// The largest relative error of an eigenvalue, against a fit in double precision that is as exact
// as that allows: dense where that takes seconds, with a tight tolerance elsewhere.
double error_of(const Scenario& scenario, const Dataset& data, const Vector& eigenvalues,
                const BudgetWords& asked, Terminal& terminal) {
  constexpr Index kDenseRows = 5000;  // some seconds of n^3 operations
  constexpr double kTight = 1e-11;    // far below the errors that are measured
  BudgetWords budget;
  budget.threads = asked.threads;
  budget.precision = "double";
  if (data.n() <= kDenseRows) budget.solver_name = "dense";
  Value options = scenario.given;
  options["tolerance"] = kTight;
  options["components"] = eigenvalues.size();
  terminal.say("Checking", "against a fit in double precision   --no-check");
  terminal.seconds_allowed = HUGE_VAL;  // --time is for what is measured
  const Context context = context_of(budget, terminal);
  const Vector exact =
      fit_model(scenario.method, data, options, context)->report.spectrum->eigenvalues;
  const Index count = eigenvalues.size();
  if (exact.size() < count) return HUGE_VAL;
  if (count == 0) return 0;
  const auto right = exact.head(count).array();
  return ((eigenvalues.head(count).array() - right) / right).abs().maxCoeff();
}

Outcome run_scenario(const Scenario& scenario, const Arguments& args, const Machine* machine,
                     Terminal& terminal) {
  const ModelKind& kind = model_kind(scenario.method);
  static_cast<void>(kind.record(scenario.given));
  BudgetWords budget = args.budget;
  if (budget.memory.empty()) budget.memory = scenario.memory;
  const auto fresh_context = [&] {  // --time counts for each run
    Context context = context_of(budget, terminal);
    context.budget.machine = machine;
    return context;
  };
  const Dataset data = data_of(scenario, fresh_context());
  terminal.say("Running",
               fmt::format("{}   {} × {}, {} run{}", printable(scenario.name), grouped(data.n()),
                           grouped(data.dim()), args.runs, args.runs == 1 ? "" : "s"));
  Outcome outcome;
  outcome.n = data.n();
  outcome.dim = data.dim();
  {
    const Context context = fresh_context();
    const Prepared prepared = kind.prepare(data, scenario.given, context);
    outcome.plan = kind.plan(prepared, scenario.given, context);
    outcome.plan.problem = nullptr;
  }
  forget_peak();
  for (Index i = args.runs > 1 ? -1 : 0; i < args.runs; ++i) {  // -1: the warm-up
    const Context context = fresh_context();
    const Stopwatch clock;
    outcome.report = fit_model(scenario.method, data, scenario.given, context)->report;
    if (i >= 0) outcome.seconds.push_back(clock.seconds());
  }
  outcome.peak = peak_memory();
  std::ranges::sort(outcome.seconds);
  // Completeness has a column of its own: flat spectra honestly end without it.
  if (!outcome.report.spectrum)
    throw Error(ErrorCode::bad_option_value,
                fmt::format("method {} has no eigenvalues to measure by", scenario.method),
                "use a method with an eigenproblem");
  const Spectrum& spectrum = outcome.spectrum();
  outcome.kept = spectrum.eigenvalues_only ? outcome.report.converged
                                           : outcome.residual() <= spectrum.tolerance;
  outcome.checked = args.check || scenario.eigenvalue_error == 0;
  if (!args.check || scenario.eigenvalue_error == 0) return outcome;
  outcome.eigenvalue_error = error_of(scenario, data, spectrum.eigenvalues, budget, terminal);
  outcome.kept = outcome.kept && *outcome.eigenvalue_error <= scenario.eigenvalue_error;
  return outcome;
}

// An error that has no place is about something the scenario says.
Outcome measure(const Scenario& scenario, const Arguments& args, const Machine* machine,
                Terminal& terminal) {
  try {
    return run_scenario(scenario, args, machine, terminal);
  } catch (const Error& error) {
    if (!error.place().empty() || error.code() == ErrorCode::cancelled) throw;
    throw error.at(printable(scenario.file));
  }
}

Value json_of(const Scenario& scenario, const Outcome& outcome) {
  Value value;
  value["schema"] = 1;
  value["name"] = scenario.name;
  value["file"] = scenario.file;
  value["n"] = outcome.n;
  value["dim"] = outcome.dim;
  value["components"] = outcome.spectrum().eigenvalues.size();
  value["plan"] = outcome.plan.choice();
  Value& seconds = value["seconds"];
  seconds["median"] = outcome.median();
  seconds["predicted"] = outcome.plan.predicted.seconds;
  seconds["runs"] = Value::List(outcome.seconds.begin(), outcome.seconds.end());
  Value& memory = value["bytes"];
  memory["peak"] = outcome.peak;
  memory["predicted"] = outcome.plan.predicted.bytes;
  value["residual"] = outcome.residual();
  value["tolerance"] = model_kind(scenario.method).record(scenario.given)["tolerance"];
  value["eigenvalue_error"] = outcome.eigenvalue_error ? Value(*outcome.eigenvalue_error) : Value();
  value["eigenvalue_error_allowed"] =
      scenario.eigenvalue_error > 0 ? Value(scenario.eigenvalue_error) : Value();
  value["complete"] = outcome.spectrum().certificate.complete;
  value["certificate"] = name_of(outcome.spectrum().certificate.kind);
  value["kept"] = outcome.kept;
  value["checked"] = outcome.checked;
  return value;
}

// One run has no spread.
std::string spread_text(const Outcome& outcome) {
  if (outcome.seconds.size() < 2) return "—";
  const double spread = outcome.seconds.back() - outcome.seconds.front();
  return fmt::format("{:.0f} %", 100 * spread / outcome.median());
}

std::string verdict_of(const Outcome& outcome) {
  if (!outcome.kept) return "MISSED";
  return outcome.checked ? "kept" : "tolerance kept, eigenvalues not checked";
}

std::vector<std::string> row_of(const Scenario& scenario, const Outcome& outcome) {
  return {printable(scenario.name),
          fmt::format("{} × {}", grouped(outcome.n), grouped(outcome.dim)),
          fmt::format("{} + {}", outcome.plan.operator_name, outcome.plan.solver_name),
          duration(outcome.median()),
          spread_text(outcome),
          duration(outcome.plan.predicted.seconds),
          bytes(outcome.peak),
          bytes(outcome.plan.predicted.bytes),
          brief(outcome.residual(), 2),
          outcome.eigenvalue_error ? brief(*outcome.eigenvalue_error, 2) : "—",
          completeness_text(outcome.spectrum().certificate),
          verdict_of(outcome)};
}

int run(const Arguments& args, Terminal& terminal) {
  constexpr Index kMostRuns = 1000;  // more are a slip of the keyboard
  if (args.runs < 1 || args.runs > kMostRuns)
    throw Error(ErrorCode::bad_option_value,
                fmt::format("--runs {}: must be 1 to {}", args.runs, kMostRuns),
                "such as --runs 5");
  Files files(terminal);
  for (const std::string& file : args.files) files.reads("the scenario", file);
  if (!terminal.json) files.writes("the result", "-");
  files.check();
  std::vector<Scenario> scenarios;
  for (const std::string& file : args.files) scenarios.push_back(read_scenario(file));
  TextTable table({"scenario", "table", "plan", "median", "spread", "predicted", "peak",
                   "predicted", "residual", "eigenvalue error", "complete", "accuracy"});
  Value list = Value::list();
  bool kept = true;
  const std::optional<Machine> machine = stored_calibration(terminal);
  double part = 0;
  for (const Scenario& scenario : scenarios) {
    terminal.stage(scenario.name, ++part / static_cast<double>(scenarios.size()));
    const Outcome outcome = measure(scenario, args, machine ? &*machine : nullptr, terminal);
    kept = kept && outcome.kept;
    table.add(row_of(scenario, outcome));
    list.push_back(json_of(scenario, outcome));
  }
  if (terminal.json)
    terminal.result(list);
  else
    terminal.data(table.text());
  return kept ? 0 : 6;
}

}  // namespace
}  // namespace bench_command

void add_bench(Program& program) {
  using namespace bench_command;
  const auto args = std::make_shared<Arguments>();
  Command command = program.command("bench", "run benchmark scenarios, predicted beside measured");
  command.positional("SCENARIO", args->files, "scenario files, such as bench/scenario/*.toml");
  command("runs", args->runs, "runs of each scenario, after one to warm up unless 1 (default 5)");
  command("check", args->check, "do not compute what the eigenvalues are compared with");
  command.group("Machine");
  command.words(args->budget);
  args->budget.describe_plan(command);
  command.run([args](Terminal& terminal) { return run(*args, terminal); });
}

}  // namespace mercer::cli
