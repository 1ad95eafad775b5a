// Maps of the components over two columns of the table: shades, contour lines, the rows on top.
#include "mercer/core/error.h"
#include "mercer/core/text.h"
#include "mercer/plot/component_map.h"
#include "mercer/plot/detail/parts.h"
#include "mercer/plot/kind.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace mercer::plot {
namespace contour_kind {
namespace {

constexpr Index kMapsShown = 4;   // where nobody asks for more
constexpr Index kGridNodes = 41;  // each way
constexpr int kLevels = 8;
constexpr double kShades = 24;  // on each side of 0

std::string refuse(const PlotSource& source) {
  const Model& model = source.model();
  if (ability<Transforms>(model) == nullptr && ability<Predicts>(model) == nullptr)
    return "it has no component";
  if (model.needs_cross_matrix()) return "it was fitted on a matrix of pairs, which has no columns";
  if (model.first().report.dim < 2) return "it has one column, two are needed";
  return "";
}

bool ready(const PlotSource& source) { return source.has_rows(); }

// Of two columns a map shows everything.
int wanted(const PlotSource& source) { return source.model().first().report.dim == 2 ? 40 : 0; }

MapAxes axes_of(const PlotSource& source, const PlotOptions& options, double beyond) {
  MapAxes axes;
  if (!options.x.empty()) axes.x = source.column(options.x);
  if (axes.x == 1) axes.y = 0;
  if (!options.y.empty()) axes.y = source.column(options.y);
  if (axes.x == axes.y)
    throw Error(ErrorCode::bad_option_value,
                fmt::format("a map has two columns, not twice \"{}\"",
                            printable(source.column_name(axes.x))),
                "name two of them with --x and --y");
  const DataView rows = source.rows();
  std::vector<double> across, up;
  for (Index i = 0; i < rows.n(); ++i) {
    across.push_back(rows.at(i, axes.x));
    up.push_back(rows.at(i, axes.y));
  }
  axes.across = widened(extent_of(across), beyond);
  axes.up = widened(extent_of(up), beyond);
  axes.columns = axes.rows = kGridNodes;
  return axes;
}

// Maps reach beyond the rows, to what a kernel does around them; those of kernels that take no
// negative values, where they cannot, end with the rows.
std::vector<Field> maps_of(const PlotSource& source, const PlotOptions& options, MapAxes& axes) {
  constexpr double kBeyondRows = 0.15;  // of their span
  axes = axes_of(source, options, kBeyondRows);
  try {
    return component_maps(axes, source);
  } catch (const Error& error) {
    if (error.code() != ErrorCode::negative_values) throw;
  }
  axes = axes_of(source, options, 0);
  for (Extent* extent : {&axes.across, &axes.up})
    extent->low = extent->high > 0 ? std::max(extent->low, 0.0) : extent->low;
  return component_maps(axes, source);
}

double largest_of(const Field& map) {
  const double largest = map.values.cwiseAbs().maxCoeff();
  return largest > 0 ? largest : 1;
}

// A pixel for each node: the panel shows what lies between the outermost ones.
ImageLayer shades(const Field& map, const Theme& theme) {
  const Index rows = map.values.rows(), columns = map.values.cols();
  const double half_x = map.x.span() / static_cast<double>(columns - 1) / 2;
  const double half_y = map.y.span() / static_cast<double>(rows - 1) / 2;
  ImageLayer image{{map.x.low - half_x, map.x.high + half_x},
                   {map.y.low - half_y, map.y.high + half_y},
                   columns,
                   rows,
                   {}};
  const double largest = largest_of(map);
  for (Index r = rows; r-- > 0;)
    for (Index c = 0; c < columns; ++c) {
      // A few dozen shades: they look as smooth and take a fraction of the bytes.
      const double shade = std::round(kShades * map.values(r, c) / largest) / kShades;
      const Colour colour = theme.diverging(0.75 * shade);
      image.rgba.insert(image.rgba.end(), {colour.red, colour.green, colour.blue, 255});
    }
  return image;
}

void add_lines(const Field& map, const Theme& theme, Panel& panel) {
  LineLayer lines{{}, Pen{theme.ink.faded(0.45), 0.8}}, zero{{}, Pen{theme.ink.faded(0.8), 1.2}};
  for (const double level : contour_levels(map, kLevels)) {
    LineLayer& own = level == 0 ? zero : lines;
    for (auto& line : contour_lines(map, level)) own.lines.push_back(std::move(line));
  }
  panel.layers.push_back(std::move(lines));
  panel.layers.push_back(std::move(zero));
}

std::string map_title(const PlotSource& source, Index k) {
  if (source.score_columns() > 0) return source.component_title(k);
  const std::vector<std::string> names = need<Predicts>(source.model()).prediction_names();
  return names[static_cast<std::size_t>(k)];
}

Figure make(const PlotSource& source, const PlotOptions& options) {
  MapAxes axes;
  const std::vector<Field> maps = maps_of(source, options, axes);
  const auto all = static_cast<Index>(maps.size());
  const Index shown = std::min(options.count > 0 ? options.count : kMapsShown, all);
  const detail::Colouring colouring = detail::colouring_of(source, options);
  DotLayer dots;
  const DataView rows = source.rows();
  for (Index i = 0; i < rows.n(); ++i) {
    dots.x.push_back(rows.at(i, axes.x));
    dots.y.push_back(rows.at(i, axes.y));
  }
  dots.radius = rows.n() <= 200 ? 2.2 : rows.n() <= 1000 ? 1.6 : 1;
  colouring.put_into(dots);
  // On shades of two colours, rows without classes are seen best as ink.
  if (dots.group.empty() && dots.colours.empty()) dots.looks = {{options.theme.ink}};
  detail::put_names(source, options, dots);
  Figure figure{
      .title = detail::title_of(source), .subtitle = detail::subtitle_of(source), .panels = {}};
  // Where the columns have like spans, circles are round.
  const double ratio = axes.up.span() / axes.across.span();
  const bool alike = ratio > 0.6 && ratio < 1.7;
  for (Index k = 0; k < shown; ++k) {
    const Field& map = maps[static_cast<std::size_t>(k)];
    Panel& panel = figure.panels.emplace_back();
    panel.title = map_title(source, k);
    panel.x = {.title = source.column_name(axes.x), .extent = map.x};
    panel.y = {.title = source.column_name(axes.y), .extent = map.y};
    if (alike) panel.shape = ratio;
    panel.layers.push_back(shades(map, options.theme));
    add_lines(map, options.theme, panel);
    panel.layers.push_back(dots);
  }
  const Index columns = shown == 4 ? 2 : std::min<Index>(shown, 3);
  const Index lines = (shown + columns - 1) / columns;
  const double side = shown == 1 ? 380 : shown > 4 ? 210 : shown == 3 ? 225 : 265;
  figure.width =
      20 + (side + 60) * static_cast<double>(columns) + (colouring.legend.empty() ? 0 : 90);
  figure.height = std::round(60 + (side * (alike ? ratio : 0.8) + 62) * static_cast<double>(lines));
  colouring.put_into(figure);
  return figure;
}

}  // namespace
}  // namespace contour_kind

const PlotKind& contour_plot() {
  using namespace contour_kind;
  static constexpr PlotKind kind{"contour",
                                 "maps of the components over two columns",
                                 refuse,
                                 ready,
                                 wanted,
                                 make,
                                 "x,y,colour,names,count"};
  return kind;
}

}  // namespace mercer::plot
