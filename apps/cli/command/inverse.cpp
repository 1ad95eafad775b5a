// mercer inverse MODEL SCORES: from scores back to input space.
#include "apps/cli/arguments.h"
#include "apps/cli/command.h"
#include "apps/cli/model_table.h"
#include "apps/cli/outputs.h"
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

int run(const Arguments& args, Terminal& terminal) {
  const Context context = args.budget.context(terminal);
  refuse_filling(args.reading);
  const ReadOptions reading = args.reading.options();
  Files files(terminal);
  files.reads("the model", args.model);
  files.reads_table("the table of scores", args.scores, reading);
  if (!terminal.json || args.output != "-") files.writes_table("the output", args.output);
  files.check();
  const std::unique_ptr<Model> model = load_model(args.model);
  Warnings warnings = inherited_warnings(*model);
  for (const Warning& warning : warnings) terminal.warn(warning);
  const Table table = read_and_tell(args.scores, reading, context, terminal);
  const Block scores = table.data.view().to_points();
  const Points rows = about(args.scores, [&] { return model->inverse(scores, context); });
  const std::vector<Index> far = model->extrapolated(scores);
  if (!far.empty())
    terminal.line(fmt::format(
        "         {} of {} rows are extrapolated: their scores lie far outside the training "
        "ones (first: row {})",
        far.size(), grouped(scores.rows()), far[0] + 1));
  const bool to_stdout = args.output == "-";
  if (!(to_stdout && terminal.json))
    write_table(args.output, rows,
                {.column_names = model->input.named_columns ? model->input.column_names
                                                            : std::vector<std::string>{},
                 .labels = &table.data.labels,
                 .format = {}});
  if (!to_stdout)
    terminal.say("Wrote", fmt::format("{} ({} × {})", printable(args.output), grouped(rows.rows()),
                                      rows.cols()));
  if (!terminal.json) return 0;
  Value value;
  value["schema"] = 1;
  value["n"] = rows.rows();
  value["dim"] = rows.cols();
  value["output"] = to_stdout ? Value() : Value(args.output);
  value["extrapolated"] = Value::list();
  for (const Index row : far) value["extrapolated"].push_back(row + 1);
  if (to_stdout) {
    value["rows"] = Value::list();
    for (Index i = 0; i < rows.rows(); ++i)
      value["rows"].push_back(Value::of(Vector(rows.row(i).transpose())));
  }
  warnings.insert(warnings.end(), table.warnings.begin(), table.warnings.end());
  value["warnings"] = warning_list(warnings);
  terminal.result(value);
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
