#include "mercer/plot/text_ruler.h"

#include "mercer/core/text.h"

#include <algorithm>
#include <array>

namespace mercer::plot {
namespace {

// Advances of the characters from space to ~ in DejaVu Sans, in thousandths of the size.
constexpr std::array<int, 95> kAdvances = {
    318, 401, 460, 838, 636, 950, 780, 275, 390, 390, 500, 838, 318, 361,  318, 337, 636, 636, 636,
    636, 636, 636, 636, 636, 636, 636, 337, 337, 838, 838, 838, 531, 1000, 684, 686, 698, 770, 632,
    575, 775, 752, 295, 295, 656, 557, 863, 748, 787, 603, 787, 695, 635,  611, 732, 684, 989, 685,
    611, 685, 390, 337, 390, 838, 500, 500, 613, 635, 550, 635, 615, 352,  635, 634, 278, 278, 579,
    278, 974, 634, 612, 635, 635, 411, 521, 392, 634, 592, 818, 592, 592,  525, 636, 337, 636, 838};

// Latin and Greek letters are near 0.64; what lies beyond may be as wide as high.
double advance(std::string_view character) {
  const auto first = static_cast<unsigned char>(character[0]);
  if (character.size() == 1)
    return first >= 32 && first < 127 ? kAdvances[first - 32U] / 1000.0 : 0.64;
  return character.size() == 2 ? 0.7 : 1.0;
}

constexpr double kBolder = 1.1;  // bold letters beside ordinary ones

}  // namespace

std::size_t character_bytes(std::string_view text, std::size_t at) {
  const auto first = static_cast<unsigned char>(text[at]);
  const std::size_t wanted = first < 0x80 ? 1 : first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
  return std::min(wanted, text.size() - at);
}

double TextRuler::width(std::string_view text, double size, bool bold) const {
  double sum = 0;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t bytes = character_bytes(text, at);
    sum += cell_width > 0 ? cell_width : size * advance(text.substr(at, bytes));
    at += bytes;
  }
  return bold && cell_width == 0 ? kBolder * sum : sum;
}

std::string TextRuler::shortened(std::string_view text, double size, double room) const {
  if (width(text, size) <= room) return std::string(text);
  const double rest = room - width("…", size);
  double sum = 0;
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t bytes = character_bytes(text, at);
    sum += width(text.substr(at, bytes), size);
    if (sum > rest) break;
    at += bytes;
  }
  return std::string(text.substr(0, at)) + "…";
}

// Signs that turn the direction of writing (U+200E and U+200F, U+202A to U+202E, U+2066 to U+2069)
// would let a name rearrange what stands around it.
std::string one_line(std::string_view text) {
  const std::string clean = printable(text);
  std::string out;
  for (std::size_t at = 0; at < clean.size();) {
    const std::size_t bytes = character_bytes(clean, at);
    const std::string_view character = std::string_view(clean).substr(at, bytes);
    const bool turns = bytes == 3 && ((character >= "\u200e" && character <= "\u200f") ||
                                      (character >= "\u202a" && character <= "\u202e") ||
                                      (character >= "\u2066" && character <= "\u2069"));
    if (turns)
      out += "\uFFFD";
    else
      out += character;
    at += bytes;
  }
  return out;
}

}  // namespace mercer::plot
