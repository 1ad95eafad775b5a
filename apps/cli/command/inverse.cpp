// mercer inverse MODEL SCORES: from scores back to input space.
#include "apps/cli/model_table.h"
#include "apps/cli/row_command.h"
#include "mercer/core/parallel.h"
#include "mercer/core/text.h"

#include <fmt/format.h>

namespace mercer::cli {
namespace inverse_command {
namespace {

// Rows whose scores lie far outside the training ones, looked at a few thousand at a time.
std::vector<Index> extrapolated(const Inverts& model, DataView scores) {
  std::vector<Index> far;
  for (const Range part : tiles_of(scores.n(), 16 * kBlockRows)) {
    const Block block = scores.rows(part).to_points();
    for (const Index row : model.extrapolated(block)) far.push_back(part.begin + row);
  }
  return far;
}

int run(const RowArguments& args, Terminal& terminal) {
  const Context context = context_of(args.budget, terminal);
  refuse_filling(args.reading);
  refuse_unknown_texts(args.reading);
  refuse_keeping(args.reading, "a row without its scores leads nowhere");
  const ReadOptions reading = args.reading.options();
  OpenModel open = open_model(args, "the table of scores", reading, context, terminal);
  const auto& model = need<Inverts>(*open.model);
  const Table table = read_and_tell(args.table, reading, context, terminal);
  about(args.table, [&] { model.check_scores(table.data.dim()); });
  const std::vector<Index> far = extrapolated(model, table.data);
  if (!far.empty())
    terminal.line(fmt::format(
        "         {} of {} rows are extrapolated: their scores lie far outside the training "
        "ones (first: row {})",
        far.size(), grouped(table.data.n()), far[0] + 1));

  Delivery delivery{.n = table.data.n(), .columns = model.report.dim};
  delivery.make = [&](const TakeRows& take) { model.inverse_blocks(table.data, context, take); };
  delivery.write.ids = &table.data.ids;
  delivery.write.ids_name = table.texts.ids_name;
  delivery.write.rows_file = true;
  if (model.input.named_columns) delivery.write.column_names = model.input.column_names;
  // Row names without a header would be read back as a column.
  if (delivery.write.column_names.empty() && !table.data.ids.empty())
    for (Index j = 0; j < model.report.dim; ++j)
      delivery.write.column_names.push_back(fmt::format("col{}", j + 1));
  delivery.write.labels = &table.data.labels;
  delivery.name = "rows";
  delivery.before["dim"] = model.report.dim;
  delivery.before["extrapolated"] = Value::list();
  for (const Index row : far) delivery.before["extrapolated"].push_back(row + 1);
  delivery.after = [&] {
    open.warnings.insert(open.warnings.end(), table.warnings.begin(), table.warnings.end());
    Value rest;
    rest["warnings"] = warning_list(open.warnings);
    return rest;
  };
  deliver(args, delivery, context, terminal);
  return 0;
}

}  // namespace
}  // namespace inverse_command

void add_inverse(Program& program) {
  using namespace inverse_command;
  const auto args = std::make_shared<RowArguments>();
  Command command = program.command("inverse", "from scores back to input space");
  args->add_to(command, "SCORES", "table of scores, one column per component; - is standard input");
  command.run([args](Terminal& terminal) { return run(*args, terminal); });
}

}  // namespace mercer::cli
