// Where a picture goes: a file of one of three formats, or the terminal, by the best way it has.
#pragma once

#include "apps/cli/arguments.h"
#include "apps/cli/terminal.h"
#include "mercer/plot/picture.h"
#include "mercer/plot/source.h"

#include <optional>
#include <string>
#include <vector>

namespace mercer::cli {

using plot::check_picture_output;
using plot::picture_file;
using plot::picture_format;
using plot::PictureFormat;
using plot::PictureSize;
using plot::usual_size;

/// Height, width and perhaps channels of images: "28x28", or "32x32x3" with colours. Throws M102.
std::vector<Index> image_shape_in(const std::string& text);

/// The rows of a table in the columns of the model, to be drawn; none where no table is named.
std::optional<plot::PlotTable> table_to_draw(const std::string& path, const ReadWords& reading,
                                             const Model& model, const Context& context,
                                             Terminal& terminal);

/// A whole picture or page, to a file (all of it or nothing) or to standard output ("-").
void write_whole(const std::string& path, const std::string& content);

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
