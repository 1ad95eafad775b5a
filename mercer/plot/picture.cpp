#include "mercer/plot/picture.h"

#include "mercer/core/error.h"
#include "mercer/core/text.h"
#include "mercer/plot/draw.h"
#include "mercer/plot/raster.h"
#include "mercer/plot/svg.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>

namespace mercer::plot {
namespace {

constexpr double kUsualWidth = 640, kUsualHeight = 460;

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

PictureSize usual_size(const Figure& figure) {
  if (figure.width > 0) return {figure.width, figure.height};
  const auto panels = static_cast<double>(figure.panels.size());
  if (panels <= 1) return {kUsualWidth, kUsualHeight};
  return panels <= 2 ? PictureSize{860, 400} : PictureSize{760, 640};
}

Theme theme_named(const std::string& name) {
  if (name == "light") return Theme::light();
  if (name == "dark") return Theme::dark_one();
  throw Error(ErrorCode::bad_option_value, fmt::format("unknown theme \"{}\"", printable(name)),
              "give light or dark");
}

std::string picture_file(const Figure& figure, PictureFormat format, PictureSize size, double dpi,
                         const Theme& theme) {
  Style style;
  style.width = size.width;
  style.height = size.height;
  style.theme = theme;
  // Images of many dots are as fine as the pixels of the file; of drawings, as a good screen's.
  constexpr double kFine = 1.5;
  style.fineness = format == PictureFormat::png ? dpi / kScenePixelsPerInch : kFine;
  const Scene scene = draw(figure, style);
  switch (format) {
    case PictureFormat::svg:
      return svg_of(scene);
    case PictureFormat::png:
      return png_of(scene, dpi);
    case PictureFormat::pdf:
      break;
  }
  return pdf_of(scene);
}

std::string picture_characters(const Figure& figure, Index columns, Index most_rows,
                               TerminalColours colours, const Theme& theme) {
  // A character is twice as high as wide.
  const PictureSize usual = usual_size(figure);
  const double share = usual.height / usual.width / 2;
  const auto rows = std::clamp<Index>(std::lround(share * static_cast<double>(columns)), 10,
                                      std::max<Index>(most_rows, 10));
  return characters_of(draw(figure, style_of_cells(columns, rows, theme)), colours);
}

}  // namespace mercer::plot
