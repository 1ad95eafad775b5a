// mercer bench SCENARIO...: how long whole fits take, what they hold, and whether they are as
// accurate as promised. A scenario is a file of lines `key = value`, a small part of TOML.
#include "apps/cli/arguments.h"
#include "apps/cli/calibration.h"
#include "apps/cli/command.h"
#include "apps/cli/fit_arguments.h"
#include "apps/cli/render/table.h"
#include "mercer/core/system.h"
#include "mercer/core/text.h"
#include "mercer/data/generator.h"
#include "mercer/io/atomic_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <map>
#include <numeric>
#include <optional>

namespace mercer::cli {
namespace {

struct Arguments {
  std::vector<std::string> files;
  Index runs = 5;
  bool check = true;
  BudgetArguments budget;
};

struct Scenario {
  std::string file, name, data, memory, method = "kernel_pca";
  GeneratorOptions generator;
  Index rows = 0;  // 0: all of a table
  FitOptions fit;
  double eigenvalue_error = 0;  // allowed; 0: not asked for
};

struct Outcome {
  Index n = 0, dim = 0;
  Plan plan;
  std::vector<double> seconds;  // rising
  std::uint64_t peak = 0;
  FitReport report;
  double eigenvalue_error = 0;
  bool kept = false;  // as accurate as the scenario asks

  double median() const {
    const std::size_t half = seconds.size() / 2;
    return seconds.size() % 2 == 1 ? seconds[half] : (seconds[half - 1] + seconds[half]) / 2;
  }
  double residual() const {
    const Vector& all = report.certificate.residuals;
    return all.size() > 0 ? all.maxCoeff() : 0;
  }
};

[[noreturn]] void refuse(std::string message, std::string hint) {
  throw Error(ErrorCode::bad_option_value, std::move(message), std::move(hint));
}

double positive(const std::string& text) {
  const auto value = parse_number(text);
  if (!value || !(*value >= 0) || *value > 1e12)
    refuse(fmt::format("{} is not a number >= 0", printable(text)), "such as 0.5");
  return *value;
}

Index whole(const std::string& text) {
  const double value = positive(text);
  if (value != std::floor(value))
    refuse(fmt::format("{} is not a whole number", printable(text)), "such as 10");
  return static_cast<Index>(value);
}

using Setter = void (*)(Scenario&, const std::string&);

const std::map<std::string, Setter>& setters() {
  using S = Scenario;
  using Text = const std::string&;
  static const std::map<std::string, Setter> all = {
      {"name", [](S& s, Text text) { s.name = text; }},
      {"data", [](S& s, Text text) { s.data = text; }},
      {"n", [](S& s, Text text) { s.generator.n = s.rows = whole(text); }},
      {"dim", [](S& s, Text text) { s.generator.dim = whole(text); }},
      {"classes", [](S& s, Text text) { s.generator.classes = whole(text); }},
      {"noise", [](S& s, Text text) { s.generator.noise = positive(text); }},
      {"seed", [](S& s, Text text) { s.generator.seed = static_cast<std::uint64_t>(whole(text)); }},
      {"method", [](S& s, Text text) { s.method = text; }},
      {"kernel", [](S& s, Text text) { s.fit.kernel = text; }},
      {"scale", [](S& s, Text text) { s.fit.scale = text; }},
      {"certify", [](S& s, Text text) { s.fit.certify = text; }},
      {"components", [](S& s, Text text) { s.fit.components = Components::parse(text); }},
      {"tolerance", [](S& s, Text text) { s.fit.tolerance = Tolerance::parse(text); }},
      {"memory", [](S& s, Text text) { s.memory = text; }},
      {"eigenvalue_error", [](S& s, Text text) { s.eigenvalue_error = positive(text); }},
  };
  return all;
}

// The line up to a # that does not stand in quotes.
std::string_view without_comment(std::string_view line) {
  bool quoted = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '"') quoted = !quoted;
    if (line[i] == '#' && !quoted) return line.substr(0, i);
  }
  return line;
}

// "text" in quotes without quotes or backslashes inside, or a bare number.
std::string value_of(std::string_view text) {
  const bool quoted = text.size() >= 2 && text.front() == '"' && text.back() == '"';
  const std::string_view inner = quoted ? text.substr(1, text.size() - 2) : text;
  if (quoted ? inner.find_first_of("\"\\") == inner.npos : parse_number(inner).has_value())
    return std::string(inner);
  refuse(fmt::format("the value {} is neither a number nor text in quotes", printable(text)),
         "write it like 10, 1e-6 or \"gaussian\"");
}

