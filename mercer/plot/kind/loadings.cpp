// How the columns of the table go with each component: bars, a panel for each component.
#include "mercer/plot/detail/parts.h"
#include "mercer/plot/kind.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace mercer::plot {
namespace loadings_kind {
namespace {

constexpr Index kComponents = 3;    // shown where nobody asks for more
constexpr Index kMostColumns = 30;  // of so many the largest; of more a curve

std::string refuse(const PlotSource& source) {
  if (source.score_columns() == 0) return "it has no scores";
  return detail::has_loadings(source)
             ? ""
             : "its scores are no linear functions that lead back to columns";
}

bool ready(const PlotSource&) { return true; }

// Where a method states its loadings, they are what it is about.
int wanted(const PlotSource& source) { return !source.figure("uniquenesses").is_null() ? 70 : 20; }

// Names of columns along the side, the first at the top.
Panel bars_of(const PlotSource& source, const Vector& loadings, const Theme& theme) {
  Panel panel;
  BarLayer positive{.colour = theme.main(), .lying = true},
      negative{.colour = theme.second(), .lying = true};
  for (Index j = 0; j < loadings.size(); ++j) {
    BarLayer& own = loadings[j] >= 0 ? positive : negative;
    own.x.push_back(static_cast<double>(j));
    own.value.push_back(loadings[j]);
    panel.y.names.push_back(source.column_name(j));
  }
  panel.y.extent = {-0.6, static_cast<double>(loadings.size()) - 0.4};
  panel.y.falling = true;
  panel.layers.push_back(std::move(positive));
  panel.layers.push_back(std::move(negative));
  return panel;
}

Panel curve_of(const Vector& loadings, const Theme& theme) {
  Panel panel;
  LineLayer line{{{}}, Pen{theme.main(), 1.3}};
  for (Index j = 0; j < loadings.size(); ++j)
    line.lines[0].push_back({static_cast<double>(j + 1), loadings[j]});
  const Extent along{1, static_cast<double>(loadings.size())};
  panel.x = {.title = "column", .extent = along};
  panel.layers.push_back(LineLayer{{{{along.low, 0}, {along.high, 0}}}, Pen{theme.muted}});
  panel.layers.push_back(std::move(line));
  return panel;
}

Figure make(const PlotSource& source, const PlotOptions& options) {
  const Block& loadings = source.loadings();
  const Index shown = std::min(options.count > 0 ? options.count : kComponents, loadings.cols());
  const double largest = loadings.leftCols(shown).cwiseAbs().maxCoeff();
  const Extent extent = {-1.06 * std::max(largest, 1e-300), 1.06 * std::max(largest, 1e-300)};
  const bool bars = loadings.rows() <= kMostColumns;
  Figure figure{.title = detail::title_of(source),
                .subtitle = "loadings of the columns",
                .panels = {},
                .columns = bars ? shown : 1};
  for (Index k = 0; k < shown; ++k) {
    const Vector own = loadings.col(k);
    Panel panel = bars ? bars_of(source, own, options.theme) : curve_of(own, options.theme);
    (bars ? panel.x : panel.y).extent = extent;
    panel.title = source.component_title(k);
    // Names of columns stand once, where panels are beside each other.
    if (bars && k > 0) panel.y.shown = false;
    if (!bars && k + 1 < shown) panel.x.title = "";
    figure.panels.push_back(std::move(panel));
  }
  const auto rows = static_cast<double>(loadings.rows());
  figure.width = bars ? std::max(420.0, 160 + 200.0 * static_cast<double>(shown)) : 720;
  figure.height =
      bars ? std::clamp(110 + 18 * rows, 240.0, 700.0) : 60 + 190.0 * static_cast<double>(shown);
  return figure;
}

}  // namespace
}  // namespace loadings_kind

const PlotKind& loadings_plot() {
  using namespace loadings_kind;
  static constexpr PlotKind kind{
      "loadings", "how columns go with each component", refuse, ready, wanted, make, "count"};
  return kind;
}

}  // namespace mercer::plot
