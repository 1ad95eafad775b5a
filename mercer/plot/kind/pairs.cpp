// Every component against every other, with the distribution of each on the diagonal.
#include "mercer/plot/detail/parts.h"
#include "mercer/plot/kind.h"

#include <algorithm>
#include <cmath>

namespace mercer::plot {
namespace pairs_kind {
namespace {

constexpr Index kShown = 4, kMostShown = 8;
constexpr Index kBins = 24;

std::string refuse(const PlotSource& source) { return detail::refuse_fewer_scores(source, 2); }

bool ready(const PlotSource& source) { return source.has_scores(); }

int wanted(const PlotSource&) { return 10; }

// How many rows fall into each of a few equal parts.
Panel distribution(const std::vector<double>& values, const Theme& theme) {
  const Extent extent = widened(extent_of(values), 0.05);
  std::vector<double> counts(static_cast<std::size_t>(kBins), 0);
  for (const double value : values) {
    if (!std::isfinite(value)) continue;
    const auto bin = static_cast<Index>((value - extent.low) / extent.span() * kBins);
    counts[static_cast<std::size_t>(std::clamp<Index>(bin, 0, kBins - 1))] += 1;
  }
  const double width = extent.span() / kBins;
  BarLayer bars{.colour = theme.muted.faded(0.6), .width = 0.9 * width};
  for (Index i = 0; i < kBins; ++i) {
    if (counts[static_cast<std::size_t>(i)] == 0) continue;
    bars.x.push_back(extent.low + (static_cast<double>(i) + 0.5) * width);
    bars.value.push_back(counts[static_cast<std::size_t>(i)]);
  }
  Panel panel;
  panel.x = {.extent = extent};
  panel.y = {.extent = {0, 1.08 * std::max(1.0, *std::ranges::max_element(counts))}};
  panel.layers.push_back(std::move(bars));
  return panel;
}

Figure make(const PlotSource& source, const PlotOptions& options) {
  const Block& scores = source.scores();
  const Index count = std::min(
      {options.count > 0 ? std::max<Index>(options.count, 2) : kShown, kMostShown, scores.cols()});
  const detail::Colouring colouring = detail::colouring_of(source, options);
  Figure figure{.title = detail::title_of(source),
                .subtitle = detail::subtitle_of(source),
                .panels = {},
                .columns = count,
                .width = 760,
                .height = 700};
  PlotOptions plain = options;
  plain.names = false;  // there is no room for them
  for (Index row = 0; row < count; ++row)
    for (Index column = 0; column < count; ++column) {
      Panel panel = row == column ? distribution(detail::column_of(scores, row), options.theme)
                                  : detail::scatter_panel(source, plain, column, row, colouring);
      if (row != column)
        std::get<DotLayer>(panel.layers[0]).radius = scores.rows() > 500 ? 1.2 : 1.8;
      panel.equal = false;  // the axes of a row and of a column are shared
      panel.x.title = row == count - 1 ? source.component_title(column) : "";
      panel.y.title = column == 0 ? source.component_title(row) : "";
      panel.x.shown = row == count - 1;
      // The distribution counts rows; its neighbours' numbers would be read for them.
      panel.y.shown = column == 0;
      if (row == 0 && column == 0)
        panel.y.extent = widened(extent_of(detail::column_of(scores, 0)), 0.05);
      figure.panels.push_back(std::move(panel));
    }
  // In the first panel the axis beside it belongs to the row: its bars stand on that axis's scale.
  BarLayer& first = std::get<BarLayer>(figure.panels[0].layers[0]);
  LineLayer stairs{{}, Pen{options.theme.muted, 0}, true, first.colour};
  const Extent up = figure.panels[0].y.extent;
  const double most = first.value.empty() ? 1 : *std::ranges::max_element(first.value);
  for (std::size_t i = 0; i < first.x.size(); ++i) {
    const double left = first.x[i] - first.width / 2, right = first.x[i] + first.width / 2;
    const double top = up.low + up.span() * first.value[i] / (1.08 * most);
    stairs.lines.push_back({{left, up.low}, {right, up.low}, {right, top}, {left, top}});
  }
  figure.panels[0].layers[0] = std::move(stairs);
  colouring.put_into(figure);
  return figure;
}

}  // namespace
}  // namespace pairs_kind

const PlotKind& pairs_plot() {
  using namespace pairs_kind;
  static constexpr PlotKind kind{
      "pairs", "every component against every other", refuse, ready, wanted, make, "colour,count"};
  return kind;
}

}  // namespace mercer::plot
