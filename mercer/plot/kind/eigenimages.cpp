// The components of images as images: what is added to the mean image by each of them.
#include "mercer/plot/detail/images.h"
#include "mercer/plot/detail/parts.h"
#include "mercer/plot/kind.h"

#include <algorithm>

namespace mercer::plot {
namespace eigenimages_kind {
namespace {

constexpr Index kShown = 8;

std::string refuse(const PlotSource& source) {
  const std::string reason = detail::refuse_images(source);
  if (!reason.empty()) return reason;
  return detail::has_loadings(source) ? ""
                                      : "its components are no linear functions of the columns";
}

bool ready(const PlotSource& source) { return !source.image_shape().empty(); }

int wanted(const PlotSource& source) { return source.image_shape().empty() ? 0 : 5; }

Figure make(const PlotSource& source, const PlotOptions& options) {
  const std::vector<Index> shape = detail::image_shape_of(source, options);
  const Block& loadings = source.loadings();
  const Index shown = std::min(options.count > 0 ? options.count : kShown, loadings.cols());
  Figure figure{.title = detail::title_of(source),
                .subtitle = shape[2] >= 3
                                ? "components as images: grey is what they leave as it is"
                                : "components as images: the two colours are the two signs",
                .panels = {},
                .columns = std::min<Index>(shown, 4)};
  for (Index k = 0; k < shown; ++k) {
    const Vector own = loadings.col(k);
    const double largest = own.cwiseAbs().maxCoeff();
    Panel panel = detail::image_panel(own, shape, {-largest, largest}, true, options.theme);
    panel.title = source.component_title(k);
    figure.panels.push_back(std::move(panel));
  }
  const Index rows = (shown + figure.columns - 1) / figure.columns;
  figure.width = 40 + 170.0 * static_cast<double>(figure.columns);
  figure.height = 70 + 185.0 * static_cast<double>(rows);
  return figure;
}

}  // namespace
}  // namespace eigenimages_kind

const PlotKind& eigenimages_plot() {
  using namespace eigenimages_kind;
  static constexpr PlotKind kind{
      "eigenimages",     "components of images as images", refuse, ready, wanted, make,
      "count,image-size"};
  return kind;
}

}  // namespace mercer::plot
