// Rows by three components, seen from above and beside: a box turned by fixed angles, without
// perspective, what is nearer drawn later.
#include "mercer/plot/detail/parts.h"
#include "mercer/plot/kind.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <numeric>

namespace mercer::plot {
namespace scatter3d_kind {
namespace {

constexpr double kTurn = 35 * std::numbers::pi / 180, kTilt = 25 * std::numbers::pi / 180;

std::string refuse(const PlotSource& source) { return detail::refuse_fewer_scores(source, 3); }

bool ready(const PlotSource& source) { return source.has_scores(); }

int wanted(const PlotSource&) { return 10; }

struct Seen {
  double x, y, depth;  // large depths are far away
};

// Of a point of the cube from -1 to 1.
Seen seen_from_aside(const std::array<double, 3>& p) {
  const double across = p[0] * std::cos(kTurn) - p[1] * std::sin(kTurn);
  const double along = p[0] * std::sin(kTurn) + p[1] * std::cos(kTurn);
  return {across, p[2] * std::cos(kTilt) + along * std::sin(kTilt),
          along * std::cos(kTilt) - p[2] * std::sin(kTilt)};
}

Place place_of(const std::array<double, 3>& p) {
  const Seen seen = seen_from_aside(p);
  return {seen.x, seen.y};
}

// The edges of the box: those behind the dots are dashed.
void add_box(const Theme& theme, Panel& panel) {
  LineLayer near{{}, Pen{theme.muted.faded(0.7)}}, far{{}, Pen{theme.muted.faded(0.45), 1, true}};
  std::array<double, 3> farthest{};
  double depth = -HUGE_VAL;
  for (int corner = 0; corner < 8; ++corner) {
    const std::array<double, 3> p = {corner & 1 ? 1.0 : -1.0, corner & 2 ? 1.0 : -1.0,
                                     corner & 4 ? 1.0 : -1.0};
    if (const double here = seen_from_aside(p).depth; here > depth) {
      depth = here;
      farthest = p;
    }
  }
  for (std::size_t axis = 0; axis < 3; ++axis)
    for (int corner = 0; corner < 4; ++corner) {
      std::array<double, 3> from{}, to{};
      from[axis] = -1;
      to[axis] = 1;
      const std::size_t b = (axis + 1) % 3, c = (axis + 2) % 3;
      from[b] = to[b] = corner & 1 ? 1 : -1;
      from[c] = to[c] = corner & 2 ? 1 : -1;
      const bool behind = from[b] == farthest[b] && from[c] == farthest[c];
      (behind ? far : near).lines.push_back({place_of(from), place_of(to)});
    }
  panel.layers.push_back(std::move(far));
  panel.layers.push_back(std::move(near));
}

// The edges that bear numbers are on the outline: the lower two and the left one.
struct NumberedEdge {
  std::array<double, 3> middle;
  Place to_numbers, to_title;  // from a place on the edge
  Anchor anchor;
};
constexpr std::array<NumberedEdge, 3> kNumberedEdges = {
    {{{0, -1, -1}, {0.07, -0.1}, {0.22, -0.28}, Anchor::start},
     {{-1, 0, -1}, {-0.07, -0.1}, {-0.22, -0.28}, Anchor::end},
     {{-1, 1, 0}, {-0.08, 0}, {0, 1.02}, Anchor::end}}};

void add_words(const std::array<std::string, 3>& titles, const std::array<Extent, 3>& extents,
               const Theme& theme, Panel& panel) {
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const NumberedEdge& edge = kNumberedEdges[axis];
    const Place at = place_of(edge.middle);
    panel.layers.push_back(TextLayer{{{at.x + edge.to_title.x, at.y + edge.to_title.y}},
                                     {titles[axis]},
                                     theme.ink,
                                     axis == 2 ? Anchor::middle : edge.anchor});
    TextLayer numbers{{}, {}, theme.muted, edge.anchor, 0.85};
    const Ticks ticks = nice_ticks(extents[axis], 4);
    for (std::size_t i = 0; i < ticks.at.size(); ++i) {
      std::array<double, 3> on = edge.middle;
      on[axis] = 2 * (ticks.at[i] - extents[axis].low) / extents[axis].span() - 1;
      const Place tick = place_of(on);
      numbers.at.push_back({tick.x + edge.to_numbers.x, tick.y + edge.to_numbers.y});
      numbers.texts.push_back(ticks.labels[i]);
    }
    panel.layers.push_back(std::move(numbers));
  }
}

Figure make(const PlotSource& source, const PlotOptions& options) {
  const std::array<Index, 3> components = {detail::component_of(options.x, 0, source),
                                           detail::component_of(options.y, 1, source),
                                           detail::component_of(options.z, 2, source)};
  const Block& scores = source.scores();
  std::array<std::vector<double>, 3> values;
  std::array<Extent, 3> extents;
  std::array<std::string, 3> titles;
  for (std::size_t a = 0; a < 3; ++a) {
    values[a] = detail::column_of(scores, components[a]);
    extents[a] = widened(extent_of(values[a]), 0.05);
    titles[a] = source.component_title(components[a]);
  }
  std::vector<Seen> seen;
  for (std::size_t i = 0; i < values[0].size(); ++i) {
    std::array<double, 3> p{};
    for (std::size_t a = 0; a < 3; ++a)
      p[a] = 2 * (values[a][i] - extents[a].low) / extents[a].span() - 1;
    seen.push_back(seen_from_aside(p));
  }
  std::vector<std::size_t> order(seen.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, std::greater<>{}, [&](std::size_t i) { return seen[i].depth; });
  const detail::Colouring colouring = detail::colouring_of(source, options);
  DotLayer whole, dots;
  whole.x = values[0];  // as many as there are rows: names and colours follow
  colouring.put_into(whole);
  detail::put_names(source, options, whole);
  dots.looks = whole.looks;
  for (const std::size_t i : order) {
    dots.x.push_back(seen[i].x);
    dots.y.push_back(seen[i].y);
    if (!whole.group.empty()) dots.group.push_back(whole.group[i]);
    if (!whole.colours.empty()) dots.colours.push_back(whole.colours[i]);
    if (!whole.names.empty()) dots.names.push_back(whole.names[i]);
    if (!whole.titles.empty()) dots.titles.push_back(whole.titles[i]);
  }
  Figure figure{.title = detail::title_of(source),
                .subtitle = detail::subtitle_of(source),
                .panels = {},
                .width = 620,
                .height = 540};
  Panel& panel = figure.panels.emplace_back();
  panel.x = {.extent = {-1.85, 1.85}, .shown = false};
  panel.y = {.extent = {-1.65, 1.5}, .shown = false};
  panel.equal = true;
  panel.framed = false;
  add_box(options.theme, panel);
  panel.layers.push_back(std::move(dots));
  add_words(titles, extents, options.theme, panel);
  colouring.put_into(figure);
  return figure;
}

}  // namespace
}  // namespace scatter3d_kind

const PlotKind& scatter3d_plot() {
  using namespace scatter3d_kind;
  static constexpr PlotKind kind{
      "scatter3d",         "rows by three components, in a box", refuse, ready, wanted, make,
      "x,y,z,colour,names"};
  return kind;
}

}  // namespace mercer::plot