void read_line(std::string_view line, Scenario& scenario, std::vector<std::string>& seen) {
  const std::string_view text = trim(without_comment(line));
  if (text.empty()) return;
  const auto equals = text.find('=');
  if (equals == text.npos)
    refuse(fmt::format("\"{}\" is not key = value", printable(text)), "such as n = 1000");
  const std::string key(trim(text.substr(0, equals)));
  const auto setter = setters().find(key);
  if (setter == setters().end()) {
    std::vector<std::string> known;
    for (const auto& entry : setters()) known.push_back(entry.first);
    refuse(fmt::format("unknown key \"{}\"", printable(key)), suggest(key, known, "keys"));
  }
  if (std::ranges::find(seen, key) != seen.end())
    refuse(fmt::format("\"{}\" is given twice", key), "keep one of them");
  seen.push_back(key);
  setter->second(scenario, value_of(trim(text.substr(equals + 1))));
}

Scenario read_scenario(const std::string& file) {
  constexpr std::uint64_t kLargest = 1 << 20;
  Scenario scenario;
  scenario.file = file;
  scenario.name = std::filesystem::path(file).stem().string();
  std::vector<std::string> seen;
  Index number = 0;
  for (const std::string& line : split(read_file(file, kLargest), '\n')) {
    ++number;
    try {
      read_line(line, scenario, seen);
    } catch (const Error& error) {
      throw error.at(fmt::format("{}, line {}", printable(file), number));
    }
  }
  if (scenario.data.empty())
    throw Error(ErrorCode::bad_option_value, "the scenario names no data",
                "such as data = \"swiss_roll\" (mercer list data)", printable(file));
  return scenario;
}

// A generator's rows, or the first rows of a table, which is looked for beside the scenario.
Dataset data_of(const Scenario& scenario, const Context& context) {
  const auto path = std::filesystem::path(scenario.file).parent_path() / scenario.data;
  const auto known = generators();
  const bool made = std::ranges::any_of(
      known, [&](const Generator* generator) { return generator->name == scenario.data; });
  const bool like_a_path = scenario.data.find_first_of("./") != std::string::npos;
  if (made || (!like_a_path && !std::filesystem::exists(path)))
    return generate(scenario.data, scenario.generator);
  Dataset data = read_table(path.string(), {}, context).data;
  if (scenario.rows == 0 || scenario.rows >= data.n()) return data;
  std::vector<Index> first(static_cast<std::size_t>(scenario.rows));
  std::iota(first.begin(), first.end(), Index{0});
  return data.rows(first);
}

// From here on the system counts this process's peak anew; where it does not let us, the peak is
// that of the whole process, which is no less.
void forget_peak() { std::ofstream("/proc/self/clear_refs") << "5"; }

// The largest relative error of an eigenvalue, against a fit in double precision that is as exact
// as that allows: dense where that takes seconds, with a tight tolerance elsewhere.
double error_of(const Scenario& scenario, const Dataset& data, const FitReport& report,
                const BudgetArguments& asked, Terminal& terminal) {
  constexpr Index kDenseRows = 5000;
  constexpr double kTight = 1e-11;
  BudgetArguments budget;
  budget.threads = asked.threads;
  budget.precision = "double";
  if (data.n() <= kDenseRows) budget.solver_name = "dense";
  FitOptions options = scenario.fit;
  options.tolerance = Tolerance(kTight);
  options.components = Components(report.eigenvalues.size());
  terminal.say("Checking", "against a fit in double precision   --no-check");
  terminal.seconds_allowed = HUGE_VAL;  // --time is for what is measured
  const Context context = budget.context(terminal);
  const Vector exact = fit_model(scenario.method, data, options, context)->report.eigenvalues;
  const Index count = report.eigenvalues.size();
  if (exact.size() < count) return HUGE_VAL;
  if (count == 0) return 0;
  const auto right = exact.head(count).array();
  return ((report.eigenvalues.head(count).array() - right) / right).abs().maxCoeff();
}

