#include "mercer/plot/detail/images.h"

#include "mercer/core/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace mercer::plot::detail {

std::string refuse_images(const PlotSource& source) {
  if (source.model().needs_cross_matrix())
    return "it was fitted on a matrix of pairs, whose rows are no images";
  if (source.model().on != nullptr) return "it was fitted on scores, which are no images";
  return source.report().dim < 4 ? "its rows are too short to be images" : "";
}

std::vector<Index> image_shape_of(const PlotSource& source, const PlotOptions& options) {
  std::vector<Index> shape =
      options.image_shape.empty() ? source.image_shape() : options.image_shape;
  const Index dim = source.report().dim;
  if (shape.empty()) {
    const auto side = static_cast<Index>(std::lround(std::sqrt(static_cast<double>(dim))));
    throw Error(ErrorCode::bad_option_value, "nothing says which images the rows are",
                side * side == dim
                    ? fmt::format("give their height and width: --image-size {0}x{0}", side)
                    : "give their height and width, such as --image-size 28x28");
  }
  Index numbers = 1;
  for (const Index extent : shape) numbers *= extent;
  if (numbers != dim)
    throw Error(ErrorCode::bad_option_value,
                fmt::format("images of {} have {} numbers, rows have {}", fmt::join(shape, "x"),
                            numbers, dim),
                "give the height and width of the images with --image-size");
  if (shape.size() == 2) shape.push_back(1);
  return shape;
}

Panel image_panel(const Vector& row, const std::vector<Index>& shape, Extent extent,
                  bool signed_values, const Theme& theme) {
  const Index height = shape[0], width = shape[1], channels = shape[2];
  ImageLayer image{
      {0, static_cast<double>(width)}, {0, static_cast<double>(height)}, width, height, {}, false};
  const double span = extent.span() > 0 ? extent.span() : 1;
  const auto share_of = [&](Index at) {
    return std::clamp((row[at] - extent.low) / span, 0.0, 1.0);
  };
  for (Index i = 0; i < height * width; ++i) {
    const Index first = i * channels;
    Colour colour;
    if (!row.segment(first, channels).allFinite()) {
      colour = theme.grid;  // a gap is neither light nor dark
    } else if (channels >= 3) {
      const auto part = [&](Index k) {
        return static_cast<std::uint8_t>(std::lround(255 * share_of(first + k)));
      };
      colour = {part(0), part(1), part(2)};
    } else if (signed_values) {
      colour = theme.diverging(2 * share_of(first) - 1);
    } else {
      // As ink on paper, whatever the theme: what is small is light.
      const auto grey = static_cast<std::uint8_t>(std::lround(255 * (1 - share_of(first))));
      colour = {grey, grey, grey};
    }
    image.rgba.insert(image.rgba.end(), {colour.red, colour.green, colour.blue, 255});
  }
  Panel panel;
  panel.x = {.extent = image.x, .shown = false};
  panel.y = {.extent = image.y, .shown = false};
  panel.equal = true;
  panel.framed = false;
  panel.layers.push_back(std::move(image));
  return panel;
}

}  // namespace mercer::plot::detail
