#include "mercer/plot/terminal_picture.h"

#include "mercer/plot/text_ruler.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

namespace mercer::plot {
namespace {

struct Cell {
  unsigned dots = 0;  // of a braille character
  std::string text;   // or a character
  Colour ink;
  std::optional<Colour> paper;
};

class CellCanvas {
 public:
  CellCanvas(const Scene& scene, TerminalColours colours)
      : columns_(static_cast<Index>(scene.width / kCellWidth)),
        rows_(static_cast<Index>(scene.height / kCellHeight)),
        colours_(colours),
        paper_(scene.background),
        cells_(static_cast<std::size_t>(columns_ * rows_)) {}

  void put(const PathMark& path, const std::optional<Box>& clip) {
    if (path.fill && path.closed && path.fill->opacity > 0)
      for (const auto& line : path.lines) fill(line, *path.fill, clip);
    if (!path.pen) return;
    for (const auto& line : path.lines) {
      for (std::size_t i = 1; i < line.size(); ++i)
        stroke(line[i - 1], line[i], path.pen->colour, clip);
      if (path.closed && line.size() > 2) stroke(line.back(), line[0], path.pen->colour, clip);
    }
  }

  void put(const DotsMark& dots, const std::optional<Box>& clip) {
    for (const Place& at : dots.at) dot(at, dots.fill, clip);
  }

  void put(const TextMark& text, const std::optional<Box>&) {
    const std::string line = one_line(text.text);
    const auto count = static_cast<Index>(std::lround(TextRuler{1}.width(line, 1)));
    const double share = text.anchor == Anchor::start ? 0 : text.anchor == Anchor::middle ? 0.5 : 1;
    Index column = std::lround(text.at.x / kCellWidth - share * static_cast<double>(count));
    column = std::clamp<Index>(column, 0, std::max<Index>(0, columns_ - count));
    const auto row = static_cast<Index>(std::floor((text.at.y - 0.35 * text.size) / kCellHeight));
    if (row < 0 || row >= rows_) return;
    for (std::size_t at = 0; at < line.size() && column < columns_; ++column) {
      const std::size_t bytes = character_bytes(line, at);
      Cell& cell = cells_[static_cast<std::size_t>(row * columns_ + column)];
      cell.text = line.substr(at, bytes);
      cell.ink = text.colour;
      at += bytes;
    }
  }

  void put(const ImageMark& image, const std::optional<Box>& clip) {
    bool opaque = true;
    for (std::size_t i = 3; i < image.rgba.size(); i += 4) opaque &= image.rgba[i] == 255;
    if (opaque) return put_opaque(image, clip);
    for (Index r = 0; r < image.height; ++r)
      for (Index c = 0; c < image.width; ++c) {
        const auto* pixel = image.rgba.data() + 4 * (r * image.width + c);
        if (pixel[3] == 0) continue;
        dot({image.box.left + (static_cast<double>(c) + 0.5) * image.box.width /
                                  static_cast<double>(image.width),
             image.box.top + (static_cast<double>(r) + 0.5) * image.box.height /
                                 static_cast<double>(image.height)},
            {pixel[0], pixel[1], pixel[2]}, clip);
      }
  }

  std::string text() const {
    std::string out;
    for (Index r = 0; r < rows_; ++r) {
      std::string line, state;
      for (Index c = 0; c < columns_; ++c) {
        const Cell& cell = cells_[static_cast<std::size_t>(r * columns_ + c)];
        const std::string wanted = codes_of(cell);
        if (wanted != state) line += wanted.empty() ? "\x1b[0m" : "\x1b[0m" + wanted;
        state = wanted;
        line += character_of(cell);
      }
      if (!state.empty()) line += "\x1b[0m";
      line.erase(line.find_last_not_of(' ') + 1);
      out += line + "\n";
    }
    return out;
  }

 private:
  static bool inside(const Place& at, const std::optional<Box>& clip) {
    return !clip || (at.x >= clip->left && at.x <= clip->right() && at.y >= clip->top &&
                     at.y <= clip->bottom());
  }

  void dot(const Place& at, const Colour& ink, const std::optional<Box>& clip) {
    // What lies on the far edge belongs to the last dot.
    if (!inside(at, clip)) return;
    const auto x = std::min(static_cast<Index>(std::floor(at.x / kBrailleDot)), 2 * columns_ - 1);
    const auto y = std::min(static_cast<Index>(std::floor(at.y / kBrailleDot)), 4 * rows_ - 1);
    if (x < 0 || y < 0) return;
    static constexpr unsigned kDots[4][2] = {
        {0x01, 0x08}, {0x02, 0x10}, {0x04, 0x20}, {0x40, 0x80}};
    Cell& cell = cells_[static_cast<std::size_t>(y / 4 * columns_ + x / 2)];
    if (!cell.text.empty()) return;
    cell.dots |= kDots[y % 4][x % 2];
    cell.ink = ink;
  }

  void stroke(const Place& from, const Place& to, const Colour& ink,
              const std::optional<Box>& clip) {
    const double length = std::max(std::abs(to.x - from.x), std::abs(to.y - from.y));
    const double far = 4 * static_cast<double>(columns_ + rows_) * kCellHeight;
    if (!(length < far)) return;  // such a line says nothing here
    const auto steps = std::max<Index>(1, std::lround(length / kBrailleDot * 1.5));
    for (Index i = 0; i <= steps; ++i) {
      const double t = static_cast<double>(i) / static_cast<double>(steps);
      dot({from.x + t * (to.x - from.x), from.y + t * (to.y - from.y)}, ink, clip);
    }
  }

