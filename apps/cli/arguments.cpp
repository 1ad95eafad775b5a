#include "apps/cli/arguments.h"

#include "mercer/core/error.h"
#include "mercer/core/system.h"
#include "mercer/core/text.h"
#include "mercer/operators/recipe.h"
#include "mercer/solvers/recipe.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <filesystem>

namespace mercer::cli {
namespace {

// Less is a unit forgotten: --memory 4 where 4G was meant.
constexpr std::uint64_t kLeastMemory = std::uint64_t{1} << 20;

Index whole_number(const char* option, const std::string& text, double least) {
  const auto value = parse_number(text);
  if (!value || *value != std::floor(*value) || *value < least || *value > 1e15)
    throw Error(
        ErrorCode::bad_option_value,
        fmt::format("--{} {}: must be a whole number >= {}", option, printable(text), least),
        fmt::format("such as --{} {}", option, least + 1));
  return static_cast<Index>(*value);
}

std::optional<char> single_character(const char* option, const std::string& text) {
  if (text.empty()) return std::nullopt;
  if (text == "tab" || text == "\\t") return '\t';
  if (text == "space") return ' ';
  if (text == "comma") return ',';
  if (text == "semicolon") return ';';
  if (text.size() == 1) return text[0];
  throw Error(ErrorCode::bad_option_value,
              fmt::format("--{} {}: must be one character", option, printable(text)),
              "tab, space, comma and semicolon may be written as words");
}

std::uint64_t memory_limit(const std::string& text) {
  if (text.empty()) return default_memory();
  const auto size = parse_bytes(text);
  if (!size)
    throw Error(ErrorCode::bad_size, fmt::format("--memory {}: not a size", printable(text)),
                "write a number and a unit: K, M, G or T, such as --memory 4G");
  if (*size < kLeastMemory)
    throw Error(ErrorCode::bad_size,
                fmt::format("--memory {} is {}: too little to start", text, bytes(*size)),
                text.find_first_not_of("0123456789.") == text.npos
                    ? fmt::format("did you mean --memory {}G?", text)
                    : "such as --memory 64M");
  return *size;
}

double time_limit(const std::string& text) {
  const auto seconds = parse_seconds(text);
  if (!seconds || !(*seconds > 0))
    throw Error(ErrorCode::bad_option_value, fmt::format("--time {}: not a time", printable(text)),
                "write a number and a unit: ms, s, min, h or d, such as --time 10min");
  return *seconds;
}

void check_device(const std::string& device) {
  if (device == "auto" || device == "cpu") return;
  if (device == "cuda")
    throw Error(ErrorCode::backend_missing, "this build has no CUDA", "drop --device cuda");
  static const std::array<std::string, 2> known = {"auto", "cpu"};
  throw Error(ErrorCode::bad_option_value, fmt::format("--device {}: not known", printable(device)),
              suggest(device, known, "devices"));
}

// A variable of the shell that is empty must not become the planner's choice unseen.
template <class Recipe>
void refuse_empty(const char* option, const std::string& name,
                  const std::vector<const Recipe*>& recipes) {
  if (!name.empty()) return;
  std::string known = "auto";
  for (const Recipe* recipe : recipes) known += fmt::format(", {}", recipe->name);
  throw Error(ErrorCode::bad_option_value, fmt::format("--{} \"\": the name is empty", option),
              fmt::format("{}s: {}", option, known));
}

}  // namespace

void ReadArguments::add_to(Command& command) {
  command.option("format", format,
                 "format of the table, instead of finding out (mercer list formats)");
  command.option("delimiter", delimiter, "character between cells: one character, tab or space");
  command.option("decimal", decimal, "decimal mark: . or ,");
  command.option("thousands", thousands, "character that groups digits");
  command.option("header", header, "yes or no: whether the first row names the columns");
  command.option("na", na, "text that means a missing value (repeatable)");
  command.option("skip", skip, "lines to skip at the top");
  command.option("columns", columns,
                 "columns to use, by name or number (comma-separated, repeatable)");
  command.option("drop", drop, "columns to leave out (comma-separated, repeatable)");
  command.option("label", label, "column that holds the classes; none: no column does");
  command.option("missing", missing, "rows with missing values: error, drop, mean or median");
  command.flag("images", images, "flatten arrays of more than two dimensions");
  command.option("first-index", first_index,
                 "LibSVM: 0 or 1, where indices begin (default: 1 unless a 0 occurs)");
  command.option("rejects", rejects,
                 "file for rows that cannot be read, which are then left out (CSV)");
}

ReadOptions ReadArguments::options() const {
  ReadOptions options;
  options.format = format;
  options.delimiter = single_character("delimiter", delimiter);
  options.decimal = single_character("decimal", decimal);
  options.thousands = single_character("thousands", thousands);
  if (options.decimal && *options.decimal != '.' && *options.decimal != ',')
    throw Error(ErrorCode::bad_option_value,
                fmt::format("--decimal {}: must be . or ,", printable(decimal)),
                "use --decimal . or --decimal ,");
  if (!header.empty()) {
    if (header != "yes" && header != "no")
      throw Error(ErrorCode::bad_option_value,
                  fmt::format("--header {}: must be yes or no", printable(header)),
                  "use --header yes or --header no");
    options.header = header == "yes";
  }
  options.na = na;
  options.skip = whole_number("skip", skip, 0);
  options.columns = columns;
  options.drop = drop;
  options.label = label;
  static const std::array<std::string, 4> policies = {"error", "drop", "mean", "median"};
  if (std::ranges::find(policies, missing) == policies.end())
    throw Error(ErrorCode::bad_option_value,
                fmt::format("--missing {}: not known", printable(missing)),
                suggest(missing, policies, "policies"));
  options.missing = missing;
  options.images = images;
  if (rejects == "-")
    throw Error(ErrorCode::bad_option_value,
                "--rejects -: rejected rows go to a file, standard output is for results",
                "such as --rejects rejects.csv");
  options.rejects = rejects;
  if (!first_index.empty()) {
    if (first_index != "0" && first_index != "1")
      throw Error(ErrorCode::bad_option_value,
                  fmt::format("--first-index {}: must be 0 or 1", printable(first_index)),
                  "use --first-index 0 or --first-index 1");
    options.first_index = first_index == "0" ? 0 : 1;
  }
  return options;
}

void refuse_filling(const ReadArguments& reading) {
  if (reading.missing != "mean" && reading.missing != "median") return;
  throw Error(ErrorCode::bad_option_value,
              fmt::format("--missing {}: these rows cannot be filled in from their own table",
                          reading.missing),
              "use --missing drop");
}

void BudgetArguments::add_to(Command& command, bool with_plan) {
  command.option(
      "memory", memory,
      "memory the run may take, such as 4G (default: half of the machine's): table, model, matrix, "
      "blocks, results; the program itself, about 12 MB, comes on top");
  command.option("threads", threads, "threads to use (default: all)");
  if (!with_plan) return;
  command.option("time", time,
                 "time the run may take, such as 500ms, 90s, 10min or 2h (default: any)");
  command.option("device", device, "where to compute: auto or cpu");
  command.option("precision", precision, "inside kernel tiles: auto, single or double");
  command.option("operator", operator_name, "how the matrix is applied (mercer list operators)");
  command.option("solver", solver_name, "eigensolver (mercer list solvers)");
}

Context BudgetArguments::context(Terminal& terminal) const {
  Context context;
  context.budget.memory = memory_limit(memory);
  context.account = MemoryAccount(context.budget.memory);
  if (!threads.empty()) context.budget.threads = whole_number("threads", threads, 1);
  if (context.budget.threads > 1024)
    throw Error(ErrorCode::bad_option_value, fmt::format("--threads {}: must be <= 1024", threads),
                "leave it out to use all processors");
  if (!time.empty()) {
    context.budget.seconds = time_limit(time);
    terminal.seconds_allowed = context.budget.seconds;
  }
  check_device(device);
  if (precision == "single")
    context.budget.precision = Precision::single_;
  else if (precision == "double")
    context.budget.precision = Precision::double_;
  else if (precision != "auto")
    throw Error(ErrorCode::bad_option_value,
                fmt::format("--precision {}: not known", printable(precision)),
                "use auto, single or double");
  refuse_empty("operator", operator_name, operator_recipes());
  refuse_empty("solver", solver_name, solver_recipes());
  if (operator_name != "auto") operator_recipe(operator_name);
  if (solver_name != "auto") solver_choice(solver_name);
  context.budget.operator_name = operator_name == "auto" ? std::string_view() : operator_name;
  context.budget.solver_name = solver_name == "auto" ? std::string_view() : solver_name;
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
        ", {} class{}{}", data.labels.classes.size(), data.labels.classes.size() == 1 ? "" : "es",
        data.labels.name.empty() ? "" : fmt::format(" in \"{}\"", printable(data.labels.name)));
  terminal.say("Reading", what);
  for (const Note& note : table.notes)
    terminal.line(
        fmt::format("         {}{}", note.text, note.flag.empty() ? "" : "   " + note.flag));
  if (table.rows_dropped > 0)
    terminal.line(fmt::format("         {} row{} with missing values left out",
                              grouped(table.rows_dropped), table.rows_dropped == 1 ? "" : "s"));
  if (table.cells_filled > 0)
    terminal.line(fmt::format("         {} missing value{} filled in by the column's {}",
                              grouped(table.cells_filled), table.cells_filled == 1 ? "" : "s",
                              options.missing));
  for (const Warning& warning : table.warnings) terminal.warn(warning);
  return table;
}

}  // namespace mercer::cli
