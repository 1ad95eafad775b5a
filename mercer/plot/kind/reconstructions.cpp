// Images given back by 1, 2, 5, 10, 30 and all components, a few rows of them, the original last
// where there is a table.
#include "mercer/plot/detail/images.h"
#include "mercer/plot/detail/parts.h"
#include "mercer/plot/kind.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace mercer::plot {
namespace reconstructions_kind {
namespace {

constexpr Index kShownImages = 5;
constexpr std::array<Index, 5> kSteps = {1, 2, 5, 10, 30};

std::string refuse(const PlotSource& source) {
  const std::string reason = detail::refuse_images(source);
  if (!reason.empty()) return reason;
  if (ability<Inverts>(source.model()) == nullptr) return "it has no way back to the columns";
  return source.spectral() ? "" : "its components have no order";
}

bool ready(const PlotSource& source) {
  return source.has_scores() && !source.image_shape().empty();
}

int wanted(const PlotSource& source) { return source.image_shape().empty() ? 0 : 4; }

// One row of each class in turn, or evenly spaced ones.
std::vector<Index> shown_rows(const PlotSource& source, Index count) {
  const Labels& labels = source.labels();
  std::vector<Index> rows;
  if (!labels.empty()) {
    std::vector<bool> seen(labels.classes.size(), false);
    for (std::size_t i = 0; i < labels.of_row.size() && static_cast<Index>(rows.size()) < count;
         ++i) {
      const auto own = static_cast<std::size_t>(labels.of_row[i]);
      if (!seen[own]) rows.push_back(static_cast<Index>(i));
      seen[own] = true;
    }
  }
  const Index n = source.n();
  for (Index i = 0; static_cast<Index>(rows.size()) < std::min(count, n); ++i) {
    const Index row = i * n / std::min(count, n);
    if (i >= n) break;
    if (std::ranges::find(rows, row) == rows.end()) rows.push_back(row);
  }
  return rows;
}

Figure make(const PlotSource& source, const PlotOptions& options) {
  const std::vector<Index> shape = detail::image_shape_of(source, options);
  const std::vector<Index> rows =
      shown_rows(source, options.count > 0 ? options.count : kShownImages);
  const auto count = static_cast<Index>(rows.size());
  const Block& all = source.scores();
  Block scores(count, all.cols());
  for (Index i = 0; i < count; ++i) scores.row(i) = all.row(rows[static_cast<std::size_t>(i)]);
  std::vector<std::pair<std::string, Points>> columns;
  for (const Index step : kSteps) {
    if (step >= all.cols()) break;
    Block some = scores;
    some.rightCols(all.cols() - step).setZero();
    columns.emplace_back(fmt::format("{}", step),
                         need<Inverts>(source.model()).inverse(some, source.context()));
  }
  columns.emplace_back(fmt::format("all {}", all.cols()),
                       need<Inverts>(source.model()).inverse(scores, source.context()));
  if (source.has_rows()) {
    Points original(count, source.report().dim);
    for (Index i = 0; i < count; ++i)
      source.rows().view().copy_row(rows[static_cast<std::size_t>(i)], original.row(i).data());
    columns.emplace_back("original", std::move(original));
  }
  // One scale of greys for all, by the fullest reconstruction.
  const Points& last = columns.back().second;
  const Extent extent = extent_of({last.data(), last.data() + last.size()});
  Figure figure{.title = detail::title_of(source),
                .subtitle = "images given back by so many components",
                .panels = {},
                .columns = static_cast<Index>(columns.size())};
  for (Index i = 0; i < count; ++i)
    for (const auto& [name, images] : columns) {
      Panel panel =
          detail::image_panel(images.row(i).transpose(), shape, extent, false, options.theme);
      if (i == 0) panel.title = name;
      figure.panels.push_back(std::move(panel));
    }
  figure.width = 30 + 95.0 * static_cast<double>(columns.size());
  figure.height = 80 + 92.0 * static_cast<double>(count);
  return figure;
}

}  // namespace
}  // namespace reconstructions_kind

const PlotKind& reconstructions_plot() {
  using namespace reconstructions_kind;
  static constexpr PlotKind kind{"reconstructions",
                                 "images given back by more and more components",
                                 refuse,
                                 ready,
                                 wanted,
                                 make,
                                 "count,image-size"};
  return kind;
}

}  // namespace mercer::plot
