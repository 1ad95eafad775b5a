// How wide texts are. Pictures name Arial; where it is missing, something else takes its place, and
// nobody who writes an SVG knows what. So widths are those of DejaVu Sans, which is wider than its
// peers: what has room here has room everywhere. In a terminal every character is one cell.
#pragma once

#include <string>
#include <string_view>

namespace mercer::plot {

/// Fonts of SVG and cairo, in the order of preference.
constexpr std::string_view kFontFamily = "Arial, Helvetica, 'DejaVu Sans', sans-serif";

struct TextRuler {
  double cell_width = 0;  // above 0: pixels of every character

  double width(std::string_view text, double size, bool bold = false) const;
  /// The text, or its beginning and an ellipsis where it is wider than that.
  std::string shortened(std::string_view text, double size, double room) const;
};

/// Bytes of the character that begins here, 1 where it is none.
std::size_t character_bytes(std::string_view text, std::size_t at);

/// The text without control characters, signs that turn its direction and broken UTF-8, in one
/// line.
std::string one_line(std::string_view text);

}  // namespace mercer::plot
