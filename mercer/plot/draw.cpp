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

// Rows and columns of panels: those in a column share the margins beside their data, those in a row
// the margins above and below, and all insides are equally large.
class PanelGrid {
 public:
  PanelGrid(const Figure& figure, const Style& style, const Box& room)
      : room_(room), columns_(panel_columns(figure, room)) {
    const auto count = static_cast<Index>(figure.panels.size());
    const Index rows = (count + columns_ - 1) / columns_;
    across_.resize(static_cast<std::size_t>(columns_));
    down_.resize(static_cast<std::size_t>(rows));
    const double wide = room.width / static_cast<double>(columns_);
    const double high = room.height / static_cast<double>(rows);
    for (Index i = 0; i < count; ++i) {
      const Box rough{room.left + wide * static_cast<double>(i % columns_),
                      room.top + high * static_cast<double>(i / columns_), wide, high};
      const Margins own =
          detail::margins_of(figure.panels[static_cast<std::size_t>(i)], rough, style);
      Margins &column = across_[static_cast<std::size_t>(i % columns_)],
              &row = down_[static_cast<std::size_t>(i / columns_)];
      column.left = std::max(column.left, own.left);
      column.right = std::max(column.right, own.right);
      row.top = std::max(row.top, own.top);
      row.bottom = std::max(row.bottom, own.bottom);
    }
    // Characters are cut evenly: their margins are those of even boxes.
    even_ = style.ruler.cell_width > 0;
  }

  Margins margins(std::size_t i) const {
    const Margins &column = across_[i % across_.size()], &row = down_[i / across_.size()];
    return {column.left, column.right, row.top, row.bottom};
  }

  Box box(std::size_t i) const {
    const std::size_t column = i % across_.size(), row = i / across_.size();
    const double wide = room_.width / static_cast<double>(across_.size());
    const double high = room_.height / static_cast<double>(down_.size());
    if (even_)
      return {room_.left + wide * static_cast<double>(column),
              room_.top + high * static_cast<double>(row), wide, high};
    double of_columns = 0, of_rows = 0, left = room_.left, top = room_.top;
    for (const Margins& margins : across_) of_columns += margins.left + margins.right;
    for (const Margins& margins : down_) of_rows += margins.top + margins.bottom;
    const double inner_wide = (room_.width - of_columns) / static_cast<double>(across_.size());
    const double inner_high = (room_.height - of_rows) / static_cast<double>(down_.size());
    for (std::size_t k = 0; k < column; ++k)
      left += across_[k].left + across_[k].right + inner_wide;
    for (std::size_t k = 0; k < row; ++k) top += down_[k].top + down_[k].bottom + inner_high;
    return {left, top, across_[column].left + across_[column].right + inner_wide,
            down_[row].top + down_[row].bottom + inner_high};
  }

 private:
  Box room_;
  Index columns_;
  bool even_ = false;
  std::vector<Margins> across_, down_;
};

// The part of a box in which the data have the shape that the panel asks for.
Box shaped(const Panel& panel, Box box, const Margins& margins, const Style& style) {
  if (panel.shape <= 0 || style.ruler.cell_width > 0) return box;
  const double beside = margins.left + margins.right, above = margins.top + margins.bottom;
  const double wide = box.width - beside, high = box.height - above;
  if (!(wide > 0 && high > 0)) return box;
  const double width = std::min(wide, high / panel.shape);
  box.left += (wide - width) / 2;
  box.width = width + beside;
  box.height = width * panel.shape + above;
  return box;
}

// In a picture of a few lines of text there is room for data alone.
Figure without_words(Figure figure) {
  figure.title = figure.subtitle = "";
  figure.legend.clear();
  figure.bar.reset();
  for (Panel& panel : figure.panels) {
    panel.title = "";
    panel.x.shown = panel.y.shown = false;
  }
  return figure;
}

bool has_room_for_words(const Figure& figure, const Style& style) {
  if (style.ruler.cell_width > 0) return true;
  constexpr double kTextsWide = 6, kTextsHigh = 5;  // of a panel with ticks and titles
  Box room{0, 0, style.width, style.height - 4 * style.text};
  const auto columns = static_cast<double>(panel_columns(figure, room));
  const double rows = std::ceil(static_cast<double>(figure.panels.size()) / columns);
  const bool axes = std::ranges::any_of(figure.panels, [](const Panel& p) { return p.x.shown; });
  const double least = axes ? 1 : 0.3;  // images have titles at most
  return room.width / columns >= least * kTextsWide * style.text &&
         room.height / rows >= least * kTextsHigh * style.text;
}

void draw_panels(const Figure& figure, const Style& style, const Box& room, Scene& scene) {
  if (figure.panels.empty()) return;
  const PanelGrid grid(figure, style, room);
  for (std::size_t i = 0; i < figure.panels.size(); ++i) {
    const Panel& panel = figure.panels[i];
    const Box box = shaped(panel, grid.box(i), grid.margins(i), style);
    const detail::PanelFrame frame = detail::frame_of(panel, box, grid.margins(i));
    detail::draw_axes(panel, box, frame, style, scene);
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

Scene draw(const Figure& asked, const Style& style) {
  std::optional<Figure> bare;
  if (!has_room_for_words(asked, style)) bare = without_words(asked);
  const Figure& figure = bare ? *bare : asked;
  Scene scene{style.width, style.height, style.theme.background, asked.title, asked.subtitle, {}};
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
