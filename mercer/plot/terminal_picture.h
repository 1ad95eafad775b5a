// A scene as a terminal shows it: as characters (braille dots, with colours where there are some),
// or as pixels by the protocols of kitty and of sixel terminals.
#pragma once

#include "mercer/plot/draw.h"
#include "mercer/plot/raster.h"
#include "mercer/plot/scene.h"

#include <string>

namespace mercer::plot {

enum class TerminalColours { none, palette, all };

/// Pixels of a scene that become one character, and one dot of braille.
constexpr double kCellWidth = 8, kCellHeight = 16, kBrailleDot = 4;

/// The style of a scene for so many characters.
Style style_of_cells(Index columns, Index rows, const Theme& theme);

/// A scene of that style, a line for each row. Without colours nothing but characters.
std::string characters_of(const Scene& scene, TerminalColours colours);

/// The bytes that make a terminal with kitty's protocol show a PNG file.
std::string kitty_image(const std::string& png);
/// The bytes that make a sixel terminal show the pixels, in at most 256 colours.
std::string sixel_image(const Pixels& pixels);

}  // namespace mercer::plot
