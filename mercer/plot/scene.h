// Scene: a picture as it will be seen, in pixels, y downwards: paths, dots, texts and images, one
// above the other. Writers turn it into SVG, PNG, PDF or characters; none of them knows what a plot
// is, and whoever draws does not know the writers.
#pragma once

#include "mercer/core/index.h"
#include "mercer/plot/colour.h"

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace mercer::plot {

struct Place {
  double x = 0, y = 0;
};

struct Box {
  double left = 0, top = 0, width = 0, height = 0;
  double right() const { return left + width; }
  double bottom() const { return top + height; }
  bool overlaps(const Box& other) const {
    return left < other.right() && other.left < right() && top < other.bottom() &&
           other.top < bottom();
  }
  friend bool operator==(const Box&, const Box&) = default;
};

struct Pen {
  Colour colour;
  double width = 1;
  bool dashed = false;
};

/// Lines, or closed areas.
struct PathMark {
  std::vector<std::vector<Place>> lines;
  bool closed = false;
  std::optional<Colour> fill = {};
  std::optional<Pen> pen = {};
};

enum class Symbol { circle, square, triangle, diamond, cross, plus };
constexpr Index kSymbols = 6;

/// Corners of a symbol about (0, 0) with about the area of a circle of this radius; none for a
/// circle. Crosses are closed areas, too.
std::vector<Place> corners_of(Symbol symbol, double radius);

/// Equal symbols at many places; `titles`: what is told of each, empty or one for each.
struct DotsMark {
  Symbol symbol = Symbol::circle;
  double radius = 3;
  Colour fill;
  std::vector<Place> at;
  std::vector<std::string> titles = {};
};

enum class Anchor { start, middle, end };

/// One line of text. `at` is on its baseline; `upright`: it runs from bottom to top.
struct TextMark {
  std::string text;
  Place at;
  double size = 12;
  Colour colour;
  Anchor anchor = Anchor::start;
  bool bold = false, upright = false;
  std::optional<Colour> halo = {};  // around the letters, so that they are read on top of dots
};

/// Pixels, 4 bytes each: red, green, blue, opacity (not multiplied). `smooth`: between the middles
/// of pixels colours blend, else each is a rectangle.
struct ImageMark {
  Box box;
  Index width = 0, height = 0;
  std::vector<std::uint8_t> rgba;
  bool smooth = false;
};

using Mark = std::variant<PathMark, DotsMark, TextMark, ImageMark>;

struct Scene {
  double width = 0, height = 0;
  Colour background;
  /// What it shows, in words, for those who do not see it.
  std::string title, description;
  struct Entry {
    template <class M>
    Entry(M one, const std::optional<Box>& within) : mark(std::move(one)), clip(within) {}
    Mark mark;
    std::optional<Box> clip;  // what lies outside is not drawn
  };
  std::vector<Entry> marks;

  template <class M>
  void add(M mark, const std::optional<Box>& clip = {}) {
    marks.emplace_back(std::move(mark), clip);
  }
};

}  // namespace mercer::plot
