// mercer plot MODEL [TABLE]: a picture of a model, as a file or in the terminal.
#include "apps/cli/arguments.h"
#include "apps/cli/command.h"
#include "apps/cli/outputs.h"
#include "apps/cli/picture_output.h"
#include "mercer/core/system.h"
#include "mercer/core/text.h"
#include "mercer/io/model.h"
#include "mercer/plot/kind.h"

#include <fmt/format.h>

#include <cmath>

namespace mercer::cli {
namespace plot_command {
namespace {

constexpr const char* kUsualDpi = "96";

// What is shown.
struct ShownWords {
  std::string kind, x, y, z, colour, count, image_size;
  bool names = false;
};

// What it looks like.
struct LookWords {
  std::string title, theme = "light", size, dpi = kUsualDpi, way = "auto";
};

struct PlotArguments {
  std::string model, table, output;
  bool force = false;
  ShownWords shown;
  LookWords look;
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
  command.option("kind", shown.kind, shows, "KIND").choices = kinds;
  command.option("x", shown.x, "component along the bottom, such as PC2; of a map, a column",
                 "NAME");
  command.option("y", shown.y, "component upwards; of a map, a column", "NAME");
  command.option("z", shown.z, "third component of scatter3d", "NAME");
  command.option("--color,--colour", shown.colour,
                 "colours of dots: label, none, a column of the table or a component", "NAME");
  command.flag("names", shown.names,
               "write the names of rows beside their dots, where there is room");
  command.option("count", shown.count, "how many components, columns or images are shown", "N");
  command.option("image-size", shown.image_size, "rows are images of this height and width", "HxW");
  command.option("title", look.title, "text above the picture", "TEXT");
  command.option("theme", look.theme, "colours on white or on black", "light|dark");
  command.option("size", look.size, "width and height in pixels", "WxH");
  command.option("dpi", look.dpi, "pixels of a PNG file for each inch, which is 96 of --size", "N");
  command.option("terminal", look.way, "how a terminal shows it", "auto|characters|kitty|sixel");
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

plot::PlotOptions options_of(const PlotArguments& args) {
  return {.theme = plot::theme_named(args.look.theme),
          .title = args.look.title,
          .x = args.shown.x,
          .y = args.shown.y,
          .z = args.shown.z,
          .colour = args.shown.colour,
          .names = args.shown.names,
          .count = count_in(args.shown.count),
          .image_shape = image_shape_in(args.shown.image_size)};
}

// What can be known to be wrong before anything is read.
void check_words(const PlotArguments& args, const Terminal& terminal) {
  if (!args.output.empty()) static_cast<void>(picture_format(args.output));
  if (args.look.way != "auto" && args.look.way != "characters" && args.look.way != "kitty" &&
      args.look.way != "sixel")
    throw Error(
        ErrorCode::bad_option_value,
        fmt::format("--terminal {}: not a way of showing a picture", printable(args.look.way)),
        "give auto, characters, kitty or sixel");
  const bool file = !args.output.empty(), shown = !file && !terminal.json;
  if (!shown && args.look.way != "auto")
    throw Error(
        ErrorCode::bad_option_value,
        fmt::format("--terminal {}: the picture is not shown in the terminal", args.look.way),
        file ? "drop --terminal or -o" : "drop --terminal or --json");
  const bool pixels =
      file && args.output != "-" && picture_format(args.output) == PictureFormat::png;
  if (!pixels && args.look.dpi != kUsualDpi)
    throw Error(ErrorCode::bad_option_value,
                fmt::format("--dpi {}: only PNG files have pixels", printable(args.look.dpi)),
                "name a file that ends in .png, or give --size");
  if (shown && !args.look.size.empty())
    throw Error(ErrorCode::bad_option_value,
                fmt::format("--size {}: in the terminal a picture is as large as that",
                            printable(args.look.size)),
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

int run(const PlotArguments& args, Terminal& terminal) {
  const Context context = context_of(args.budget, terminal);
  check_words(args, terminal);
  const plot::PlotOptions options = options_of(args);
  const double dpi = dpi_in(args.look.dpi);
  const PictureSize asked =
      args.look.size.empty() ? PictureSize{} : PictureSize::parse(args.look.size);
  terminal.stage("read", 0.4);
  const std::unique_ptr<Model> model = load_model(args.model, context);
  const plot::PlotSource source(
      *model, table_to_draw(args.table, args.reading, *model, context, terminal), context);
  const plot::PlotKind& kind = plot::plot_kind(args.shown.kind, source);
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
    write_whole(args.output, file);
    if (args.output != "-")
      terminal.say("Wrote", fmt::format("{} ({}, {} × {}, {})", printable(args.output), kind.name,
                                        size.width, size.height, bytes(file.size())));
    value["bytes"] = static_cast<std::int64_t>(file.size());
  } else if (terminal.json) {
    value["svg"] = picture_file(figure, PictureFormat::svg, size, dpi, options.theme);
  } else {
    terminal.clear_progress();
    terminal.data(terminal_picture(figure, terminal_look(args.look.way), options.theme));
    std::vector<std::string> others = plot::fitting_kinds(source);
    std::erase(others, kind.name);
    terminal.say("Shown", fmt::format("{}   others: {}   as a file: -o plot.svg", kind.name,
                                      fmt::join(others, ", ")));
  }
  if (terminal.json) terminal.result(value);
  return 0;
}

}  // namespace
}  // namespace plot_command

void add_plot(Program& program) {
  using namespace plot_command;
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
