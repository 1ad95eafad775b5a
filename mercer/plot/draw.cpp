#include "mercer/plot/draw.h"

#include "mercer/plot/detail/layers.h"
#include "mercer/plot/detail/legend.h"
#include "mercer/plot/detail/panel_frame.h"

#include <algorithm>
#include <cmath>

namespace mercer::plot {
namespace {

using detail::Margins;

constexpr double kEdge = 8;  // pixels around everything

// Columns of panels for which their boxes are nearest to squares.
Index panel_columns(const Figure& figure, const Box& room) {
  const auto count = static_cast<Index>(figure.panels.size());
  if (figure.columns > 0) return std::min(figure.columns, std::max<Index>(count, 1));
  Index best = 1;
  double best_shape = HUGE_VAL;
  for (Index columns = 1; columns <= count; ++columns) {
    const Index rows = (count + columns - 1) / columns;
    const double shape = std::abs(std::log(room.width / static_cast<double>(columns) *
                                           static_cast<double>(rows) / room.height / 1.25));
    const double empty = 0.15 * static_cast<double>(columns * rows - count);
    if (shape + empty < best_shape - 1e-9) {
      best_shape = shape + empty;
      best = columns;
    }
  }
  return best;
}

// Panels in a column share the margins beside their data, those in a row the margins above and
// below, so that their frames are in line.
std::vector<Margins> aligned_margins(const Figure& figure, const std::vector<Box>& boxes,
                                     Index columns, const Style& style) {
  std::vector<Margins> margins;
  for (std::size_t i = 0; i < figure.panels.size(); ++i)
    margins.push_back(detail::margins_of(figure.panels[i], boxes[i], style));
  const auto across = static_cast<std::size_t>(columns);
  std::vector<Margins> aligned = margins;
  for (std::size_t i = 0; i < margins.size(); ++i)
    for (std::size_t j = 0; j < margins.size(); ++j) {
      if (i % across == j % across) {
        aligned[i].left = std::max(aligned[i].left, margins[j].left);
        aligned[i].right = std::max(aligned[i].right, margins[j].right);
      }
      if (i / across == j / across) {
        aligned[i].top = std::max(aligned[i].top, margins[j].top);
        aligned[i].bottom = std::max(aligned[i].bottom, margins[j].bottom);
      }
    }
  return aligned;
}

void draw_panels(const Figure& figure, const Style& style, const Box& room, Scene& scene) {
  if (figure.panels.empty()) return;
  const Index columns = panel_columns(figure, room);
  const Index rows = (static_cast<Index>(figure.panels.size()) + columns - 1) / columns;
  const double wide = room.width / static_cast<double>(columns),
               high = room.height / static_cast<double>(rows);
  std::vector<Box> boxes;
  for (Index i = 0; i < static_cast<Index>(figure.panels.size()); ++i)
    boxes.push_back({room.left + wide * static_cast<double>(i % columns),
                     room.top + high * static_cast<double>(i / columns), wide, high});
  const std::vector<Margins> margins = aligned_margins(figure, boxes, columns, style);
  for (std::size_t i = 0; i < boxes.size(); ++i) {
    const Panel& panel = figure.panels[i];
    const detail::PanelFrame frame = detail::frame_of(panel, boxes[i], margins[i]);
    detail::draw_axes(panel, boxes[i], frame, style, scene);
    for (const Layer& layer : panel.layers) detail::draw_layer(layer, frame, style, scene);
  }
}

// Returns what is left of the room below.
Box draw_titles(const Figure& figure, const Style& style, Box room, Scene& scene) {
  const bool cells = style.ruler.cell_width > 0;
  const auto put = [&](const std::string& text, double size, double line, const Colour& colour,
                       bool bold) {
    if (text.empty()) return;
    const double wide = bold && !cells ? room.width / 1.1 : room.width;
    scene.add(TextMark{style.ruler.shortened(text, size, wide),
                       {room.left, room.top + 0.85 * size},
                       size,
                       colour,
                       Anchor::start,
                       bold});
    room.top += line;
    room.height -= line;
  };
  put(figure.title, cells ? style.text : 1.2 * style.text, cells ? style.text : 1.7 * style.text,
      style.theme.ink, true);
  put(figure.subtitle, cells ? style.text : 0.95 * style.text,
      cells ? style.text : 1.5 * style.text, style.theme.muted, false);
  return room;
}

}  // namespace

Look look_of_class(Index i, const Theme& theme) {
  return {theme.of_class(i), static_cast<Symbol>(i / kClassColours % kSymbols)};
}

Scene draw(const Figure& figure, const Style& style) {
  Scene scene{style.width, style.height, style.theme.background, figure.title, figure.subtitle, {}};
  const double edge = style.ruler.cell_width > 0 ? 0 : kEdge;
  Box room{edge, edge, style.width - 2 * edge, style.height - 2 * edge};
  room = draw_titles(figure, style, room, scene);
  const detail::LegendRoom legend = detail::legend_room(figure, style, room);
  Box panels = room;
  panels.width -= legend.width;
  panels.height -= legend.height;
  draw_panels(figure, style, panels, scene);
  const Box beside =
      legend.below ? Box{room.left, panels.bottom() + legend.height / 8, room.width, legend.height}
                   : Box{panels.right(), room.top, legend.width, room.height};
  if (legend.width > 0 || legend.height > 0)
    detail::draw_legend(figure, style, beside, legend.below, scene);
  return scene;
}

}  // namespace mercer::plot
