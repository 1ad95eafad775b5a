// Figure: what a plot shows, in the numbers of the data: panels with axes, layers of marks on them,
// a legend. draw() makes a scene of it, of any size; a kind of plot makes the figure.
#pragma once

#include "mercer/core/types.h"
#include "mercer/plot/colour.h"
#include "mercer/plot/scene.h"
#include "mercer/plot/ticks.h"

#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace mercer::plot {

/// How a class, or all rows, are marked.
struct Look {
  Colour colour;
  Symbol symbol = Symbol::circle;
};

/// Colours of classes; from the thirteenth on with other symbols.
Look look_of_class(Index i, const Theme& theme);

/// A dot for each row. Above kManyDots they are drawn as an image, shaded by density.
struct DotLayer {
  std::vector<double> x, y;
  std::vector<Look> looks = {};          // of groups; one for all where there are no groups
  std::vector<Index> group = {};         // empty, or one for each dot
  std::vector<Colour> colours = {};      // one for each dot, in place of groups
  std::vector<std::string> names = {};   // written beside the dots where there is room
  std::vector<std::string> titles = {};  // told of each dot when it is pointed at
  bool names_outward = false;            // away from x = 0, where that is possible
  double radius = 0;                     // 0: by their number
};

constexpr std::size_t kManyDots = 20'000;

struct LineLayer {
  std::vector<std::vector<Place>> lines;
  Pen pen;
  bool closed = false;
  std::optional<Colour> fill = {};
};

/// Bars from the base to the value, about whole numbers.
struct BarLayer {
  std::vector<double> x, value;
  Colour colour;
  double width = 0.7;
  std::vector<std::string> titles = {};
  bool lying = false;  // x along the vertical axis
};

struct TextLayer {
  std::vector<Place> at;
  std::vector<std::string> texts;
  Colour colour;
  Anchor anchor = Anchor::middle;
  double size = 1;      // times the size of the figure's texts
  bool centred = true;  // about the place, also upwards; else on top of it
};

/// An image over a part of the panel; its rows run from the top.
struct ImageLayer {
  Extent x, y;
  Index width = 0, height = 0;
  std::vector<std::uint8_t> rgba;
  bool smooth = true;
};

using Layer = std::variant<DotLayer, LineLayer, BarLayer, TextLayer, ImageLayer>;

struct Axis {
  std::string title = {};
  Extent extent = {};
  std::vector<std::string> names = {};  // of 0, 1, 2 ...: written in place of numbers
  bool whole = false;                   // numbers between whole ones have no meaning
  bool shown = true;
  bool falling = false;  // large numbers at the left or bottom
};

struct Panel {
  std::string title = {};
  Axis x, y;
  bool equal = false;  // one unit is as long on both axes: one of them shows more numbers
  double shape = 0;    // height of the data over their width; 0: whatever there is room for
  bool framed = true;  // with a grid behind
  std::vector<Layer> layers = {};
};

struct LegendEntry {
  std::string name;
  Look look;
  bool line = false;
};

/// A ramp of colours with its numbers.
struct ColourBar {
  std::string title;
  Extent extent;
  std::vector<Colour> colours;  // from low to high
};

struct Figure {
  std::string title = {}, subtitle = {};
  std::vector<Panel> panels;
  Index columns = 0;  // of panels; 0: as many as make them about square
  std::string legend_title = {};
  std::vector<LegendEntry> legend = {};
  std::optional<ColourBar> bar = {};
  double width = 0, height = 0;  // what suits it; 0: anything
};

}  // namespace mercer::plot
