// Where a picture goes: a file of one of three formats, or the terminal, by the best way it has.
#pragma once

#include "apps/cli/terminal.h"
#include "mercer/plot/figure.h"
#include "mercer/plot/terminal_picture.h"

#include <string>
#include <string_view>
#include <vector>

namespace mercer::cli {

enum class PictureFormat { svg, png, pdf };

/// The format that a file's name says; standard output ("-") gets SVG. Throws M412.
PictureFormat picture_format(const std::string& path);

/// Throws M409 where there is a file of this name that is not a picture of one of the formats.
void check_picture_output(const std::string& path);

/// Height, width and perhaps channels of images: "28x28", or "32x32x3" with colours. Throws M102.
std::vector<Index> image_shape_in(const std::string& text);

/// Size in pixels: "640x480". Throws M102.
struct PictureSize {
  double width = 0, height = 0;
  static PictureSize parse(const std::string& text);
};

/// The figure as a file of that format.
std::string picture_file(const plot::Figure& figure, PictureFormat format, PictureSize size,
                         double dpi, const plot::Theme& theme);
/// The size that suits the figure.
PictureSize usual_size(const plot::Figure& figure);

/// How a terminal shows pictures.
enum class TerminalWay { characters, kitty, sixel };
struct TerminalLook {
  TerminalWay way = TerminalWay::characters;
  plot::TerminalColours colours = plot::TerminalColours::none;
  Index columns = 80, rows = 24;
};

/// What standard output can show, as far as the terminal says. `asked`: one of the ways by name, or
/// "auto".
TerminalLook terminal_look(const std::string& asked);

/// The figure for a terminal.
std::string terminal_picture(const plot::Figure& figure, const TerminalLook& look,
                             const plot::Theme& theme);

}  // namespace mercer::cli
