// What each component explains, and all of them so far.
#include "mercer/plot/detail/parts.h"
#include "mercer/plot/kind.h"

namespace mercer::plot {
namespace scree_kind {
namespace {

std::string refuse(const PlotSource& source) {
  return source.report().spectrum ? "" : "it has no eigenvalues";
}

bool ready(const PlotSource&) { return true; }

int wanted(const PlotSource&) { return 30; }

Figure make(const PlotSource& source, const PlotOptions& options) {
  Figure figure{
      .title = detail::title_of(source), .subtitle = detail::subtitle_of(source), .panels = {}};
  figure.panels.push_back(detail::scree_panel(source, options));
  return figure;
}

}  // namespace
}  // namespace scree_kind

const PlotKind& scree_plot() {
  using namespace scree_kind;
  static constexpr PlotKind kind{
      "scree", "variance that each component explains", refuse, ready, wanted, make, "count"};
  return kind;
}

}  // namespace mercer::plot
