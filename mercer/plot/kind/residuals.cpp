// What is left over. Of predictions: measured against predicted, and the difference. Of models that
// lead back to the table: how far each row lies from what its scores give, against how far its
// scores lie from the middle.
#include "mercer/core/error.h"
#include "mercer/plot/detail/parts.h"
#include "mercer/plot/kind.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace mercer::plot {
namespace residuals_kind {
namespace {

const Predicts* regression(const PlotSource& source) {
  const auto* able = ability<Predicts>(source.model());
  return able != nullptr && !able->classifies() ? able : nullptr;
}

bool leads_back(const PlotSource& source) {
  return ability<Inverts>(source.model()) != nullptr && source.model().on == nullptr;
}

std::string refuse(const PlotSource& source) {
  if (regression(source) != nullptr || leads_back(source)) return "";
  return "it predicts no numbers and has no way back to the table";
}

bool ready(const PlotSource& source) {
  if (regression(source) == nullptr) return source.has_rows();
  return source.has_table() && source.table().targets.n() > 0;
}

int wanted(const PlotSource& source) { return regression(source) != nullptr ? 65 : 5; }

DotLayer coloured(const PlotSource& source, const PlotOptions& options,
                  const detail::Colouring& colouring, std::vector<double> x,
                  std::vector<double> y) {
  DotLayer dots;
  dots.x = std::move(x);
  dots.y = std::move(y);
  colouring.put_into(dots);
  detail::put_names(source, options, dots);
  return dots;
}

Figure of_predictions(const PlotSource& source, const PlotOptions& options) {
  if (!source.has_table()) refuse_without_table(source.model(), "its training rows");
  const Dataset& targets = source.table().targets;
  if (targets.n() == 0)
    throw Error(ErrorCode::needs_table, "the table has none of the columns that the model predicts",
                "give a table with them, such as that of the fit");
  const Block predicted = regression(source)->predict(source.rows(), source.context());
  const detail::Colouring colouring = detail::colouring_of(source, options);
  Figure figure{.title = detail::title_of(source), .subtitle = {}, .panels = {}, .columns = 2};
  constexpr Index kMostTargets = 3;
  const Index shown = std::min({kMostTargets, predicted.cols(), targets.dim()});
  for (Index t = 0; t < shown; ++t) {
    const std::vector<double> guess = detail::column_of(predicted, t);
    std::vector<double> truth, left;
    for (Index i = 0; i < targets.n(); ++i) {
      truth.push_back(targets.view().at(i, t));
      left.push_back(truth.back() - guess[static_cast<std::size_t>(i)]);
    }
    const std::string name = source.model().input.target_names[static_cast<std::size_t>(t)];
    Panel against;
    against.x = detail::axis_of(fmt::format("predicted {}", name), guess);
    against.y = detail::axis_of(fmt::format("measured {}", name), truth);
    const Extent& across = against.x.extent;
    against.layers.push_back(LineLayer{{{{across.low, across.low}, {across.high, across.high}}},
                                       Pen{options.theme.muted, 1.2, true}});
    against.layers.push_back(coloured(source, options, colouring, guess, truth));
    Panel rest;
    rest.x = against.x;
    rest.y = detail::axis_of("measured - predicted", left);
    rest.layers.push_back(
        LineLayer{{{{across.low, 0}, {across.high, 0}}}, Pen{options.theme.muted, 1.2, true}});
    rest.layers.push_back(coloured(source, options, colouring, guess, left));
    figure.panels.push_back(std::move(against));
    figure.panels.push_back(std::move(rest));
  }
  figure.width = 860;
  figure.height = 60 + 340.0 * static_cast<double>(shown);
  colouring.put_into(figure);
  return figure;
}

// Both measured by their usual size among the rows shown.
Figure of_reconstructions(const PlotSource& source, const PlotOptions& options) {
  const Points rows = source.rows().view().to_points();
  const Block& scores = source.scores();
  const Points back = need<Inverts>(source.model()).inverse(scores, source.context());
  const Vector left = (rows - back).rowwise().norm();
  const Vector usual = (scores.cwiseAbs2().colwise().mean()).cwiseSqrt();
  Vector far(scores.rows());
  for (Index i = 0; i < scores.rows(); ++i) {
    double sum = 0;
    for (Index k = 0; k < scores.cols(); ++k)
      if (usual[k] > 0) sum += std::pow(scores(i, k) / usual[k], 2);
    far[i] = std::sqrt(sum);
  }
  const detail::Colouring colouring = detail::colouring_of(source, options);
  const std::vector<double> x(far.begin(), far.end()), y(left.begin(), left.end());
  Figure figure{.title = detail::title_of(source),
                .subtitle = "rows that the components do not describe stand high",
                .panels = {}};
  Panel& panel = figure.panels.emplace_back();
  panel.x = {.title = "distance of the scores from the middle, in deviations",
             .extent = {0, 1.05 * extent_of(x).high}};
  panel.y = {.title = "distance of the row from its reconstruction",
             .extent = {0, 1.05 * std::max(extent_of(y).high, 1e-300)}};
  if (!(panel.x.extent.high > 0)) panel.x.extent.high = 1;
  panel.layers.push_back(coloured(source, options, colouring, x, y));
  colouring.put_into(figure);
  return figure;
}

Figure make(const PlotSource& source, const PlotOptions& options) {
  return regression(source) != nullptr ? of_predictions(source, options)
                                       : of_reconstructions(source, options);
}

}  // namespace
}  // namespace residuals_kind

const PlotKind& residuals_plot() {
  using namespace residuals_kind;
  static constexpr PlotKind kind{
      "residuals",   "what predictions or reconstructions leave over", refuse, ready, wanted, make,
      "colour,names"};
  return kind;
}

}  // namespace mercer::plot