Outcome run_scenario(const Scenario& scenario, const Arguments& args, const Machine* machine,
                     Terminal& terminal) {
  BudgetArguments budget = args.budget;
  if (budget.memory.empty()) budget.memory = scenario.memory;
  const auto fresh_context = [&] {  // --time counts for each run
    Context context = budget.context(terminal);
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
  outcome.plan = plan_model(scenario.method, data, scenario.fit, fresh_context());
  forget_peak();
  for (Index i = args.runs > 1 ? -1 : 0; i < args.runs; ++i) {  // -1: the warm-up
    const Context context = fresh_context();
    const Stopwatch clock;
    outcome.report = fit_model(scenario.method, data, scenario.fit, context)->report;
    if (i >= 0) outcome.seconds.push_back(clock.seconds());
  }
  outcome.peak = peak_memory();
  std::ranges::sort(outcome.seconds);
  // Completeness has a column of its own: flat spectra honestly end without it.
  outcome.kept = scenario.fit.tolerance.eigenvalues_only()
                     ? outcome.report.converged
                     : outcome.residual() <= scenario.fit.tolerance.value();
  if (!args.check || scenario.eigenvalue_error == 0) return outcome;
  outcome.eigenvalue_error = error_of(scenario, data, outcome.report, budget, terminal);
  outcome.kept = outcome.kept && outcome.eigenvalue_error <= scenario.eigenvalue_error;
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

Value json_of(const Scenario& scenario, const Outcome& outcome, bool checked) {
  Value value;
  value["schema"] = 1;
  value["name"] = scenario.name;
  value["file"] = scenario.file;
  value["n"] = outcome.n;
  value["dim"] = outcome.dim;
  value["components"] = outcome.report.eigenvalues.size();
  value["plan"] = outcome.plan.choice();
  Value& seconds = value["seconds"];
  seconds["median"] = outcome.median();
  seconds["predicted"] = outcome.plan.predicted_seconds;
  seconds["runs"] = Value::List(outcome.seconds.begin(), outcome.seconds.end());
  Value& memory = value["bytes"];
  memory["peak"] = outcome.peak;
  memory["predicted"] = outcome.plan.predicted_bytes;
  value["residual"] = outcome.residual();
  value["tolerance"] = scenario.fit.tolerance.text();
  value["eigenvalue_error"] = checked ? Value(outcome.eigenvalue_error) : Value();
  value["eigenvalue_error_allowed"] =
      scenario.eigenvalue_error > 0 ? Value(scenario.eigenvalue_error) : Value();
  value["complete"] = outcome.report.certificate.complete;
  value["certificate"] = outcome.report.certificate.kind;
  value["kept"] = outcome.kept;
  return value;
}

std::vector<std::string> row_of(const Scenario& scenario, const Outcome& outcome, bool checked) {
  const double spread = outcome.seconds.back() - outcome.seconds.front();
  return {printable(scenario.name),
          fmt::format("{} × {}", grouped(outcome.n), grouped(outcome.dim)),
          fmt::format("{} + {}", outcome.plan.operator_name, outcome.plan.solver_name),
          duration(outcome.median()),
          fmt::format("{:.0f} %", 100 * spread / outcome.median()),
          duration(outcome.plan.predicted_seconds),
          bytes(outcome.peak),
          bytes(outcome.plan.predicted_bytes),
          brief(outcome.residual(), 2),
          checked ? brief(outcome.eigenvalue_error, 2) : "—",
          completeness_text(outcome.report.certificate),
          outcome.kept ? "kept" : "MISSED"};
}

int run(const Arguments& args, Terminal& terminal) {
  constexpr Index kMostRuns = 1000;
  if (args.runs < 1 || args.runs > kMostRuns)
    refuse(fmt::format("--runs {}: must be 1 to {}", args.runs, kMostRuns), "such as --runs 5");
  std::vector<Scenario> scenarios;
  for (const std::string& file : args.files) scenarios.push_back(read_scenario(file));
  TextTable table({"scenario", "table", "plan", "median", "spread", "predicted", "peak",
                   "predicted", "residual", "eigenvalue error", "complete", "accuracy"});
  Value list = Value::list();
  bool kept = true;
  const std::optional<Machine> machine = stored_calibration(terminal);
  for (const Scenario& scenario : scenarios) {
    const Outcome outcome = measure(scenario, args, machine ? &*machine : nullptr, terminal);
    const bool checked = args.check && scenario.eigenvalue_error > 0;
    kept = kept && outcome.kept;
    table.add(row_of(scenario, outcome, checked));
    list.push_back(json_of(scenario, outcome, checked));
  }
  if (terminal.json)
    terminal.result(list);
  else
    terminal.data(table.text());
  return kept ? 0 : 6;
}

}  // namespace

void add_bench(Program& program) {
  const auto args = std::make_shared<Arguments>();
  Command command = program.command("bench", "run benchmark scenarios, predicted beside measured");
  command.positional("SCENARIO", args->files, "scenario files, such as bench/scenario/*.toml");
  command("runs", args->runs, "runs of each scenario, after one to warm up unless 1 (default 5)");
  command("check", args->check, "do not compute what the eigenvalues are compared with");
  args->budget.add_to(command, true);
  command.run([args](Terminal& terminal) { return run(*args, terminal); });
}

}  // namespace mercer::cli
