#include "mercer/plot/detail/layers.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace mercer::plot::detail {
namespace {

// Few dots are large, many small, so that a picture is neither empty nor full.
double usual_radius(std::size_t count) {
  return count <= 60 ? 4 : count <= 400 ? 3.2 : count <= 2000 ? 2.4 : count <= 6000 ? 1.8 : 1.3;
}

double usual_opacity(std::size_t count) { return count <= 400 ? 0.9 : count <= 2000 ? 0.75 : 0.6; }

void draw_dots(const DotLayer& dots, const PanelFrame& frame, const Style& style, Scene& scene) {
  const std::size_t n = dots.x.size();
  const double radius = dots.radius > 0 ? dots.radius : usual_radius(n);
  if (n > kManyDots) {
    scene.add(shaded(dots, frame, style), frame.inside);
    return;
  }
  const double opacity = usual_opacity(n);
  const auto mark = [&](const Look& look) {
    return DotsMark{look.symbol, radius, look.colour.faded(opacity), {}, {}};
  };
  std::vector<DotsMark> marks;
  if (dots.colours.empty()) {
    for (const Look& look : dots.looks) marks.push_back(mark(look));
    if (marks.empty()) marks.push_back(mark({style.theme.main()}));
  }
  // Dots of one colour are one mark, whatever their order: ramps have a few dozen colours.
  std::map<std::string, std::size_t> of_colour;
  for (std::size_t i = 0; i < n; ++i) {
    std::size_t at = dots.group.empty() ? 0 : static_cast<std::size_t>(dots.group[i]);
    if (!dots.colours.empty()) {
      at = of_colour.try_emplace(dots.colours[i].hex(), marks.size()).first->second;
      if (at == marks.size()) marks.push_back(mark({dots.colours[i]}));
    }
    DotsMark& own = marks[at];
    if (!std::isfinite(dots.x[i]) || !std::isfinite(dots.y[i])) continue;
    own.at.push_back(frame.at(dots.x[i], dots.y[i]));
    if (!dots.titles.empty()) own.titles.push_back(dots.titles[i]);
  }
  for (DotsMark& own : marks)
    if (!own.at.empty()) scene.add(std::move(own), frame.inside);
  if (!dots.names.empty()) draw_names(dots, radius, frame, style, scene);
}

void draw_lines(const LineLayer& layer, const PanelFrame& frame, const Style& style, Scene& scene) {
  // Braille knows no thin lines: many of them would hide the dots.
  if (style.ruler.cell_width > 0 && layer.pen.width < 1) return;
  PathMark path{{}, layer.closed, layer.fill, layer.pen};
  if (layer.pen.width <= 0) path.pen.reset();
  for (const std::vector<Place>& line : layer.lines) {
    std::vector<Place>& pixels = path.lines.emplace_back();
    pixels.reserve(line.size());
    for (const Place& place : line) pixels.push_back(frame.at(place.x, place.y));
  }
  scene.add(std::move(path), frame.inside);
}

void draw_bars(const BarLayer& bars, const PanelFrame& frame, Scene& scene) {
  PathMark path{{}, true, bars.colour, {}};
  for (std::size_t i = 0; i < bars.x.size(); ++i) {
    const double low = bars.x[i] - bars.width / 2, high = bars.x[i] + bars.width / 2;
    const Place a = bars.lying ? frame.at(0, low) : frame.at(low, 0);
    const Place b = bars.lying ? frame.at(bars.value[i], high) : frame.at(high, bars.value[i]);
    path.lines.push_back({a, {b.x, a.y}, b, {a.x, b.y}});
  }
  scene.add(std::move(path), frame.inside);
}

void draw_texts(const TextLayer& layer, const PanelFrame& frame, const Style& style, Scene& scene) {
  const double size = style.ruler.cell_width > 0 ? style.text : layer.size * style.text;
  for (std::size_t i = 0; i < layer.texts.size(); ++i) {
    Place at = frame.at(layer.at[i].x, layer.at[i].y);
    at.y += layer.centred ? 0.35 * size : -0.3 * size;
    scene.add(TextMark{layer.texts[i], at, size, layer.colour, layer.anchor});
  }
}

void draw_image(const ImageLayer& layer, const PanelFrame& frame, Scene& scene) {
  const Place a = frame.at(layer.x.low, layer.y.high), b = frame.at(layer.x.high, layer.y.low);
  scene.add(
      ImageMark{{std::min(a.x, b.x), std::min(a.y, b.y), std::abs(b.x - a.x), std::abs(b.y - a.y)},
                layer.width,
                layer.height,
                layer.rgba,
                layer.smooth},
      frame.inside);
}

// Where boxes stand already: a grid whose cells list them, so that a question costs little.
class TakenPlaces {
 public:
  bool free(const Box& box) const {
    for (const Box& taken : boxes_)
      if (taken.overlaps(box)) return false;
    return true;
  }
  void take(const Box& box) { boxes_.push_back(box); }

 private:
  std::vector<Box> boxes_;
};

}  // namespace

