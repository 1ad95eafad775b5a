// The error of predictions by the number of components, by cross-validation, with its standard
// error.
#include "mercer/plot/detail/parts.h"
#include "mercer/plot/kind.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace mercer::plot {
namespace rmsep_kind {
namespace {

std::string refuse(const PlotSource& source) {
  return source.figure("rmsep").is_list()
             ? ""
             : "it was fitted without cross-validation (--components auto)";
}

bool ready(const PlotSource&) { return true; }

int wanted(const PlotSource&) { return 80; }

std::vector<double> numbers_of(const Value& list) {
  std::vector<double> numbers;
  if (!list.is_list()) return numbers;
  for (const Value& value : list.as_list())
    numbers.push_back(value.is_number() ? value.as_number() : std::nan(""));
  return numbers;
}

// The curve of one target from no component on, with bars of its standard error.
Panel curve_of(const std::vector<double>& error, const std::vector<double>& uncertain, Index chosen,
               const Theme& theme) {
  Panel panel;
  LineLayer line{{{}}, Pen{theme.main(), 1.6}}, bars{{}, Pen{theme.main().faded(0.6), 1}};
  DotLayer dots{.looks = {{theme.main()}}, .radius = 3};
  double most = 0;
  for (std::size_t a = 0; a < error.size(); ++a) {
    const auto at = static_cast<double>(a);
    const double more = a < uncertain.size() && std::isfinite(uncertain[a]) ? uncertain[a] : 0;
    line.lines[0].push_back({at, error[a]});
    dots.x.push_back(at);
    dots.y.push_back(error[a]);
    if (more > 0) bars.lines.push_back({{at, error[a] - more}, {at, error[a] + more}});
    most = std::max(most, error[a] + more);
  }
  panel.x = {.title = "components",
             .extent = {-0.4, static_cast<double>(error.size()) - 0.6},
             .whole = true};
  panel.y = {.title = "RMSEP", .extent = {0, 1.06 * std::max(most, 1e-300)}};
  const auto taken = static_cast<double>(chosen);
  if (chosen > 0)
    panel.layers.push_back(
        LineLayer{{{{taken, 0}, {taken, panel.y.extent.high}}}, Pen{theme.second(), 1.3, true}});
  panel.layers.push_back(std::move(bars));
  panel.layers.push_back(std::move(line));
  panel.layers.push_back(std::move(dots));
  return panel;
}

Figure make(const PlotSource& source, const PlotOptions& options) {
  const Value::List& curves = source.figure("rmsep").as_list();
  const Value& errors = source.figure("rmsep_se");
  const std::vector<std::string>& targets = source.model().input.target_names;
  const Index chosen = source.score_columns();
  Figure figure{
      .title = detail::title_of(source),
      .subtitle = fmt::format("error of prediction by cross-validation; {} component{} taken",
                              chosen, chosen == 1 ? "" : "s"),
      .panels = {}};
  constexpr std::size_t kMostTargets = 6;
  for (std::size_t t = 0; t < std::min(curves.size(), kMostTargets); ++t) {
    const bool known = errors.is_list() && t < errors.as_list().size();
    Panel panel = curve_of(numbers_of(curves[t]),
                           known ? numbers_of(errors.as_list()[t]) : std::vector<double>(), chosen,
                           options.theme);
    if (t < targets.size() && curves.size() > 1) panel.title = targets[t];
    if (t < targets.size()) panel.y.title = fmt::format("RMSEP of {}", targets[t]);
    figure.panels.push_back(std::move(panel));
  }
  return figure;
}

}  // namespace
}  // namespace rmsep_kind

const PlotKind& rmsep_plot() {
  using namespace rmsep_kind;
  static constexpr PlotKind kind{
      "rmsep", "error of prediction by the number of components", refuse, ready, wanted, make, ""};
  return kind;
}

}  // namespace mercer::plot
