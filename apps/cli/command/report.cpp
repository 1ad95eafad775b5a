// mercer report MODEL [TABLE]: one HTML page that can be handed on.
#include "apps/cli/arguments.h"
#include "apps/cli/command.h"
#include "apps/cli/method_options.h"
#include "apps/cli/outputs.h"
#include "apps/cli/picture_output.h"
#include "apps/cli/report_text.h"
#include "apps/cli/shell.h"
#include "mercer/core/text.h"
#include "mercer/io/json.h"
#include "mercer/io/model.h"
#include "mercer/models/kind.h"
#include "mercer/page/page.h"

#include <fmt/format.h>
#include <limits.h>

#include <filesystem>
#include <fstream>

namespace mercer::cli {
namespace report_command {
namespace {

struct ReportArguments {
  std::string model, table, output, title, image_size;
  bool force = false;
  ReadWords reading;
  BudgetWords budget;

  void add_to(Command& command);
};

void ReportArguments::add_to(Command& command) {
  command.positional("MODEL", model, "model file");
  command.positional("TABLE", table, "rows to show in place of the training rows", false);
  command.group("Page");
  command.option("title", title, "heading of the page (default: the method and the table)", "TEXT");
  command.option("image-size", image_size, "rows are images of this height and width", "HxW");
  command.group("Table");
  command.words(reading);
  command.group("Machine");
  command.words(budget);
  command.group("Output");
  command.option("-o,--output", output,
                 "file to write; - is standard output (default: the model's name with .html, in "
                 "the current folder)",
                 "FILE");
  command.flag("force", force, "write over a file that is no report");
}

std::string default_output(const std::string& model) {
  std::string name = base_name(model);
  constexpr std::string_view kExtension = ".mercer";
  if (name.ends_with(kExtension) && name.size() > kExtension.size())
    name.resize(name.size() - kExtension.size());
  name += ".html";
  if (name.size() > NAME_MAX)
    throw Error(ErrorCode::write_failed,
                fmt::format("the page would be called after its model, by a name of {} bytes; "
                            "names have at most {}",
                            name.size(), NAME_MAX),
                "name it with -o, such as -o report.html", printable(name));
  return name;
}

void check_report_output(const std::string& path) {
  std::error_code none;
  if (path == "-" || !std::filesystem::is_regular_file(path, none)) return;
  std::ifstream file(path, std::ios::binary);
  std::string head(page::kBeginning.size(), '\0');
  file.read(head.data(), static_cast<std::streamsize>(head.size()));
  head.resize(static_cast<std::size_t>(file.gcount()));
  if (head.empty() || head == page::kBeginning) return;
  throw Error(ErrorCode::would_overwrite,
              fmt::format("{} exists and is not a report", printable(path)),
              "name another output with -o, or add --force");
}

// What can be known to be wrong before anything is read.
std::string checked_output(const ReportArguments& args, const Terminal& terminal) {
  const std::string output = args.output.empty() ? default_output(args.model) : args.output;
  if (terminal.json && output == "-")
    throw Error(ErrorCode::bad_option_value,
                "standard output can carry one of the page and the JSON object",
                "name a file with -o");
  Files files(terminal);
  files.reads("the model", args.model);
  if (!args.table.empty()) files.reads_table("the table", args.table, args.reading.options());
  files.writes("the page", output);
  files.check();
  if (!args.force) check_report_output(output);
  return output;
}

// " --name value" for each option of the fit that is not as usual.
std::string changed_options(const Model& model) {
  std::string text;
  for (const OptionInfo& option : model_kind(model.kind()).options()) {
    const Value& value = model.options[option.name];
    if (value.is_null() || value == option.initial) continue;
    text += " " + flag_of(option);
    if (option.type != OptionType::flag)
      text += " " + quoted(value.is_text() ? value.as_text() : to_json(value));
  }
  return text;
}

// Names of the columns that were put aside for this reason.
std::string aside_for(const ColumnUse& use, std::string_view reason) {
  std::vector<std::string> names;
  for (const SetAside& column : use.set_aside)
    if (column.reason == reason) names.push_back(column.name);
  return fmt::format("{}", fmt::join(names, ","));
}

// " --encode onehot:region,date-dmy:day": texts became numbers so.
std::string encodings(const ColumnUse& use) {
  std::vector<std::string> words;
  for (const Encoding& one : use.encoded) {
    const bool order = one.format == "dmy" || one.format == "mdy";
    words.push_back(fmt::format("{}{}:{}", one.as, order ? "-" + one.format : "", one.column));
  }
  return words.empty() ? "" : " --encode " + quoted(fmt::format("{}", fmt::join(words, ",")));
}

// Several tables that were read as one have one name: theirs, with ", " between them.
std::string tables_of(const std::string& name) {
  std::string text;
  for (const std::string& part : split(name, ',')) {
    const std::string table(trim(part));
    if (table.find('.') == table.npos) return " " + quoted_path(name);  // a comma of its own
    text += " " + quoted_path(table);
  }
  return text;
}

// The fit as far as the model knows it.
std::string fit_command(const Model& model, const std::string& file) {
  const InputInfo& input = model.input;
  std::string text = "mercer fit" + tables_of(model.first().input.name) + encodings(input.use);
  if (model.kind() != kDefaultMethod) text += fmt::format(" --method {}", model.kind());
  if (model.on != nullptr) text += " --on MODEL";
  text += changed_options(model);
  if (!input.labels->name.empty()) text += " --label " + quoted(input.labels->name);
  if (!input.target_names.empty())
    text += " --target " + quoted(fmt::format("{}", fmt::join(input.target_names, ",")));
  const std::string dropped = aside_for(input.use, aside::kDropped);
  if (!dropped.empty()) text += " --drop " + quoted(dropped);
  if (input.missing.policy != "error") text += " --missing " + input.missing.policy;
  return text + " -o " + quoted_path(file);
}

std::vector<std::string> commands_of(const ReportArguments& args, const Model& model) {
  const std::string file = base_name(args.model);
  std::string report = "mercer report " + quoted_path(file);
  if (!args.table.empty()) report += " " + quoted_path(base_name(args.table));
  if (!args.image_size.empty()) report += " --image-size " + quoted(args.image_size);
  if (!args.title.empty()) report += " --title " + quoted(args.title);
  return {fit_command(model, file), report};
}

// Rows are images of the size that was told, whatever the table and the model know of it.
void take_image_shape(const std::vector<Index>& shape, Model& model,
                      std::optional<plot::PlotTable>& table) {
  if (shape.empty()) return;
  Index numbers = 1;
  for (const Index extent : shape) numbers *= extent;
  const Index dim = model.first().report.dim;
  if (numbers != dim || model.on != nullptr || model.needs_cross_matrix())
    throw Error(ErrorCode::bad_option_value,
                fmt::format("--image-size: images of {} have {} numbers, rows have {}",
                            fmt::join(shape, "x"), numbers, dim),
                "give the height and width of the images, or leave --image-size out");
  model.input.image_shape = shape;
  if (table) table->image_shape = shape;
}

int run(const ReportArguments& args, Terminal& terminal) {
  const Context context = context_of(args.budget, terminal);
  const std::string output = checked_output(args, terminal);
  const std::vector<Index> image_shape = image_shape_in(args.image_size);
  terminal.stage("read", 0.4);
  const std::unique_ptr<Model> model = load_model(args.model, context);
  std::optional<plot::PlotTable> table =
      table_to_draw(args.table, args.reading, *model, context, terminal);
  take_image_shape(image_shape, *model, table);
  const plot::PlotSource source(*model, std::move(table), context);
  const page::PageOptions options{.title = args.title, .commands = commands_of(args, *model)};
  terminal.stage("draw", 1);
  const page::Page made = about(args.table.empty() ? args.model : args.table,
                                [&] { return page::page_of(source, options); });
  terminal.clear_progress();
  write_whole(output, made.html);
  if (output != "-")
    terminal.say("Wrote",
                 fmt::format("{} ({}; {})", printable(output), bytes(made.html.size()),
                             number_of(static_cast<Index>(made.figures.size()), "figure")));
  Value value;
  value["schema"] = 1;
  value["output"] = output;
  value["bytes"] = static_cast<std::int64_t>(made.html.size());
  value["n"] = source.n();
  value["figures"] = Value::of(made.figures);
  value["left_out"] = Value::list();
  for (const page::LeftOut& one : made.left_out) {
    Value entry;
    entry["kind"] = one.kind;
    entry["reason"] = one.reason;
    value["left_out"].push_back(std::move(entry));
  }
  if (terminal.json) terminal.result(value);
  return 0;
}

}  // namespace
}  // namespace report_command

void add_report(Program& program) {
  using namespace report_command;
  const auto args = std::make_shared<ReportArguments>();
  Command command =
      program.command("report", "one HTML page about a model, complete in itself, to hand on");
  args->add_to(command);
  command.example("mercer report digits.mercer", "writes digits.html");
  command.example("mercer report wine.mercer wine.csv -o wine.html --title \"Wines of 2024\"",
                  "with the table, for what a model does not keep, or for new rows");
  command.run([args](Terminal& terminal) { return run(*args, terminal); });
}

}  // namespace mercer::cli
