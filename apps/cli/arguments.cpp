#include "apps/cli/arguments.h"

#include "apps/cli/report_text.h"
#include "mercer/core/error.h"
#include "mercer/core/text.h"

#include <fmt/format.h>

#include <filesystem>

namespace mercer::cli {

void refuse_model_policy(const ReadWords& reading) {
  if (reading.columns.missing != "model") return;
  throw Error(ErrorCode::bad_option_value,
              "--missing model: there is no model here that could do without missing values",
              "use --missing drop");
}

void refuse_keeping(const ReadWords& reading, const std::string& why) {
  if (reading.columns.missing != "keep") return;
  throw Error(ErrorCode::bad_option_value, "--missing keep: " + why, "use --missing drop");
}

void refuse_unknown_texts(const ReadWords& reading) {
  if (reading.columns.encode_unknown != "zero") return;
  throw Error(ErrorCode::bad_option_value,
              "--encode-unknown is of new rows: without a model every text of a table is known",
              "give it to transform or predict");
}

void refuse_filling(const ReadWords& reading) {
  const std::string& missing = reading.columns.missing;
  refuse_model_policy(reading);
  if (missing != "mean" && missing != "median") return;
  throw Error(
      ErrorCode::bad_option_value,
      fmt::format("--missing {}: these rows cannot be filled in from their own table", missing),
      "use --missing drop");
}

Context context_of(const BudgetWords& words, Terminal& terminal) {
  Context context;
  context.budget = words.budget();
  context.account = MemoryAccount(context.budget.memory);
  if (!words.time.empty()) terminal.seconds_allowed = context.budget.seconds;
  context.observer = terminal.observer();
  return context;
}

std::string base_name(const std::string& path) {
  return std::filesystem::path(path).filename().string();
}

Table read_and_tell(const std::string& path, const ReadOptions& options, const Context& context,
                    Terminal& terminal) {
  Table table = read_table(path, options, context);
  if (table.data.held_bytes() == 0) table.data.hold(context);
  const Dataset& data = table.data;
  std::string what =
      fmt::format("{}   {} × {} ({})", path == "-" ? "standard input" : printable(base_name(path)),
                  grouped(data.n()), grouped(data.dim()), table.format);
  if (data.sparse()) what += fmt::format(", sparse: {} non-zeros", grouped(data.view().stored()));
  if (table.image_shape.size() >= 2)
    what += fmt::format(", {}×{} images", table.image_shape[0], table.image_shape[1]);
  if (!data.labels.empty())
    what += fmt::format(
        ", {}{}", number_of(data.labels.count(), "class", "classes"),
        data.labels.name.empty() ? "" : fmt::format(" in \"{}\"", printable(data.labels.name)));
  terminal.say("Reading", what);
  for (const Note& note : table.notes)
    terminal.line(
        fmt::format("         {}{}", note.text, note.flag.empty() ? "" : "   " + note.flag));
  if (table.gaps.rows_dropped > 0)
    terminal.line(fmt::format("         {} with missing values left out",
                              number_of(table.gaps.rows_dropped, "row")));
  if (table.gaps.cells_filled > 0)
    terminal.line(fmt::format("         {} filled in by the column's {}",
                              number_of(table.gaps.cells_filled, "missing value"),
                              options.columns.missing));
  for (const Warning& warning : table.warnings) terminal.warn(warning);
  return table;
}

}  // namespace mercer::cli
