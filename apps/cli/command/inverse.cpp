// mercer inverse MODEL SCORES: from scores back to input space.
#include "apps/cli/arguments.h"
#include "apps/cli/command.h"
#include "apps/cli/json_rows.h"
#include "apps/cli/model_table.h"
#include "apps/cli/outputs.h"
#include "mercer/core/parallel.h"
#include "mercer/core/text.h"
#include "mercer/io/model.h"

#include <fmt/format.h>

namespace mercer::cli {
namespace {

struct Arguments {
  std::string model, scores, output = "-";
  ReadArguments reading;
  BudgetArguments budget;
};

// Rows whose scores lie far outside the training ones, looked at a few thousand at a time.
std::vector<Index> extrapolated(const Model& model, DataView scores) {
  std::vector<Index> far;
  for (const Range part : tiles_of(scores.n(), 16 * kBlockRows)) {
    const Block block = scores.rows(part).to_points();
    for (const Index row : model.extrapolated(block)) far.push_back(part.begin + row);
  }
  return far;
}

int run(const Arguments& args, Terminal& terminal) {
  const Context context = args.budget.context(terminal);
  refuse_filling(args.reading);
  const ReadOptions reading = args.reading.options();
  Files files(terminal);
  files.reads("the model", args.model);
  files.reads_table("the table of scores", args.scores, reading);
  if (!terminal.json || args.output != "-") files.writes_table("the output", args.output);
  files.check();
  const std::unique_ptr<Model> model = load_model(args.model, context);
  Warnings warnings = inherited_warnings(*model);
  for (const Warning& warning : warnings) terminal.warn(warning);
  const Table table = read_and_tell(args.scores, reading, context, terminal);
  const Index n = table.data.n(), dim = model->report.dim;
  about(args.scores, [&] { model->check_scores(table.data.dim()); });
  TableRows rows(
      n, dim,
      [&](const TakeRows& take) {
        about(args.scores, [&] {
          model->inverse_blocks(table.data, context, [&](DataView block) {
            terminal.clear_progress();  // the rows may go to the same screen
            take(block);
          });
        });
      },
      context);
  const std::vector<Index> far = extrapolated(*model, table.data);
  if (!far.empty())
    terminal.line(fmt::format(
        "         {} of {} rows are extrapolated: their scores lie far outside the training "
        "ones (first: row {})",
        far.size(), grouped(n), far[0] + 1));
  const bool to_stdout = args.output == "-";
  const bool in_object = to_stdout && terminal.json;
  if (in_object)
    rows.all();
  else
    write_table(args.output, std::move(rows),
                {.column_names = model->input.named_columns ? std::move(model->input.column_names)
                                                            : std::vector<std::string>{},
                 .labels = &table.data.labels,
                 .format = {}});
  if (!to_stdout)
    terminal.say("Wrote", fmt::format("{} ({} × {})", printable(args.output), grouped(n), dim));
  if (!terminal.json) return 0;
  Value value;
  value["schema"] = 1;
  value["n"] = n;
  value["dim"] = dim;
  value["output"] = to_stdout ? Value() : Value(args.output);
  value["extrapolated"] = Value::list();
  for (const Index row : far) value["extrapolated"].push_back(row + 1);
  warnings.insert(warnings.end(), table.warnings.begin(), table.warnings.end());
  const Value::Object rest = {{"warnings", warning_list(warnings)}};
  if (in_object) {
    write_json_rows(terminal, value, "rows", rows.all(), rest);
  } else {
    value["warnings"] = rest[0].second;
    terminal.result(value);
  }
  return 0;
}

}  // namespace

void add_inverse(Program& program) {
  const auto args = std::make_shared<Arguments>();
  Command command = program.command("inverse", "from scores back to input space (pca)");
  command.positional("MODEL", args->model, "model file");
  command.positional("SCORES", args->scores,
                     "table of scores, one column per component; - is standard input");
  command.option("-o,--output", args->output, "file to write (default: standard output, as CSV)");
  args->budget.add_to(command, false);
  args->reading.add_to(command);
  command.run([args](Terminal& terminal) { return run(*args, terminal); });
}

}  // namespace mercer::cli
