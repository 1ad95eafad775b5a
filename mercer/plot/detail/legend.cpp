#include "mercer/plot/detail/legend.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace mercer::plot::detail {
namespace {

constexpr double kPad = 10;           // between the legend and the data
constexpr double kLegendShare = 0.3;  // of the picture's width that it may take
constexpr double kNarrow = 420;       // pictures less wide than this have it below

double line_height(const Style& style) {
  return style.ruler.cell_width > 0 ? style.text : 1.45 * style.text;
}

double sign_width(const Style& style) {
  return style.ruler.cell_width > 0 ? 2 * style.ruler.cell_width : 1.4 * style.text;
}

double entry_width(const Figure& figure, const Style& style, double most) {
  double widest = 0;
  for (const LegendEntry& entry : figure.legend)
    widest = std::max(widest, style.ruler.width(entry.name, style.text));
  return std::min(most, sign_width(style) + widest + 6);
}

void draw_sign(const LegendEntry& entry, Place middle, const Style& style, Scene& scene) {
  const double half = 0.4 * sign_width(style);
  if (entry.line)
    scene.add(PathMark{{{{middle.x - half, middle.y}, {middle.x + half, middle.y}}},
                       false,
                       {},
                       Pen{entry.look.colour, 2}});
  else
    scene.add(DotsMark{entry.look.symbol, 0.36 * style.text, entry.look.colour, {middle}});
}

void draw_bar(const ColourBar& bar, const Style& style, const Box& box, Scene& scene) {
  const double text = style.text, wide = std::min(14.0, box.width / 3);
  const Box ramp{box.left, box.top + 1.8 * text, wide, std::min(box.height - 3 * text, 16 * text)};
  scene.add(TextMark{style.ruler.shortened(bar.title, text, box.width),
                     {box.left, box.top + text},
                     text,
                     style.theme.ink});
  ImageMark image{ramp, 1, static_cast<Index>(bar.colours.size()), {}, true};
  for (std::size_t i = bar.colours.size(); i-- > 0;) {
    const Colour& c = bar.colours[i];
    image.rgba.insert(image.rgba.end(), {c.red, c.green, c.blue, 255});
  }
  scene.add(std::move(image));
  const Ticks ticks = nice_ticks(bar.extent, 5);
  for (std::size_t i = 0; i < ticks.at.size(); ++i) {
    const double y =
        ramp.bottom() - (ticks.at[i] - bar.extent.low) / bar.extent.span() * ramp.height;
    scene.add(TextMark{
        ticks.labels[i], {ramp.right() + 5, y + 0.32 * text}, 0.9 * text, style.theme.muted});
  }
}

double bar_width(const ColourBar& bar, const Style& style) {
  double widest = style.ruler.width(bar.title, style.text);
  for (const std::string& label : nice_ticks(bar.extent, 5).labels)
    widest = std::max(widest, 20 + style.ruler.width(label, 0.9 * style.text));
  return widest;
}

// Entries in columns or rows of equal width; what has no room is counted.
void draw_entries(const Figure& figure, const Style& style, const Box& box, Index columns,
                  double top, Scene& scene) {
  const double line = line_height(style);
  const auto rows = std::max<Index>(1, static_cast<Index>((box.bottom() - top) / line + 0.01));
  const auto count = static_cast<Index>(figure.legend.size());
  const Index room = rows * columns, shown = count <= room ? count : room - 1;
  const Index used_rows = std::min(rows, (std::max<Index>(count, 1) + columns - 1) / columns);
  const double each = box.width / static_cast<double>(columns);
  const auto place = [&](Index i) {
    return Place{box.left + each * static_cast<double>(i / used_rows),
                 top + line * (static_cast<double>(i % used_rows) + 0.5)};
  };
  for (Index i = 0; i < shown; ++i) {
    const LegendEntry& entry = figure.legend[static_cast<std::size_t>(i)];
    const Place at = place(i);
    draw_sign(entry, {at.x + sign_width(style) / 2, at.y}, style, scene);
    scene.add(TextMark{style.ruler.shortened(entry.name, style.text, each - sign_width(style) - 4),
                       {at.x + sign_width(style), at.y + 0.35 * style.text},
                       style.text,
                       style.theme.ink});
  }
  if (shown < count) {
    const Place at = place(shown);
    scene.add(TextMark{fmt::format("… {} more", count - shown),
                       {at.x + sign_width(style), at.y + 0.35 * style.text},
                       style.text,
                       style.theme.muted});
  }
}

Index columns_beside(const Figure& figure, const Style& style, double height) {
  const double line = line_height(style), title = figure.legend_title.empty() ? 0 : 1.2 * line;
  const auto rows = std::max<Index>(1, static_cast<Index>((height - title) / line));
  const auto count = static_cast<Index>(figure.legend.size());
  return std::min<Index>(2, (count + rows - 1) / rows);
}

}  // namespace

LegendRoom legend_room(const Figure& figure, const Style& style, const Box& room) {
  if (figure.bar) {
    const double wide = std::min(kLegendShare * room.width, bar_width(*figure.bar, style));
    return {wide + kPad, 0, false};
  }
  if (figure.legend.empty()) return {};
  const double line = line_height(style);
  if (room.width < kNarrow) {
    const double each = entry_width(figure, style, room.width);
    const auto across = std::max<Index>(1, static_cast<Index>(room.width / each));
    const auto count = static_cast<Index>(figure.legend.size());
    const double rows = std::ceil(static_cast<double>(count) / static_cast<double>(across));
    return {0,
            std::min(0.3 * room.height, (rows + (figure.legend_title.empty() ? 0 : 1)) * line) +
                kPad / 2,
            true};
  }
  const Index columns = columns_beside(figure, style, room.height);
  const double title = style.ruler.width(figure.legend_title, style.text, true);
  const double each =
      entry_width(figure, style, kLegendShare * room.width / static_cast<double>(columns));
  return {
      std::min(kLegendShare * room.width, std::max(static_cast<double>(columns) * each, title)) +
          kPad,
      0, false};
}

void draw_legend(const Figure& figure, const Style& style, const Box& box, bool below,
                 Scene& scene) {
  Box inner = box;
  if (!below) {
    inner.left += kPad;
    inner.width -= kPad;
  }
  if (figure.bar) return draw_bar(*figure.bar, style, inner, scene);
  if (figure.legend.empty()) return;
  double top = inner.top;
  if (!figure.legend_title.empty()) {
    scene.add(TextMark{
        style.ruler.shortened(figure.legend_title, style.text,
                              style.ruler.cell_width > 0 ? inner.width : inner.width / 1.1),
        {inner.left, top + 0.9 * style.text},
        style.text,
        style.theme.ink,
        Anchor::start,
        true});
    top += 1.2 * line_height(style);
  }
  const Index columns =
      below ? std::max<Index>(
                  1, static_cast<Index>(inner.width / entry_width(figure, style, inner.width)))
            : columns_beside(figure, style, inner.height);
  draw_entries(figure, style, inner, columns, top, scene);
}

}  // namespace mercer::plot::detail
