// Rows by two components, and the columns as arrows along which they grow.
#include "mercer/plot/detail/parts.h"
#include "mercer/plot/kind.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace mercer::plot {
namespace biplot_kind {
namespace {

constexpr Index kMostArrows = 16;  // the longest of more

std::string refuse(const PlotSource& source) {
  const std::string few = detail::refuse_fewer_scores(source, 2);
  if (!few.empty()) return few;
  return detail::has_loadings(source)
             ? ""
             : "its scores are no linear functions that lead back to columns";
}

bool ready(const PlotSource& source) { return source.has_scores(); }

int wanted(const PlotSource&) { return 15; }

// An arrow in the units of the picture: its head does not follow the axes' scales.
LineLayer arrow_to(Place tip, const Colour& colour, double unit_x, double unit_y) {
  LineLayer arrow{{{{0, 0}, tip}}, Pen{colour, 1.3}};
  const double dx = tip.x / unit_x, dy = tip.y / unit_y, length = std::hypot(dx, dy);
  if (!(length > 0)) return arrow;
  constexpr double kHead = 0.022, kHalf = 0.010;
  const double ux = dx / length, uy = dy / length;
  for (const double side : {-1.0, 1.0})
    arrow.lines.push_back({{(dx - kHead * ux - side * kHalf * uy) * unit_x,
                            (dy - kHead * uy + side * kHalf * ux) * unit_y},
                           tip});
  return arrow;
}

// Arrows begin there, wherever the rows are.
void include_origin(Extent& extent) {
  if (extent.low >= 0) extent.low = -0.1 * extent.high;
  if (extent.high <= 0) extent.high = -0.1 * extent.low;
}

std::vector<Index> longest_arrows(const Block& loadings, Index x, Index y) {
  std::vector<Index> order(static_cast<std::size_t>(loadings.rows()));
  std::iota(order.begin(), order.end(), Index{0});
  const auto length = [&](Index j) { return std::hypot(loadings(j, x), loadings(j, y)); };
  std::ranges::stable_sort(order, std::greater<>{}, length);
  order.resize(std::min(order.size(), static_cast<std::size_t>(kMostArrows)));
  return order;
}

Figure make(const PlotSource& source, const PlotOptions& options) {
  const Index x = detail::component_of(options.x, 0, source);
  const Index y = detail::component_of(options.y, x == 0 ? 1 : 0, source);
  const detail::Colouring colouring = detail::colouring_of(source, options);
  Figure figure{.title = detail::title_of(source),
                .subtitle = "arrows: columns, scaled to fit",
                .panels = {}};
  Panel panel = detail::scatter_panel(source, options, x, y, colouring);
  include_origin(panel.x.extent);
  include_origin(panel.y.extent);
  const Block& loadings = source.loadings();
  const std::vector<Index> arrows = longest_arrows(loadings, x, y);
  // The longest arrow reaches most of the way to the end of the dots.
  const auto reach = [](const Extent& extent) {
    return std::min(std::abs(extent.low), std::abs(extent.high));
  };
  double scale = HUGE_VAL;
  for (const Index j : arrows)
    for (const auto& [value, room] : {std::pair{loadings(j, x), reach(panel.x.extent)},
                                      std::pair{loadings(j, y), reach(panel.y.extent)}})
      if (value != 0) scale = std::min(scale, 0.85 * room / std::abs(value));
  if (!std::isfinite(scale)) scale = 1;
  DotLayer tips{.looks = {{options.theme.ink}}, .names_outward = true, .radius = 0.6};
  for (const Index j : arrows) {
    const Place tip{scale * loadings(j, x), scale * loadings(j, y)};
    panel.layers.push_back(
        arrow_to(tip, options.theme.ink, panel.x.extent.span(), panel.y.extent.span()));
    tips.x.push_back(tip.x);
    tips.y.push_back(tip.y);
    tips.names.push_back(source.column_name(j));
  }
  panel.layers.push_back(std::move(tips));
  figure.panels.push_back(std::move(panel));
  colouring.put_into(figure);
  return figure;
}

}  // namespace
}  // namespace biplot_kind

const PlotKind& biplot_plot() {
  using namespace biplot_kind;
  static constexpr PlotKind kind{
      "biplot",          "rows and columns by two components", refuse, ready, wanted, make,
      "x,y,colour,names"};
  return kind;
}

}  // namespace mercer::plot
