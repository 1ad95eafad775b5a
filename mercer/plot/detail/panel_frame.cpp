#include "mercer/plot/detail/panel_frame.h"

#include <cmath>

namespace mercer::plot::detail {
namespace {

constexpr double kTick = 4;            // pixels of a tick
constexpr double kGap = 4;             // between things
constexpr double kTickPixels = 60;     // between two ticks, about
constexpr double kWidestShare = 0.35;  // of a panel that numbers and names may take

bool in_cells(const Style& style) { return style.ruler.cell_width > 0; }

double tick_size(const Style& style) { return in_cells(style) ? style.text : 0.9 * style.text; }

// Names at whole numbers: every one, or every second, third ... where they would touch.
AxisLabels name_labels(const Axis& axis, double length, bool along_bottom, const Style& style) {
  AxisLabels labels;
  const auto count = axis.names.size();
  if (count == 0) return labels;
  const double size = tick_size(style);
  const double each = length / std::max(1.0, axis.extent.span());
  double widest = 0;
  for (const std::string& name : axis.names)
    widest = std::max(widest, style.ruler.width(name, size));
  labels.upright = along_bottom && !in_cells(style) && widest + 2 * kGap > each && count > 1;
  const double needed = along_bottom && !labels.upright ? widest + 2 * kGap : 1.15 * size;
  const auto step = static_cast<std::size_t>(std::max(1.0, std::ceil(needed / each)));
  const double room = along_bottom && !labels.upright ? std::max(length, each) : 14 * size;
  for (std::size_t i = 0; i < count; i += step) {
    labels.ticks.at.push_back(static_cast<double>(i));
    labels.ticks.labels.push_back(style.ruler.shortened(axis.names[i], size, room));
  }
  return labels;
}

bool labels_touch(const Ticks& ticks, const Axis& axis, double length, const Style& style) {
  const double pixels = length / axis.extent.span();
  for (std::size_t i = 1; i < ticks.at.size(); ++i) {
    const double apart = (ticks.at[i] - ticks.at[i - 1]) * pixels;
    const double taken = (style.ruler.width(ticks.labels[i], tick_size(style)) +
                          style.ruler.width(ticks.labels[i - 1], tick_size(style))) /
                         2;
    if (taken + 2 * kGap > apart) return true;
  }
  return false;
}

void put_title(const std::string& title, Place at, bool upright, double room, const Style& style,
               Scene& scene) {
  scene.add(TextMark{style.ruler.shortened(title, style.text, room), at, style.text,
                     style.theme.ink, Anchor::middle, false, upright});
}

void draw_bottom_axis(const Panel& panel, const Box& box, const PanelFrame& frame,
                      const Style& style, Scene& scene) {
  const Box& in = frame.inside;
  const double size = tick_size(style);
  const AxisLabels labels = axis_labels(panel.x, in.width, true, style);
  PathMark ticks{{}, false, {}, Pen{style.theme.muted}};
  for (std::size_t i = 0; i < labels.ticks.at.size(); ++i) {
    const double x = frame.x(labels.ticks.at[i]);
    ticks.lines.push_back({{x, in.bottom()}, {x, in.bottom() + kTick}});
    const double y = in.bottom() + kTick + 2;
    if (labels.upright)
      scene.add(TextMark{labels.ticks.labels[i],
                         {x + 0.35 * size, y},
                         size,
                         style.theme.muted,
                         Anchor::end,
                         false,
                         true});
    else
      scene.add(TextMark{
          labels.ticks.labels[i], {x, y + 0.8 * size}, size, style.theme.muted, Anchor::middle});
  }
  if (!in_cells(style)) scene.add(std::move(ticks));
  if (!panel.x.title.empty())
    put_title(panel.x.title, {in.left + in.width / 2, box.bottom() - 0.25 * style.text}, false,
              std::max(in.width, box.width - 2 * kGap), style, scene);
}

void draw_left_axis(const Panel& panel, const Box& box, const PanelFrame& frame, const Style& style,
                    Scene& scene) {
  const Box& in = frame.inside;
  const double size = tick_size(style);
  const AxisLabels labels = axis_labels(panel.y, in.height, false, style);
  PathMark ticks{{}, false, {}, Pen{style.theme.muted}};
  for (std::size_t i = 0; i < labels.ticks.at.size(); ++i) {
    double y = frame.y(labels.ticks.at[i]);
    if (in_cells(style)) y = std::min(y, in.bottom() - 1);  // the last line of the data
    ticks.lines.push_back({{in.left - kTick, y}, {in.left, y}});
    scene.add(TextMark{labels.ticks.labels[i],
                       {in.left - kTick - 2, y + 0.35 * size},
                       size,
                       style.theme.muted,
                       Anchor::end});
  }
  scene.add(std::move(ticks));
  if (panel.y.title.empty()) return;
  // Characters stand upright: the title lies above its axis.
  if (in_cells(style)) {
    scene.add(TextMark{style.ruler.shortened(panel.y.title, style.text, in.right() - box.left),
                       {box.left, in.top - 0.25 * style.text},
                       style.text,
                       style.theme.ink});
    return;
  }
  put_title(panel.y.title, {box.left + style.text, in.top + in.height / 2}, true,
            std::max(in.height, box.height - 2 * kGap), style, scene);
}

void draw_grid(const Panel& panel, const PanelFrame& frame, const Style& style, Scene& scene) {
  const Box& in = frame.inside;
  PathMark grid{{}, false, {}, Pen{style.theme.grid}};
  if (panel.x.names.empty())
    for (const double at : axis_labels(panel.x, in.width, true, style).ticks.at)
      grid.lines.push_back({{frame.x(at), in.top}, {frame.x(at), in.bottom()}});
  if (panel.y.names.empty())
    for (const double at : axis_labels(panel.y, in.height, false, style).ticks.at)
      grid.lines.push_back({{in.left, frame.y(at)}, {in.right(), frame.y(at)}});
  scene.add(std::move(grid));
}

}  // namespace

AxisLabels axis_labels(const Axis& axis, double length, bool along_bottom, const Style& style) {
  if (!axis.names.empty()) return name_labels(axis, length, along_bottom, style);
  AxisLabels labels;
  const double apart = along_bottom ? kTickPixels * style.text / 10 : 5 * style.text;
  int about = std::clamp(static_cast<int>(length / apart), 3, 12);
  labels.ticks = nice_ticks(axis.extent, about, axis.whole);
  // A single number says nothing of the scale: steps that happen to fall so are made smaller.
  for (int more = about + 1; labels.ticks.at.size() < 2 && more <= 8; ++more)
    if (Ticks finer = nice_ticks(axis.extent, more, axis.whole);
        finer.at.size() >= 2 && !(along_bottom && labels_touch(finer, axis, length, style))) {
      labels.ticks = std::move(finer);
      about = more;
    }
  while (along_bottom && about > 1 && labels_touch(labels.ticks, axis, length, style))
    labels.ticks = nice_ticks(axis.extent, --about, axis.whole);
  // Numbers that touch even so: the first and the last that have room.
  if (along_bottom && labels_touch(labels.ticks, axis, length, style)) {
    labels.ticks.at.resize(1);
    labels.ticks.labels.resize(1);
  }
  return labels;
}

namespace {

double widest_label(const AxisLabels& labels, const Style& style) {
  double widest = 0;
  for (const std::string& label : labels.ticks.labels)
    widest = std::max(widest, style.ruler.width(label, tick_size(style)));
  return widest;
}

}  // namespace

namespace {

// In whole characters, so that data begin and end with one.
Margins margins_in_cells(const Panel& panel, const Box& box, const Style& style) {
  const double wide = style.ruler.cell_width, high = style.text;
  Margins margins{wide, wide, 0, 0};
  margins.top = high * ((panel.title.empty() ? 0 : 1) + (panel.y.title.empty() ? 0 : 1));
  if (panel.y.shown)
    margins.left += widest_label(axis_labels(panel.y, box.height - 4 * high, false, style), style);
  if (panel.x.shown) {
    margins.bottom = high * (panel.x.title.empty() ? 1 : 2);
    const AxisLabels labels = axis_labels(panel.x, box.width - margins.left - wide, true, style);
    if (!labels.ticks.labels.empty())
      margins.right += style.ruler.width(labels.ticks.labels.back(), high) / 2;
  }
  const auto up = [](double value, double unit) { return std::ceil(value / unit - 1e-9) * unit; };
  margins.left = up(box.left + margins.left, wide) - box.left;
  margins.top = up(box.top + margins.top, high) - box.top;
  margins.right = up(style.width - box.right() + margins.right, wide) - (style.width - box.right());
  margins.bottom =
      up(style.height - box.bottom() + margins.bottom, high) - (style.height - box.bottom());
  return margins;
}

}  // namespace

Margins margins_of(const Panel& panel, const Box& box, const Style& style) {
  if (in_cells(style)) return margins_in_cells(panel, box, style);
  const double text = style.text, size = tick_size(style);
  Margins margins{kGap, 2 * kGap, kGap, kGap};
  if (!panel.title.empty())
    margins.top += 1.5 * text;
  else if (panel.y.shown)
    margins.top += 0.5 * size;
  if (panel.y.shown) {
    const AxisLabels labels = axis_labels(panel.y, box.height - 4 * text, false, style);
    margins.left += kTick + 4 + std::min(widest_label(labels, style), kWidestShare * box.width);
    if (!panel.y.title.empty()) margins.left += 1.4 * text;
  }
  if (panel.x.shown) {
    const AxisLabels labels =
        axis_labels(panel.x, box.width - margins.left - margins.right, true, style);
    const double high = labels.upright
                            ? std::min(widest_label(labels, style), kWidestShare * box.height)
                            : 1.1 * size;
    margins.bottom += kTick + 2 + high;
    if (!panel.x.title.empty()) margins.bottom += 1.25 * text;
    // Half of the last number may stand beyond the end of its axis.
    if (!labels.upright && !labels.ticks.labels.empty())
      margins.right =
          std::max(margins.right, style.ruler.width(labels.ticks.labels.back(), size) / 2 + 2);
  }
  return margins;
}

PanelFrame frame_of(const Panel& panel, const Box& box, const Margins& margins) {
  constexpr double kLeast = 10;  // pixels, so that tiny pictures have an inside
  PanelFrame frame;
  Box& in = frame.inside;
  in = {box.left + margins.left, box.top + margins.top,
        std::max(kLeast, box.width - margins.left - margins.right),
        std::max(kLeast, box.height - margins.top - margins.bottom)};
  Extent x = panel.x.extent, y = panel.y.extent;
  if (panel.equal) {
    // The axis with pixels to spare shows more numbers on both sides.
    const double unit = std::max(x.span() / in.width, y.span() / in.height);
    const double more_x = (unit * in.width - x.span()) / 2;
    const double more_y = (unit * in.height - y.span()) / 2;
    x = {x.low - more_x, x.high + more_x};
    y = {y.low - more_y, y.high + more_y};
  }
  frame.x = {x, in.left, in.right()};
  frame.y = {y, in.bottom(), in.top};
  if (panel.x.falling) std::swap(frame.x.begin, frame.x.end);
  if (panel.y.falling) std::swap(frame.y.begin, frame.y.end);
  return frame;
}

void draw_axes(const Panel& panel, const Box& box, const PanelFrame& frame, const Style& style,
               Scene& scene) {
  const Box& in = frame.inside;
  // Equal units widen an axis: its ticks are those of what is shown.
  Panel shown = panel;
  shown.x.extent = frame.x.of;
  shown.y.extent = frame.y.of;
  // Lines of braille dots would be read as data: characters have the axes alone.
  if (panel.framed && !in_cells(style)) draw_grid(shown, frame, style, scene);
  if (panel.framed) {
    const double bottom = in.bottom() - (in_cells(style) ? 1 : 0);  // of the cells of the data
    PathMark edges{{{{in.left, in.top}, {in.left, bottom}, {in.right(), bottom}}},
                   false,
                   {},
                   Pen{style.theme.muted.faded(0.6)}};
    if (!in_cells(style)) {
      edges.lines[0].push_back({in.right(), in.top});
      edges.closed = true;
    }
    scene.add(std::move(edges));
  }
  if (panel.x.shown) draw_bottom_axis(shown, box, frame, style, scene);
  if (panel.y.shown) draw_left_axis(shown, box, frame, style, scene);
  const double above = in_cells(style) && !panel.y.title.empty() ? style.text : 0;
  if (!panel.title.empty())
    scene.add(
        TextMark{style.ruler.shortened(panel.title, style.text, in.width + in.left - box.left),
                 {in.left + in.width / 2, in.top - 0.5 * style.text - above},
                 style.text,
                 style.theme.ink,
                 Anchor::middle,
                 true});
}

}  // namespace mercer::plot::detail
