// Distances of the configuration against those of the data: how much a map of distances bends them.
#include "mercer/plot/detail/parts.h"
#include "mercer/plot/kind.h"

#include <fmt/format.h>

#include <cmath>

namespace mercer::plot {
namespace shepard_kind {
namespace {

constexpr Index kMostPairs = 8000;  // of more an even part is shown

bool is_map(const PlotSource& source) {
  return !source.figure("stress").is_null() || !source.figure("goodness_of_fit").is_null();
}

std::string refuse(const PlotSource& source) {
  if (source.score_columns() == 0) return "it has no scores";
  return is_map(source) ? "" : "it is no map of distances";
}

bool ready(const PlotSource& source) { return source.has_rows() && source.has_scores(); }

int wanted(const PlotSource&) { return 62; }

// Between rows of the table, or as given.
double data_distance(const PlotSource& source, DataView rows, Index i, Index j) {
  if (!source.model().needs_cross_matrix()) {
    double sum = 0;
    for (Index k = 0; k < rows.dim(); ++k) {
      const double d = rows.at(i, k) - rows.at(j, k);
      sum += d * d;
    }
    return std::sqrt(sum);
  }
  const Value& as = source.model().options["as"];
  if (as == Value("squared-distance")) return std::sqrt(rows.at(i, j));
  if (as == Value("kernel"))
    return std::sqrt(std::max(0.0, rows.at(i, i) + rows.at(j, j) - 2 * rows.at(i, j)));
  return rows.at(i, j);
}

Figure make(const PlotSource& source, const PlotOptions& options) {
  const Block& scores = source.scores();
  const DataView rows = source.rows();
  // Of a matrix between other samples only the square part is known.
  const Index n = source.model().needs_cross_matrix() ? std::min(rows.n(), rows.dim()) : rows.n();
  const Index pairs = n * (n - 1) / 2, step = std::max<Index>(1, pairs / kMostPairs);
  DotLayer dots{.looks = {{options.theme.main()}}, .radius = pairs / step > 1500 ? 1.3 : 2.4};
  Index number = 0;
  for (Index i = 1; i < n; ++i)
    for (Index j = 0; j < i; ++j)
      if (number++ % step == 0) {
        const double of_data = data_distance(source, rows, i, j);
        if (!std::isfinite(of_data)) continue;
        dots.x.push_back(of_data);
        dots.y.push_back((scores.row(i) - scores.row(j)).norm());
      }
  const double most = std::max({extent_of(dots.x).high, extent_of(dots.y).high, 1e-300});
  Figure figure{.title = detail::title_of(source), .panels = {}, .width = 560, .height = 520};
  if (const Value& stress = source.figure("stress"); stress.is_number())
    figure.subtitle = fmt::format("stress {:.4g}", stress.as_number());
  else if (const Value& fit = source.figure("goodness_of_fit"); fit.is_number())
    figure.subtitle = fmt::format("goodness of fit {:.4f}", fit.as_number());
  Panel& panel = figure.panels.emplace_back();
  panel.x = {.title = "distance of the data", .extent = {0, 1.04 * most}};
  panel.y = {.title = fmt::format("distance in {} dimension{}", scores.cols(),
                                  scores.cols() == 1 ? "" : "s"),
             .extent = {0, 1.04 * most}};
  panel.equal = true;
  panel.layers.push_back(
      LineLayer{{{{0, 0}, {1.04 * most, 1.04 * most}}}, Pen{options.theme.second(), 1.2, true}});
  panel.layers.push_back(std::move(dots));
  return figure;
}

}  // namespace
}  // namespace shepard_kind

const PlotKind& shepard_plot() {
  using namespace shepard_kind;
  static constexpr PlotKind kind{
      "shepard", "distances of the map against those of the data", refuse, ready, wanted, make, ""};
  return kind;
}

}  // namespace mercer::plot
