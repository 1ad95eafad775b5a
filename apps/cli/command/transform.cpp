// mercer transform MODEL TABLE: scores of new rows.
#include "apps/cli/arguments.h"
#include "apps/cli/command.h"
#include "apps/cli/json_rows.h"
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
  const std::unique_ptr<Model> model = load_model(args.model, context);
  Warnings warnings = inherited_warnings(*model);
  for (const Warning& warning : warnings) terminal.warn(warning);
  const NewRows rows = read_new_rows(args.table, reading, *model, context, terminal);
  const double read = total.seconds();
  const Index n = rows.data.n(), components = model->score_columns();
  RowCount doubtful;
  double transformed = 0;  // seconds, without those of writing
  const auto transform = [&](const TakeRows& take) {
    const Stopwatch clock;
    double taking = 0;
    about(args.table, [&] {
      model->transform_blocks(
          rows.data, context,
          [&](DataView block) {
            const Stopwatch writing;
            terminal.clear_progress();  // the rows may go to the same screen
            take(block);
            taking += writing.seconds();
          },
          &doubtful);
    });
    transformed += clock.seconds() - taking;
  };
  TableRows scores(n, components, transform, context);
  const bool to_stdout = args.output == "-";
  const bool in_object = to_stdout && terminal.json;
  if (in_object)
    scores.all();
  else
    write_table(args.output, std::move(scores),
                {.column_names = score_names(components),
                 .ids = &rows.data.ids,
                 .ids_name = rows.ids_name,
                 .labels = &rows.data.labels,
                 .format = {}});
  if (doubtful.count > 0) {
    warnings.push_back(
        {WarningCode::far_rows,
         fmt::format("{} of {} rows {} so far from the training rows that their scores have few "
                     "digits left (the first is row {})",
                     grouped(doubtful.count), grouped(n), doubtful.count == 1 ? "lies" : "lie",
                     doubtful.first + 1)});
    terminal.warn(warnings.back());
  }
  if (!to_stdout)
    terminal.say("Wrote",
                 fmt::format("{} ({} × {})", printable(args.output), grouped(n), components));
  if (!terminal.json) return 0;
  Value value, rest;
  value["schema"] = 1;
  value["n"] = n;
  value["components"] = components;
  value["missing"] = rows.missing;
  value["output"] = to_stdout ? Value() : Value(args.output);
  warnings.insert(warnings.end(), rows.warnings.begin(), rows.warnings.end());
  rest["warnings"] = warning_list(warnings);
  Value& seconds = rest["seconds"];
  seconds["read"] = read;
  seconds["transform"] = transformed;
  seconds["total"] = total.seconds();
  rest["peak_bytes"] = peak_memory();
  if (in_object) {
    write_json_rows(terminal, value, "scores", scores.all(), rest);
  } else {
    for (const auto& [name, member] : rest.as_object()) value[name] = member;
    terminal.result(value);
  }
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
