#include "apps/cli/picture_output.h"

#include "mercer/core/error.h"
#include "mercer/core/text.h"
#include "mercer/plot/draw.h"
#include "mercer/plot/raster.h"
#include "mercer/plot/svg.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace mercer::cli {
namespace {

constexpr double kUsualWidth = 640, kUsualHeight = 460;

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

// Bytes that the formats begin with; a text that is an SVG may have a declaration first.
bool begins_as_picture(const std::string& head) {
  if (head.starts_with("\x89PNG") || head.starts_with("%PDF")) return true;
  return head.starts_with("<svg") || (head.starts_with("<?xml") && head.find("<svg") != head.npos);
}

}  // namespace

PictureFormat picture_format(const std::string& path) {
  if (path == "-") return PictureFormat::svg;
  std::string name = path;
  std::ranges::transform(name, name.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c;
  });
  if (name.ends_with(".svg")) return PictureFormat::svg;
  if (name.ends_with(".png")) return PictureFormat::png;
  if (name.ends_with(".pdf")) return PictureFormat::pdf;
  std::error_code none;
  if (std::filesystem::is_directory(path, none))
    throw Error(ErrorCode::is_a_directory, "the output is a folder",
                "name a file: .svg, .png or .pdf", printable(path));
  throw Error(ErrorCode::unknown_format,
              fmt::format("no format of pictures belongs to the name {}", printable(path)),
              "end it in .svg, .png or .pdf");
}

void check_picture_output(const std::string& path) {
  std::error_code none;
  if (path == "-" || !std::filesystem::is_regular_file(path, none)) return;
  std::ifstream file(path, std::ios::binary);
  std::string head(400, '\0');
  file.read(head.data(), static_cast<std::streamsize>(head.size()));
  head.resize(static_cast<std::size_t>(file.gcount()));
  if (head.empty() || begins_as_picture(head)) return;
  throw Error(ErrorCode::would_overwrite,
              fmt::format("{} exists and is not a picture", printable(path)),
              "name another output with -o, or add --force");
}

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

PictureSize PictureSize::parse(const std::string& text) {
  const auto x = text.find('x');
  const auto number = [&](std::string_view part) {
    const auto value = parse_number(part);
    return value && *value >= 1 && *value <= 20'000 ? *value : 0;
  };
  PictureSize size;
  if (x != text.npos) size = {number(text.substr(0, x)), number(text.substr(x + 1))};
  if (size.width > 0 && size.height > 0) return size;
  throw Error(ErrorCode::bad_option_value,
              fmt::format("--size {}: not a size in pixels", printable(text)),
              "give width and height from 1 to 20000, such as --size 640x480");
}

PictureSize usual_size(const plot::Figure& figure) {
  if (figure.width > 0) return {figure.width, figure.height};
  const auto panels = static_cast<double>(figure.panels.size());
  if (panels <= 1) return {kUsualWidth, kUsualHeight};
  return panels <= 2 ? PictureSize{860, 400} : PictureSize{760, 640};
}

std::string picture_file(const plot::Figure& figure, PictureFormat format, PictureSize size,
                         double dpi, const plot::Theme& theme) {
  plot::Style style;
  style.width = size.width;
  style.height = size.height;
  style.theme = theme;
  // Images of many dots are as fine as the pixels of the file; of drawings, as a good screen's.
  constexpr double kFine = 1.5;
  style.fineness = format == PictureFormat::png ? dpi / plot::kScenePixelsPerInch : kFine;
  const plot::Scene scene = plot::draw(figure, style);
  switch (format) {
    case PictureFormat::svg:
      return plot::svg_of(scene);
    case PictureFormat::png:
      return plot::png_of(scene, dpi);
    case PictureFormat::pdf:
      break;
  }
  return plot::pdf_of(scene);
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
  if (look.way == TerminalWay::characters) {
    // Rows in proportion to the columns: a character is twice as high as wide.
    const PictureSize usual = usual_size(figure);
    const double share = usual.height / usual.width / 2;
    const auto rows = std::clamp<Index>(std::lround(share * static_cast<double>(look.columns)), 10,
                                        std::max<Index>(look.rows, 10));
    return characters_of(draw(figure, plot::style_of_cells(look.columns, rows, theme)),
                         look.colours);
  }
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
