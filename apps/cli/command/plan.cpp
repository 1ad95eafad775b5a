// mercer plan TABLE [fit options]: the plan `mercer fit` would run, and what else was considered.
#include "apps/cli/calibration.h"
#include "apps/cli/command.h"
#include "apps/cli/fit_arguments.h"
#include "apps/cli/fit_plan.h"
#include "apps/cli/outputs.h"
#include "apps/cli/plan_text.h"
#include "apps/cli/report_text.h"
#include "mercer/core/untimed.h"
#include "mercer/models/model.h"

namespace mercer::cli {
namespace plan_command {
namespace {

int run(const FitArguments& args, Terminal& terminal) {
  // The time allowed is that of the fit: plans are judged by it, making them is not.
  Context context = untimed(context_of(args.budget, terminal));
  std::optional<Machine> machine = args.reproducible ? std::nullopt : stored_calibration(terminal);
  if (machine) context.budget.machine = &*machine;
  const ModelKind& kind = args.kind();
  const ReadOptions reading = args.reading.options();
  Files files(terminal);
  for (const std::string& table : args.tables) files.reads_table("the table", table, reading);
  if (!args.weights.empty()) files.reads_table("the weights (--weights)", args.weights, reading);
  if (!terminal.json) files.writes("the plan", "-");
  files.check();
  FitTable table = read_for_fit(args, reading, context, terminal);
  Training training = training_of(args, table);
  tell_columns(training.input, terminal);
  const Dataset weights = weights_of(args, context, terminal);
  if (weights.n() > 0) training.weights = weights;
  const Prepared prepared =
      about(args.place(), [&] { return kind.prepare(training, args.given, context); });
  const Plan plan = plan_with_rates(args, prepared, context, machine, terminal);
  const bool planned = !plan.operator_name.empty();
  if (terminal.json) {
    Value value;
    value["schema"] = 1;
    value["method"] = args.method;
    value["n"] = table.n();
    value["dim"] = table.dim();
    add_columns(training.input, value);
    value["plan"] = planned ? plan.report() : Value();
    terminal.result(value);
    return 0;
  }
  terminal.data(problem_line(args, prepared) + "\n\n" +
                (planned ? plan_table(plan) + rates_line(plan)
                         : "  there is one way to fit this method: nothing to choose\n"));
  return 0;
}

}  // namespace
}  // namespace plan_command

void add_plan(Program& program) {
  using namespace plan_command;
  const auto args = std::make_shared<FitArguments>();
  Command command = program.command("plan", "show the plan for a fit without running it");
  args->add_to_plan(command);
  command.example("mercer plan digits.csv --components 8",
                  "what mercer fit would run; it takes every option of a fit");
  command.run([args](Terminal& terminal) { return run(*args, terminal); });
}

}  // namespace mercer::cli
