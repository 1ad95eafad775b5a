// A picture: a figure of a size, as a file of one of three formats or as characters.
#pragma once

#include "mercer/plot/figure.h"
#include "mercer/plot/terminal_picture.h"

#include <string>

namespace mercer::plot {

enum class PictureFormat { svg, png, pdf };

/// The format that a file's name says; standard output ("-") gets SVG. Throws M412.
PictureFormat picture_format(const std::string& path);

/// Throws M409 where there is a file of this name that is not a picture of one of the formats.
void check_picture_output(const std::string& path);

/// Size in pixels: "640x480". Throws M102.
struct PictureSize {
  double width = 0, height = 0;
  static PictureSize parse(const std::string& text);
};

/// The size that suits the figure.
PictureSize usual_size(const Figure& figure);

/// Light or dark, by its name. Throws M102.
Theme theme_named(const std::string& name);

/// The figure as a file of that format.
std::string picture_file(const Figure& figure, PictureFormat format, PictureSize size, double dpi,
                         const Theme& theme);

/// The figure as characters, of its usual proportions in so many columns and at most so many rows.
std::string picture_characters(const Figure& figure, Index columns, Index most_rows,
                               TerminalColours colours, const Theme& theme);

}  // namespace mercer::plot