  // Dots whose middles lie within: even and odd crossings to the right of them.
  void fill(const std::vector<Place>& corners, const Colour& ink, const std::optional<Box>& clip) {
    double top = HUGE_VAL, bottom = -HUGE_VAL, left = HUGE_VAL, right = -HUGE_VAL;
    for (const Place& p : corners) {
      top = std::min(top, p.y);
      bottom = std::max(bottom, p.y);
      left = std::min(left, p.x);
      right = std::max(right, p.x);
    }
    top = std::max(top, 0.0);
    left = std::max(left, 0.0);
    bottom = std::min(bottom, static_cast<double>(rows_) * kCellHeight);
    right = std::min(right, static_cast<double>(columns_) * kCellWidth);
    for (double y = (std::floor(top / kBrailleDot) + 0.5) * kBrailleDot; y < bottom;
         y += kBrailleDot)
      for (double x = (std::floor(left / kBrailleDot) + 0.5) * kBrailleDot; x < right;
           x += kBrailleDot)
        if (within(corners, {x, y})) dot({x, y}, ink, clip);
  }

  static bool within(const std::vector<Place>& corners, const Place& at) {
    bool odd = false;
    for (std::size_t i = 0, j = corners.size() - 1; i < corners.size(); j = i++) {
      const Place &a = corners[i], &b = corners[j];
      if ((a.y > at.y) != (b.y > at.y) && at.x < a.x + (at.y - a.y) / (b.y - a.y) * (b.x - a.x))
        odd = !odd;
    }
    return odd;
  }

  static Colour sampled(const ImageMark& image, const Place& at) {
    const auto c = static_cast<Index>((at.x - image.box.left) / image.box.width *
                                      static_cast<double>(image.width));
    const auto r = static_cast<Index>((at.y - image.box.top) / image.box.height *
                                      static_cast<double>(image.height));
    const auto* pixel =
        image.rgba.data() + 4 * (std::clamp<Index>(r, 0, image.height - 1) * image.width +
                                 std::clamp<Index>(c, 0, image.width - 1));
    return {pixel[0], pixel[1], pixel[2]};
  }

  // What is like the background stays empty, in both themes.
  int distance_from_paper(const Colour& colour) const {
    return std::max({std::abs(colour.red - paper_.red), std::abs(colour.green - paper_.green),
                     std::abs(colour.blue - paper_.blue)});
  }

  // Smooth images are a paper to draw on; others are shown as half blocks, or shades without
  // colours.
  void put_opaque(const ImageMark& image, const std::optional<Box>& clip) {
    for (Index r = 0; r < rows_; ++r)
      for (Index c = 0; c < columns_; ++c) {
        const double x = (static_cast<double>(c) + 0.5) * kCellWidth,
                     y = (static_cast<double>(r) + 0.5) * kCellHeight;
        const Place middle{x, y}, upper{x, y - kCellHeight / 4}, lower{x, y + kCellHeight / 4};
        if (!inside(middle, clip) || !inside(middle, image.box)) continue;
        Cell& cell = cells_[static_cast<std::size_t>(r * columns_ + c)];
        if (image.smooth) {
          if (colours_ != TerminalColours::none) cell.paper = sampled(image, middle);
          continue;
        }
        if (colours_ == TerminalColours::none) {
          static constexpr std::string_view kShades[] = {" ", "░", "▒", "▓", "█"};
          cell.text = kShades[std::min(4, distance_from_paper(sampled(image, middle)) * 5 / 200)];
          continue;
        }
        cell.text = "▀";
        cell.ink = sampled(image, upper);
        cell.paper = sampled(image, lower);
      }
  }

  // The colour cube of terminals with 256 colours.
  static int of_palette(const Colour& colour) {
    const auto level = [](int value) { return (value * 5 + 127) / 255; };
    return 16 + 36 * level(colour.red) + 6 * level(colour.green) + level(colour.blue);
  }

  std::string code_of(const Colour& colour, int layer) const {
    if (colours_ == TerminalColours::palette)
      return fmt::format("\x1b[{}8;5;{}m", layer, of_palette(colour));
    return fmt::format("\x1b[{}8;2;{};{};{}m", layer, colour.red, colour.green, colour.blue);
  }

  std::string codes_of(const Cell& cell) const {
    if (colours_ == TerminalColours::none) return {};
    std::string codes;
    if (cell.paper) codes += code_of(*cell.paper, 4);
    if (cell.dots != 0 || !cell.text.empty()) codes += code_of(cell.ink, 3);
    return codes;
  }

  static std::string character_of(const Cell& cell) {
    if (!cell.text.empty()) return cell.text;
    if (cell.dots == 0) return " ";
    const unsigned code = 0x2800U + cell.dots;
    return {static_cast<char>(0xE0 | (code >> 12)), static_cast<char>(0x80 | ((code >> 6) & 0x3F)),
            static_cast<char>(0x80 | (code & 0x3F))};
  }

  Index columns_, rows_;
  TerminalColours colours_;
  Colour paper_;
  std::vector<Cell> cells_;
};

}  // namespace

Style style_of_cells(Index columns, Index rows, const Theme& theme) {
  Style style;
  style.width = static_cast<double>(columns) * kCellWidth;
  style.height = static_cast<double>(rows) * kCellHeight;
  style.text = kCellHeight;
  style.theme = theme;
  style.ruler.cell_width = kCellWidth;
  style.fineness = 1 / kBrailleDot;
  return style;
}

std::string characters_of(const Scene& scene, TerminalColours colours) {
  CellCanvas canvas(scene, colours);
  // Texts last: they are read where dots would only hide them.
  for (const bool texts : {false, true})
    for (const Scene::Entry& entry : scene.marks)
      if (std::holds_alternative<TextMark>(entry.mark) == texts)
        std::visit([&](const auto& mark) { canvas.put(mark, entry.clip); }, entry.mark);
  return canvas.text();
}

}  // namespace mercer::plot
