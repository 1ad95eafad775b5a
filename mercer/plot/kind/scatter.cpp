// Rows by two of their scores.
#include "mercer/plot/detail/parts.h"
#include "mercer/plot/kind.h"

namespace mercer::plot {
namespace scatter_kind {
namespace {

std::string refuse(const PlotSource& source) { return detail::refuse_fewer_scores(source, 1); }

bool ready(const PlotSource& source) { return source.has_scores(); }

int wanted(const PlotSource&) { return 50; }

Figure make(const PlotSource& source, const PlotOptions& options) {
  const Index x = detail::component_of(options.x, 0, source);
  const Index y = detail::component_of(options.y, x == 0 ? 1 : 0, source);
  const detail::Colouring colouring = detail::colouring_of(source, options);
  Figure figure{
      .title = detail::title_of(source), .subtitle = detail::subtitle_of(source), .panels = {}};
  figure.panels.push_back(detail::scatter_panel(source, options, x, y, colouring));
  colouring.put_into(figure);
  return figure;
}

}  // namespace
}  // namespace scatter_kind

const PlotKind& scatter_plot() {
  using namespace scatter_kind;
  static constexpr PlotKind kind{"scatter", "rows by two components", refuse, ready, wanted,
                                 make,      "x,y,colour,names"};
  return kind;
}

}  // namespace mercer::plot
