// mercer impute MODEL TABLE: the table with its missing values filled in by what the model expects,
// given the other values of their rows.
#include "apps/cli/model_table.h"
#include "apps/cli/row_command.h"
#include "mercer/core/system.h"
#include "mercer/core/text.h"

#include <fmt/format.h>

#include <cmath>

namespace mercer::cli {
namespace impute_command {
namespace {

struct Gaps {
  Index cells = 0, rows = 0;
};

Gaps count_gaps(DataView rows, const Context& context) {
  Gaps gaps;
  Vector row(rows.dim());
  for (Index i = 0; i < rows.n(); ++i) {
    if (i % kBlockRows == 0) context.check_cancelled();
    rows.copy_row(i, row.data());
    const auto here = static_cast<Index>(row.array().isNaN().count());
    gaps.cells += here;
    gaps.rows += here > 0 ? 1 : 0;
  }
  return gaps;
}

// Another way to treat missing values would leave nothing to do.
ReadOptions reading_of(const RowArguments& args) {
  ReadOptions reading = args.reading.options();
  if (reading.columns.missing != "error" && reading.columns.missing != "model")
    throw Error(
        ErrorCode::bad_option_value,
        fmt::format("--missing {}: the model fills missing values in", reading.columns.missing),
        "drop --missing");
  reading.columns.missing = "keep";
  reading.columns.missing_given = true;
  return reading;
}

int run(const RowArguments& args, Terminal& terminal) {
  const Stopwatch total;
  const Context context = context_of(args.budget, terminal);
  const ReadOptions reading = reading_of(args);
  OpenModel open = open_model(args, "the table", reading, context, terminal);
  const auto& model = need<Imputes>(*open.model);
  const NewRows rows = read_new_rows(args.table, reading, model, context, terminal, true);
  const Gaps gaps = count_gaps(rows.data, context);
  terminal.say("Filled",
               fmt::format("{} missing value{} in {} of {} rows", grouped(gaps.cells),
                           gaps.cells == 1 ? "" : "s", grouped(gaps.rows), grouped(rows.data.n())));

  Delivery delivery{.n = rows.data.n(), .columns = model.report.dim};
  delivery.make = [&](const TakeRows& take) { model.impute_blocks(rows.data, context, take); };
  delivery.write = {.column_names = rows.data.column_names,
                    .ids = &rows.data.ids,
                    .ids_name = rows.ids_name,
                    .labels = &rows.data.labels,
                    .format = {},
                    .rows_file = true};
  delivery.name = "rows";
  delivery.before["method"] = model.kind();
  delivery.before["cells_filled"] = gaps.cells;
  delivery.before["rows_filled"] = gaps.rows;
  delivery.after = [&] { return closing(open, rows.warnings, total); };
  deliver(args, delivery, context, terminal);
  return 0;
}

}  // namespace
}  // namespace impute_command

void add_impute(Program& program) {
  using namespace impute_command;
  const auto args = std::make_shared<RowArguments>();
  Command command = program.command("impute", "missing values filled in by a model");
  args->add_to(command, "TABLE", "table with the model's columns; - is standard input");
  command.run([args](Terminal& terminal) { return run(*args, terminal); });
}

}  // namespace mercer::cli
