// Along each component, from one end to the other, the images whose scores are nearest.
#include "mercer/plot/detail/images.h"
#include "mercer/plot/detail/parts.h"
#include "mercer/plot/kind.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace mercer::plot {
namespace nearest_images_kind {
namespace {

constexpr Index kSteps = 9, kComponents = 4;

std::string refuse(const PlotSource& source) {
  const std::string reason = detail::refuse_images(source);
  return reason.empty() ? detail::refuse_fewer_scores(source, 1) : reason;
}

bool ready(const PlotSource& source) {
  return source.has_scores() && source.has_rows() && !source.image_shape().empty();
}

int wanted(const PlotSource& source) { return source.image_shape().empty() ? 0 : 4; }

Index nearest_row(const Block& scores, Index component, double wanted_score) {
  Index best = 0;
  (scores.col(component).array() - wanted_score).abs().minCoeff(&best);
  return best;
}

Figure make(const PlotSource& source, const PlotOptions& options) {
  const std::vector<Index> shape = detail::image_shape_of(source, options);
  const DataView rows = source.rows();
  const Block& scores = source.scores();
  const Index shown = std::min(options.count > 0 ? options.count : kComponents, scores.cols());
  std::vector<double> values;
  Vector row(rows.dim());
  Figure figure{.title = detail::title_of(source),
                .subtitle = "the rows that are nearest to even steps along each component",
                .panels = {},
                .columns = kSteps};
  for (Index k = 0; k < shown; ++k) {
    const Extent along = extent_of(detail::column_of(scores, k));
    for (Index s = 0; s < kSteps; ++s) {
      const double wanted_score = along.low + along.span() * static_cast<double>(s) / (kSteps - 1);
      const Index found = nearest_row(scores, k, wanted_score);
      rows.copy_row(found, row.data());
      const Extent shades = extent_of({row.begin(), row.end()});
      Panel panel = detail::image_panel(row, shape, shades, false, options.theme);
      if (s == kSteps / 2) panel.title = source.component_name(k);
      figure.panels.push_back(std::move(panel));
    }
  }
  figure.width = 30 + 80.0 * static_cast<double>(kSteps);
  figure.height = 70 + 96.0 * static_cast<double>(shown);
  return figure;
}

}  // namespace
}  // namespace nearest_images_kind

const PlotKind& nearest_images_plot() {
  using namespace nearest_images_kind;
  static constexpr PlotKind kind{
      "nearest_images",  "images in their order along each component", refuse, ready, wanted, make,
      "count,image-size"};
  return kind;
}

}  // namespace mercer::plot
