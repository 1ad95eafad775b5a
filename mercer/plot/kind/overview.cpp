// Rows by the first two components, and what the components explain.
#include "mercer/plot/detail/parts.h"
#include "mercer/plot/kind.h"

namespace mercer::plot {
namespace overview_kind {
namespace {

std::string refuse(const PlotSource& source) {
  if (!source.spectral()) return "its scores are not the components of eigenvalues";
  return detail::refuse_fewer_scores(source, 1);
}

bool ready(const PlotSource& source) { return source.has_scores(); }

int wanted(const PlotSource&) { return 60; }

Figure make(const PlotSource& source, const PlotOptions& options) {
  const Index x = detail::component_of(options.x, 0, source);
  const Index y = detail::component_of(options.y, x == 0 ? 1 : 0, source);
  const detail::Colouring colouring = detail::colouring_of(source, options);
  Figure figure{.title = detail::title_of(source),
                .subtitle = detail::subtitle_of(source),
                .panels = {},
                .columns = 2,
                .width = 860,
                .height = 400};
  figure.panels.push_back(detail::scatter_panel(source, options, x, y, colouring));
  figure.panels.push_back(detail::scree_panel(source, options));
  colouring.put_into(figure);
  return figure;
}

}  // namespace
}  // namespace overview_kind

const PlotKind& overview_plot() {
  using namespace overview_kind;
  static constexpr PlotKind kind{
      "overview", "scatter and scree side by side", refuse, ready, wanted,
      make,       "x,y,colour,names,count"};
  return kind;
}

}  // namespace mercer::plot