ImageMark shaded(const DotLayer& dots, const PanelFrame& frame, const Style& style) {
  const Box& in = frame.inside;
  const auto width = std::max<Index>(1, std::lround(in.width * style.fineness));
  const auto height = std::max<Index>(1, std::lround(in.height * style.fineness));
  const auto cells = static_cast<std::size_t>(width * height);
  // Sums of colours and a count for each pixel.
  std::vector<std::array<float, 4>> sums(cells, {0, 0, 0, 0});
  const Look plain{style.theme.main()};
  for (std::size_t i = 0; i < dots.x.size(); ++i) {
    if (!std::isfinite(dots.x[i]) || !std::isfinite(dots.y[i])) continue;
    const Place at = frame.at(dots.x[i], dots.y[i]);
    const auto column =
        static_cast<Index>(std::floor((at.x - in.left) / in.width * static_cast<double>(width)));
    const auto row =
        static_cast<Index>(std::floor((at.y - in.top) / in.height * static_cast<double>(height)));
    const Colour& colour = !dots.colours.empty() ? dots.colours[i]
                           : dots.group.empty()
                               ? (dots.looks.empty() ? plain : dots.looks.front()).colour
                               : dots.looks[static_cast<std::size_t>(dots.group[i])].colour;
    // A dot is two pixels wide: one alone would hardly be seen.
    for (const Index r : {row, row + 1})
      for (const Index c : {column, column + 1}) {
        if (r < 0 || c < 0 || r >= height || c >= width) continue;
        auto& sum = sums[static_cast<std::size_t>(r * width + c)];
        sum[0] += colour.red;
        sum[1] += colour.green;
        sum[2] += colour.blue;
        sum[3] += 1;
      }
  }
  float most = 1;
  for (const auto& sum : sums) most = std::max(most, sum[3]);
  ImageMark image{in, width, height, std::vector<std::uint8_t>(4 * cells), false};
  for (std::size_t i = 0; i < cells; ++i) {
    const auto& sum = sums[i];
    if (sum[3] == 0) continue;
    for (std::size_t k = 0; k < 3; ++k)
      image.rgba[4 * i + k] = static_cast<std::uint8_t>(std::lround(sum[k] / sum[3]));
    // Shades by the logarithm of the count: single rows are seen beside a thousand.
    const float share = std::log1p(sum[3]) / std::log1p(most);
    image.rgba[4 * i + 3] = static_cast<std::uint8_t>(std::lround(255 * (0.35F + 0.65F * share)));
  }
  return image;
}

void draw_names(const DotLayer& dots, double radius, const PanelFrame& frame, const Style& style,
                Scene& scene) {
  constexpr std::size_t kMostNames = 2000;  // more have no room anywhere
  const double size = style.ruler.cell_width > 0 ? style.text : 0.8 * style.text;
  TakenPlaces taken;
  const std::size_t n = std::min(dots.x.size(), kMostNames);
  for (std::size_t i = 0; i < n; ++i) {
    const Place at = frame.at(dots.x[i], dots.y[i]);
    taken.take({at.x - 0.7 * radius, at.y - 0.7 * radius, 1.4 * radius, 1.4 * radius});
  }
  for (std::size_t i = 0; i < n; ++i) {
    if (dots.names[i].empty()) continue;
    const std::string name = style.ruler.shortened(dots.names[i], size, 16 * size);
    const double width = style.ruler.width(name, size);
    const Place at = frame.at(dots.x[i], dots.y[i]);
    const double gap = radius + 2;
    const double right = at.x + gap, left = at.x - gap - width;
    const bool left_first = dots.names_outward && dots.x[i] < 0;
    const Box boxes[] = {{left_first ? left : right, at.y - 0.6 * size, width, 1.1 * size},
                         {left_first ? right : left, at.y - 0.6 * size, width, 1.1 * size},
                         {at.x - width / 2, at.y - gap - 1.1 * size, width, 1.1 * size},
                         {at.x - width / 2, at.y + gap, width, 1.1 * size}};
    const Box& in = frame.inside;
    const auto fits = [&](const Box& box) {
      return box.left >= in.left && box.right() <= in.right() && box.top >= in.top &&
             box.bottom() <= in.bottom() && taken.free(box);
    };
    const auto* place = std::find_if(std::begin(boxes), std::end(boxes), fits);
    if (place == std::end(boxes)) continue;
    taken.take(*place);
    TextMark text{name, {place->left, place->top + 0.85 * size}, size, style.theme.ink};
    text.halo = style.theme.background.faded(0.8);
    scene.add(std::move(text), frame.inside);
  }
}

void draw_layer(const Layer& layer, const PanelFrame& frame, const Style& style, Scene& scene) {
  if (const auto* dots = std::get_if<DotLayer>(&layer))
    return draw_dots(*dots, frame, style, scene);
  if (const auto* lines = std::get_if<LineLayer>(&layer))
    return draw_lines(*lines, frame, style, scene);
  if (const auto* bars = std::get_if<BarLayer>(&layer)) return draw_bars(*bars, frame, scene);
  if (const auto* texts = std::get_if<TextLayer>(&layer))
    return draw_texts(*texts, frame, style, scene);
  draw_image(std::get<ImageLayer>(layer), frame, scene);
}

}  // namespace mercer::plot::detail
