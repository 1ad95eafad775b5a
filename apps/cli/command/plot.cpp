// mercer plot MODEL [TABLE]: a picture of a model, as a file or in the terminal.
#include "apps/cli/arguments.h"
#include "apps/cli/command.h"
#include "apps/cli/model_table.h"
#include "apps/cli/outputs.h"
#include "apps/cli/picture_output.h"
#include "mercer/core/system.h"
#include "mercer/core/text.h"
#include "mercer/io/atomic_file.h"
#include "mercer/io/model.h"
#include "mercer/plot/kind.h"

#include <fmt/format.h>

#include <cmath>

namespace mercer::cli {
namespace {

constexpr const char* kUsualDpi = "96";

struct PlotArguments {
  std::string model, table, output;
  std::string kind, x, y, z, colour, count, image_size;
  std::string title, theme = "light", size, dpi = kUsualDpi, way = "auto";
  bool names = false, force = false;
  ReadWords reading;
  BudgetWords budget;

  void add_to(Command& command);
};

void PlotArguments::add_to(Command& command) {
  command.positional("MODEL", model, "model file");
  command.positional("TABLE", table, "rows to show in place of the training rows", false);
  command.group("Picture");
  std::vector<std::string> kinds;
  for (const plot::PlotKind* one : plot::plot_kinds()) kinds.emplace_back(one->name);
  const std::string shows =
      fmt::format("what it shows: {} (default: by the model)", fmt::join(kinds, ", "));
  command.option("kind", kind, shows, "KIND").choices = kinds;
  command.option("x", x, "component along the bottom, such as PC2; of a map, a column", "NAME");
  command.option("y", y, "component upwards; of a map, a column", "NAME");
  command.option("z", z, "third component of scatter3d", "NAME");
  command.option("--color,--colour", colour,
                 "colours of dots: label, none, a column of the table or a component", "NAME");
  command.flag("names", names, "write the names of rows beside their dots, where there is room");
  command.option("count", count, "how many components, columns or images are shown", "N");
  command.option("image-size", image_size, "rows are images of this height and width", "HxW");
  command.option("title", title, "text above the picture", "TEXT");
  command.option("theme", theme, "colours on white or on black", "light|dark");
  command.option("size", size, "width and height in pixels", "WxH");
  command.option("dpi", dpi, "pixels of a PNG file for each inch, which is 96 of --size", "N");
  command.option("terminal", way, "how a terminal shows it", "auto|characters|kitty|sixel");
  command.group("Table");
  command.words(reading);
  command.group("Machine");
  command.words(budget);
  command.group("Output");
  command.option(
      "-o,--output", output,
      "file to write: .svg, .png or .pdf; - is SVG on standard output (default: in the terminal)",
      "FILE");
  command.flag("force", force, "write over a file that is no picture");
}

Index count_in(const std::string& text) {
  if (text.empty()) return 0;
  const auto value = parse_number(text);
  if (value && *value >= 1 && *value <= 1e6 && *value == std::floor(*value))
    return static_cast<Index>(*value);
  throw Error(ErrorCode::bad_option_value, fmt::format("--count {}: not a count", printable(text)),
              "give a whole number >= 1");
}

double dpi_in(const std::string& text) {
  const auto value = parse_number(text);
  if (value && *value >= 10 && *value <= 2400) return *value;
  throw Error(ErrorCode::bad_option_value,
              fmt::format("--dpi {}: not a resolution", printable(text)),
              "give a number from 10 to 2400");
}

// "28x28", or "32x32x3" with colours.
std::vector<Index> image_shape_in(const std::string& text) {
  std::vector<Index> shape;
  if (text.empty()) return shape;
  for (const std::string& part : split(text, 'x')) {
    const auto value = parse_number(part);
    const bool fits = value && *value >= 1 && *value <= 10'000 && *value == std::floor(*value);
    shape.push_back(fits ? static_cast<Index>(*value) : 0);
  }
  const bool sides = shape.size() == 2 || (shape.size() == 3 && (shape[2] == 1 || shape[2] == 3));
  if (sides && shape[0] > 0 && shape[1] > 0) return shape;
  throw Error(ErrorCode::bad_option_value,
              fmt::format("--image-size {}: not a size of images", printable(text)),
              "give height and width in pixels, such as 28x28, or 32x32x3 with colours");
}

plot::PlotOptions options_of(const PlotArguments& args) {
  return {.theme = plot::theme_named(args.theme),
          .title = args.title,
          .x = args.x,
          .y = args.y,
          .z = args.z,
          .colour = args.colour,
          .names = args.names,
          .count = count_in(args.count),
          .image_shape = image_shape_in(args.image_size)};
}

// What can be known to be wrong before anything is read.
void check_words(const PlotArguments& args, const Terminal& terminal) {
  if (!args.output.empty()) static_cast<void>(picture_format(args.output));
  if (args.way != "auto" && args.way != "characters" && args.way != "kitty" && args.way != "sixel")
    throw Error(ErrorCode::bad_option_value,
                fmt::format("--terminal {}: not a way of showing a picture", printable(args.way)),
                "give auto, characters, kitty or sixel");
  const bool file = !args.output.empty(), shown = !file && !terminal.json;
  if (!shown && args.way != "auto")
    throw Error(ErrorCode::bad_option_value,
                fmt::format("--terminal {}: the picture is not shown in the terminal", args.way),
                file ? "drop --terminal or -o" : "drop --terminal or --json");
  const bool pixels =
      file && args.output != "-" && picture_format(args.output) == PictureFormat::png;
  if (!pixels && args.dpi != kUsualDpi)
    throw Error(ErrorCode::bad_option_value,
                fmt::format("--dpi {}: only PNG files have pixels", printable(args.dpi)),
                "name a file that ends in .png, or give --size");
  if (shown && !args.size.empty())
    throw Error(ErrorCode::bad_option_value,
                fmt::format("--size {}: in the terminal a picture is as large as that",
                            printable(args.size)),
                "name a file: -o plot.svg");
  if (terminal.json && args.output == "-")
    throw Error(ErrorCode::bad_option_value,
                "standard output can carry one of the picture and the JSON object",
                "name a file, or leave out -o: the object holds the picture then");
  const ReadOptions reading = args.reading.options();
  Files files(terminal);
  files.reads("the model", args.model);
  if (!args.table.empty()) files.reads_table("the table", args.table, reading);
  if (!terminal.json || !args.output.empty())
    files.writes("the picture", args.output.empty() ? "-" : args.output);
  files.check();
  if (!args.force && !args.output.empty()) check_picture_output(args.output);
}

std::optional<plot::PlotTable> table_of(const PlotArguments& args, const Model& model,
                                        const Context& context, Terminal& terminal) {
  if (args.table.empty()) return {};
  NewRows rows = read_new_rows(args.table, args.reading.options(), model, context, terminal);
  return plot::PlotTable{std::move(rows.data), std::move(rows.targets),
                         std::move(rows.image_shape)};
}

void write_picture(const std::string& path, const std::string& content) {
  if (path == "-") {
    StandardOutput out;
    out.write(content);
    out.flush();
    return;
  }
  const std::string_view parts[] = {content};
  write_file_atomically(path, parts);
}

int run(const PlotArguments& args, Terminal& terminal) {
  const Context context = context_of(args.budget, terminal);
  check_words(args, terminal);
  const plot::PlotOptions options = options_of(args);
  const double dpi = dpi_in(args.dpi);
  const PictureSize asked = args.size.empty() ? PictureSize{} : PictureSize::parse(args.size);
  terminal.stage("read", 0.4);
  const std::unique_ptr<Model> model = load_model(args.model, context);
  const plot::PlotSource source(*model, table_of(args, *model, context, terminal), context);
  const plot::PlotKind& kind = plot::plot_kind(args.kind, source);
  plot::check_plot_options(kind, options);
  terminal.stage("draw", 1);
  const plot::Figure figure = about(args.table.empty() ? args.model : args.table,
                                    [&] { return plot::figure_of(kind, source, options); });
  const PictureSize size = asked.width > 0 ? asked : usual_size(figure);
  Value value;
  value["schema"] = 1;
  value["kind"] = std::string(kind.name);
  value["kinds"] = Value::of(plot::fitting_kinds(source));
  value["n"] = source.n();
  value["output"] = args.output.empty() ? Value() : Value(args.output);
  if (!args.output.empty()) {
    const std::string file =
        picture_file(figure, picture_format(args.output), size, dpi, options.theme);
    terminal.clear_progress();
    write_picture(args.output, file);
    if (args.output != "-")
      terminal.say("Wrote", fmt::format("{} ({}, {} × {}, {})", printable(args.output), kind.name,
                                        size.width, size.height, bytes(file.size())));
    value["bytes"] = static_cast<std::int64_t>(file.size());
  } else if (terminal.json) {
    value["svg"] = picture_file(figure, PictureFormat::svg, size, dpi, options.theme);
  } else {
    terminal.clear_progress();
    terminal.data(terminal_picture(figure, terminal_look(args.way), options.theme));
    std::vector<std::string> others = plot::fitting_kinds(source);
    std::erase(others, kind.name);
    terminal.say("Shown", fmt::format("{}   others: {}   as a file: -o plot.svg", kind.name,
                                      fmt::join(others, ", ")));
  }
  if (terminal.json) terminal.result(value);
  return 0;
}

}  // namespace

void add_plot(Program& program) {
  const auto args = std::make_shared<PlotArguments>();
  Command command =
      program.command("plot", "a picture of a model: SVG, PNG, PDF, or in the terminal");
  args->add_to(command);
  command.example("mercer plot digits.mercer", "what is usual for such a model, in the terminal");
  command.example(
      "mercer plot digits.mercer -o digits.png --kind scatter --x PC2 --y PC3 --theme dark",
      "other components, as a file");
  command.example("mercer plot ring.mercer --kind contour -o ring.svg",
                  "maps of the components over two columns, with contour lines");
  command.run([args](Terminal& terminal) { return run(*args, terminal); });
}

}  // namespace mercer::cli
