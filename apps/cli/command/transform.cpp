// mercer transform MODEL TABLE: scores of new rows.
#include "apps/cli/arguments.h"
#include "apps/cli/command.h"
#include "apps/cli/model_table.h"
#include "apps/cli/outputs.h"
#include "mercer/core/system.h"
#include "mercer/core/text.h"
#include "mercer/io/model.h"

#include <fmt/format.h>

namespace mercer::cli {
namespace {

struct Arguments {
  std::string model, table, output = "-";
  ReadArguments reading;
  BudgetArguments budget;
};

int run(const Arguments& args, Terminal& terminal) {
  const Stopwatch total;
  const Context context = args.budget.context(terminal);
  const ReadOptions reading = args.reading.options();
  Files files(terminal);
  files.reads("the model", args.model);
  files.reads_table("the table", args.table, reading);
  if (!terminal.json || args.output != "-") files.writes_table("the output", args.output);
  files.check();
  const std::unique_ptr<Model> model = load_model(args.model);
  Warnings warnings = inherited_warnings(*model);
  for (const Warning& warning : warnings) terminal.warn(warning);
  const NewRows rows = read_new_rows(args.table, reading, *model, context, terminal);
  const double read = total.seconds();
  const Block scores = about(args.table, [&] { return model->transform(rows.data, context); });
  const double transformed = total.seconds() - read;
  const bool to_stdout = args.output == "-";
  if (!(to_stdout && terminal.json))
    write_table(args.output, scores,
                {.column_names = score_names(scores.cols()),
                 .ids = &rows.data.ids,
                 .ids_name = rows.ids_name,
                 .labels = &rows.data.labels,
                 .format = {}});
  if (!to_stdout)
    terminal.say("Wrote", fmt::format("{} ({} × {})", printable(args.output),
                                      grouped(scores.rows()), scores.cols()));
  if (!terminal.json) return 0;
  Value value;
  value["schema"] = 1;
  value["n"] = scores.rows();
  value["components"] = scores.cols();
  value["missing"] = rows.missing;
  value["output"] = to_stdout ? Value() : Value(args.output);
  if (to_stdout) {
    value["scores"] = Value::list();
    for (Index i = 0; i < scores.rows(); ++i)
      value["scores"].push_back(Value::of(Vector(scores.row(i).transpose())));
  }
  warnings.insert(warnings.end(), rows.warnings.begin(), rows.warnings.end());
  value["warnings"] = warning_list(warnings);
  Value& seconds = value["seconds"];
  seconds["read"] = read;
  seconds["transform"] = transformed;
  seconds["total"] = total.seconds();
  value["peak_bytes"] = peak_memory();
  terminal.result(value);
  return 0;
}

}  // namespace

void add_transform(Program& program) {
  const auto args = std::make_shared<Arguments>();
  Command command = program.command("transform", "scores of new rows under a model");
  command.positional("MODEL", args->model, "model file");
  command.positional("TABLE", args->table, "table with the model's columns; - is standard input");
  command.option("-o,--output", args->output, "file to write (default: standard output, as CSV)");
  args->budget.add_to(command, false);
  args->reading.add_to(command);
  command.run([args](Terminal& terminal) { return run(*args, terminal); });
}

}  // namespace mercer::cli
