// mercer convert IN OUT: any readable table to any writable one; --sniff shows what was detected.
#include "apps/cli/arguments.h"
#include "apps/cli/command.h"
#include "apps/cli/outputs.h"
#include "mercer/core/text.h"
#include "mercer/io/rows_file.h"

#include <fmt/format.h>

#include <string_view>

namespace mercer::cli {
namespace convert_command {
namespace {

struct Arguments {
  std::string input, output;
  bool sniff = false, force = false;
  ReadWords reading;
  BudgetWords budget;
};

// The options as they would be typed; the delimiter may be one that the shell reads.
std::string flags_text(const Table& table) {
  std::string text;
  for (const std::string& flag : table.flags) {
    const bool plain =
        flag.find_first_not_of("-abcdefghijklmnopqrstuvwxyz_0123456789.,") == flag.npos;
    text += (text.empty() ? "" : " ") + (plain ? flag : "'" + flag + "'");
  }
  return text;
}

Value describe(const Table& table) {
  Value value;
  value["schema"] = 1;
  value["format"] = table.format;
  value["n"] = table.data.n();
  value["dim"] = table.data.dim();
  value["columns"] = Value::of(table.data.column_names);
  value["labels"] = table.data.labels.count();
  value["texts"] = Value::list();
  for (const TextOfRows& column : table.texts.columns)
    if (!column.classes) value["texts"].push_back(column.texts.name);
  value["flags"] = flags_text(table);
  value["notes"] = Value::list();
  for (const Note& note : table.notes) {
    Value entry;
    entry["text"] = note.text;
    entry["flag"] = note.flag;
    value["notes"].push_back(std::move(entry));
  }
  return value;
}

// Labels and row names need a header, or they would be read back as columns of numbers. The table's
// names are taken, not copied.
std::vector<std::string> names_to_write(Table& table) {
  Dataset& data = table.data;
  if (table.named_columns) return std::move(data.column_names);
  if (data.labels.empty() && data.ids.empty() && table.texts.columns.empty()) return {};
  if (!data.column_names.empty()) return std::move(data.column_names);
  std::vector<std::string> names;
  for (Index j = 0; j < data.dim(); ++j) names.push_back(fmt::format("col{}", j + 1));
  return names;
}

// Sparse rows are spread out by every format but Matrix Market.
void check_size(const Dataset& data, const std::string& output, const Context& context) {
  if (!data.sparse() || output.find(".mtx") != output.npos) return;
  const double need = 8.0 * static_cast<double>(data.n()) * static_cast<double>(data.dim());
  if (need <= static_cast<double>(context.budget.memory)) return;
  throw Error(
      ErrorCode::over_memory,
      fmt::format("{} x {} sparse numbers would be spread out to {:.3g} bytes, the budget is {}",
                  grouped(data.n()), grouped(data.dim()), need, bytes(context.budget.memory)),
      "write Matrix Market (.mtx), which keeps them sparse");
}

// Arrays and Matrix Market have no place for names.
bool has_header(std::string_view output) {
  for (const std::string_view compression : {".gz", ".zst"})
    if (output.ends_with(compression)) output.remove_suffix(compression.size());
  return !output.ends_with(".npy") && !output.ends_with(".mtx");
}

// A folder of images has as many columns as pixels, and no names until they are made here.
std::uint64_t bytes_of_names(const Table& table, const std::string& output) {
  constexpr std::uint64_t kName = 3 * sizeof(std::string);  // the list is there twice as it grows
  constexpr Index kFew = 20'000;
  const Index dim = table.data.dim();
  return dim > kFew && has_header(output) ? static_cast<std::uint64_t>(dim) * kName : 0;
}

std::uint64_t bytes_of_texts(const Table& table) {
  std::uint64_t sum = 0;
  for (const TextOfRows& column : table.texts.columns) sum += column.texts.bytes();
  return sum;
}

// Columns of text go where the format has a place for them, or to a file beside it.
void tell_lost_texts(const Table& table, const std::string& output, Terminal& terminal) {
  std::string_view name = output;
  for (const std::string_view compression : {".gz", ".zst"})
    if (name.ends_with(compression)) name.remove_suffix(compression.size());
  const bool lost = name.ends_with(".npz") || name.ends_with(".mtx");
  if (!lost) return;
  std::vector<std::string> names;
  for (const TextOfRows& column : table.texts.columns)
    if (!column.classes) names.push_back(fmt::format("\"{}\"", printable(column.texts.name)));
  if (names.empty()) return;
  terminal.line(fmt::format("         left out, for the format has no place for texts: {}",
                            fmt::join(names, ", ")));
}

int run(const Arguments& args, Terminal& terminal) {
  const Context context = context_of(args.budget, terminal);
  if (args.output.empty() && !args.sniff)
    throw Error(ErrorCode::missing_argument, "OUT is missing",
                "mercer convert IN OUT, or mercer convert IN --sniff");
  if (args.sniff && args.output == "-" && !terminal.json)
    throw Error(ErrorCode::bad_option_value,
                "--sniff prints on standard output, which carries the table already",
                "leave out OUT, or name a file");
  // As with `data`: the object takes the table's place on standard output.
  const bool object_only = terminal.json && args.output == "-";
  refuse_model_policy(args.reading);
  refuse_unknown_texts(args.reading);
  ReadOptions reading = args.reading.options();
  // What is only looked at is shown as a fit would read it.
  reading.columns.known.keep_empty = reading.columns.keep_texts = !args.output.empty();
  Files files(terminal);
  files.reads_table("the table", args.input, reading);
  if (!object_only) files.writes_rows("the output", args.output);
  files.may_force(args.force);
  files.check();
  terminal.stage("read", args.output.empty() ? 1 : 0.5);
  Table table = read_and_tell(args.input, reading, context, terminal);
  const Value description = terminal.json ? describe(table) : Value();
  if (!args.output.empty() && !object_only) {
    check_size(table.data, args.output, context);
    const auto texts = context.hold(bytes_of_texts(table), "the columns of text");
    const auto names = context.hold(bytes_of_names(table, args.output), "the names of the columns");
    terminal.stage("write", 1);
    const WriteOptions options{.column_names = has_header(args.output) ? names_to_write(table)
                                                                       : std::vector<std::string>(),
                               .ids = &table.data.ids,
                               .ids_name = table.texts.ids_name,
                               .labels = &table.data.labels,
                               .texts = &table.texts.columns,
                               .format = {},
                               .rows_file = true};
    tell_lost_texts(table, args.output, terminal);
    write_table(args.output, TableRows(table.data, context), options);
    const std::string beside = rows_file_of(args.output, options);
    if (args.output != "-")
      terminal.say("Wrote", fmt::format("{} ({} × {}){}", printable(args.output),
                                        grouped(table.data.n()), grouped(table.data.dim()),
                                        beside.empty() ? "" : ", " + printable(beside)));
  }
  if (terminal.json)
    terminal.result(description);
  else if (args.sniff && args.output != "-")
    terminal.data(flags_text(table) + "\n");
  return 0;
}

}  // namespace
}  // namespace convert_command

void add_convert(Program& program) {
  using namespace convert_command;
  const auto args = std::make_shared<Arguments>();
  args->reading.columns.missing = "keep";  // another format is no reason to refuse a gap
  Command command =
      program.command("convert", "read a table in any format and write it in another");
  command.positional("IN", args->input, "table to read; - is standard input");
  command.positional(
      "OUT", args->output,
      "table to write (.csv, .tsv, .npy, .npz, .mtx; .gz and .zst too); - is standard output",
      false);
  command.flag("sniff", args->sniff, "print what was detected, as flags");
  command.group("Table");
  command.words(args->reading);
  command.group("Machine");
  command.words(args->budget);
  command.group("Output");
  command.flag("force", args->force, kForceHelp);
  command.run([args](Terminal& terminal) { return run(*args, terminal); });
}

}  // namespace mercer::cli
