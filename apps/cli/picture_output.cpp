#include "apps/cli/picture_output.h"

#include "apps/cli/model_table.h"
#include "mercer/core/text.h"
#include "mercer/io/atomic_file.h"
#include "mercer/io/sink.h"
#include "mercer/plot/draw.h"
#include "mercer/plot/raster.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

namespace mercer::cli {
namespace {

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

// Terminals with kitty's protocol, and with sixel, say so by their names only.
TerminalWay way_of_terminal() {
  const std::string term = variable("TERM"), program = variable("TERM_PROGRAM");
  const bool kitty = !variable("KITTY_WINDOW_ID").empty() || term == "xterm-kitty" ||
                     term == "xterm-ghostty" || program == "ghostty" || program == "WezTerm";
  if (kitty) return TerminalWay::kitty;
  const bool sixel = term.find("sixel") != term.npos || term == "foot" || term == "foot-extra" ||
                     term == "mlterm" || term == "contour";
  return sixel ? TerminalWay::sixel : TerminalWay::characters;
}

plot::TerminalColours colours_of_terminal() {
  if (isatty(STDOUT_FILENO) != 1 || !variable("NO_COLOR").empty())
    return plot::TerminalColours::none;
  const std::string term = variable("TERM"), more = variable("COLORTERM");
  if (term.empty() || term == "dumb") return plot::TerminalColours::none;
  if (more == "truecolor" || more == "24bit") return plot::TerminalColours::all;
  return plot::TerminalColours::palette;
}

}  // namespace

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

std::optional<plot::PlotTable> table_to_draw(const std::string& path, const ReadWords& reading,
                                             const Model& model, const Context& context,
                                             Terminal& terminal) {
  if (path.empty()) return {};
  NewRows rows = read_new_rows(path, reading.options(), model, context, terminal);
  return plot::PlotTable{std::move(rows.data), std::move(rows.targets),
                         std::move(rows.image_shape)};
}

void write_whole(const std::string& path, const std::string& content) {
  if (path == "-") {
    StandardOutput out;
    out.write(content);
    out.flush();
    return;
  }
  const std::string_view parts[] = {content};
  write_file_atomically(path, parts);
}

TerminalLook terminal_look(const std::string& asked) {
  TerminalLook look;
  look.colours = colours_of_terminal();
  const bool shown = isatty(STDOUT_FILENO) == 1;
  if (asked == "kitty" || asked == "sixel")
    look.way = asked == "kitty" ? TerminalWay::kitty : TerminalWay::sixel;
  else if (asked == "auto" && shown)
    look.way = way_of_terminal();
  winsize size = {};
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) {
    look.columns = std::clamp<Index>(size.ws_col, 30, 160);
    // The line of the next command is to be seen, too.
    look.rows = std::clamp<Index>(size.ws_row > 2 ? size.ws_row - 2 : 24, 12, 50);
  }
  return look;
}

std::string terminal_picture(const plot::Figure& figure, const TerminalLook& look,
                             const plot::Theme& theme) {
  if (look.way == TerminalWay::characters)
    return plot::picture_characters(figure, look.columns, look.rows, look.colours, theme);
  const PictureSize size = usual_size(figure);
  plot::Style style;
  style.width = size.width;
  style.height = size.height;
  style.theme = theme;
  const plot::Pixels pixels = plot::pixels_of(draw(figure, style));
  return look.way == TerminalWay::kitty ? plot::kitty_image(plot::png_of(pixels))
                                        : plot::sixel_image(pixels);
}

}  // namespace mercer::cli
