#include "mercer/plot/raster.h"

#include "mercer/core/error.h"
#include "mercer/plot/detail/png.h"
#include "mercer/plot/text_ruler.h"

#include <cairo/cairo-pdf.h>
#include <cairo/cairo.h>
#include <fmt/format.h>

#include <cmath>
#include <cstring>
#include <memory>
#include <numbers>

namespace mercer::plot {
namespace {

struct SurfaceEnd {
  void operator()(cairo_surface_t* surface) const { cairo_surface_destroy(surface); }
};
struct ContextEnd {
  void operator()(cairo_t* context) const { cairo_destroy(context); }
};
using Surface = std::unique_ptr<cairo_surface_t, SurfaceEnd>;
using Cairo = std::unique_ptr<cairo_t, ContextEnd>;

void check(cairo_status_t status) {
  if (status == CAIRO_STATUS_SUCCESS) return;
  if (status == CAIRO_STATUS_NO_MEMORY)
    throw Error(ErrorCode::out_of_memory, "no memory for the picture");
  throw Error(ErrorCode::internal,
              fmt::format("cairo cannot draw the picture: {}", cairo_status_to_string(status)));
}

void use(cairo_t* cairo, const Colour& colour) {
  cairo_set_source_rgba(cairo, colour.red / 255.0, colour.green / 255.0, colour.blue / 255.0,
                        colour.opacity);
}

void stroke(cairo_t* cairo, const Pen& pen) {
  use(cairo, pen.colour);
  cairo_set_line_width(cairo, pen.width);
  const double dashes[] = {5, 4};
  cairo_set_dash(cairo, dashes, pen.dashed ? 2 : 0, 0);
  cairo_stroke(cairo);
}

void paint(cairo_t* cairo, const PathMark& path) {
  cairo_new_path(cairo);
  for (const std::vector<Place>& line : path.lines) {
    cairo_new_sub_path(cairo);
    for (const Place& at : line) cairo_line_to(cairo, at.x, at.y);
    if (path.closed) cairo_close_path(cairo);
  }
  cairo_set_line_join(cairo, path.closed ? CAIRO_LINE_JOIN_MITER : CAIRO_LINE_JOIN_ROUND);
  if (path.fill) {
    use(cairo, *path.fill);
    cairo_fill_preserve(cairo);
  }
  if (path.pen) stroke(cairo, *path.pen);
  cairo_new_path(cairo);
}

void paint(cairo_t* cairo, const DotsMark& dots) {
  use(cairo, dots.fill);
  const std::vector<Place> corners = corners_of(dots.symbol, dots.radius);
  for (const Place& at : dots.at) {
    cairo_new_path(cairo);
    if (corners.empty()) cairo_arc(cairo, at.x, at.y, dots.radius, 0, 2 * std::numbers::pi);
    for (const Place& corner : corners) cairo_line_to(cairo, at.x + corner.x, at.y + corner.y);
    cairo_fill(cairo);
  }
}

void paint(cairo_t* cairo, const TextMark& text) {
  if (text.text.empty()) return;
  const std::string line = one_line(text.text);
  cairo_save(cairo);
  cairo_select_font_face(cairo, "Arial", CAIRO_FONT_SLANT_NORMAL,
                         text.bold ? CAIRO_FONT_WEIGHT_BOLD : CAIRO_FONT_WEIGHT_NORMAL);
  cairo_set_font_size(cairo, text.size);
  cairo_text_extents_t extents;
  cairo_text_extents(cairo, line.c_str(), &extents);
  const double share = text.anchor == Anchor::start ? 0 : text.anchor == Anchor::middle ? 0.5 : 1;
  cairo_translate(cairo, text.at.x, text.at.y);
  if (text.upright) cairo_rotate(cairo, -std::numbers::pi / 2);
  cairo_move_to(cairo, -share * extents.x_advance, 0);
  if (text.halo) {
    cairo_text_path(cairo, line.c_str());
    cairo_set_line_join(cairo, CAIRO_LINE_JOIN_ROUND);
    stroke(cairo, {*text.halo, 2.5});
    cairo_move_to(cairo, -share * extents.x_advance, 0);
  }
  use(cairo, text.colour);
  cairo_show_text(cairo, line.c_str());
  cairo_restore(cairo);
}

// Cairo's images: a word for each pixel, colours multiplied by their opacity.
std::vector<std::uint32_t> cairo_words(const ImageMark& image) {
  std::vector<std::uint32_t> words(static_cast<std::size_t>(image.width * image.height));
  for (std::size_t i = 0; i < words.size(); ++i) {
    const auto* pixel = image.rgba.data() + 4 * i;
    const std::uint32_t opacity = pixel[3];
    const auto part = [&](std::size_t k) { return (pixel[k] * opacity + 127) / 255; };
    words[i] = opacity << 24 | part(0) << 16 | part(1) << 8 | part(2);
  }
  return words;
}

void paint(cairo_t* cairo, const ImageMark& image) {
  std::vector<std::uint32_t> words = cairo_words(image);
  const auto width = static_cast<int>(image.width), height = static_cast<int>(image.height);
  const Surface pixels(cairo_image_surface_create_for_data(
      reinterpret_cast<unsigned char*>(words.data()), CAIRO_FORMAT_ARGB32, width, height,
      cairo_format_stride_for_width(CAIRO_FORMAT_ARGB32, width)));
  check(cairo_surface_status(pixels.get()));
  cairo_save(cairo);
  cairo_translate(cairo, image.box.left, image.box.top);
  cairo_scale(cairo, image.box.width / width, image.box.height / height);
  cairo_set_source_surface(cairo, pixels.get(), 0, 0);
  cairo_pattern_t* pattern = cairo_get_source(cairo);
  cairo_pattern_set_filter(pattern, image.smooth ? CAIRO_FILTER_BILINEAR : CAIRO_FILTER_NEAREST);
  cairo_pattern_set_extend(pattern, CAIRO_EXTEND_PAD);
  cairo_rectangle(cairo, 0, 0, width, height);
  cairo_fill(cairo);
  cairo_restore(cairo);
  cairo_surface_flush(pixels.get());
}

void paint(cairo_t* cairo, const Scene& scene) {
  // Letters are placed and shaped alike at every size.
  cairo_font_options_t* fonts = cairo_font_options_create();
  cairo_font_options_set_antialias(fonts, CAIRO_ANTIALIAS_GRAY);
  cairo_font_options_set_hint_style(fonts, CAIRO_HINT_STYLE_NONE);
  cairo_font_options_set_hint_metrics(fonts, CAIRO_HINT_METRICS_OFF);
  cairo_set_font_options(cairo, fonts);
  cairo_font_options_destroy(fonts);
  use(cairo, scene.background);
  cairo_paint(cairo);
  for (const Scene::Entry& entry : scene.marks) {
    cairo_save(cairo);
    if (entry.clip) {
      cairo_rectangle(cairo, entry.clip->left, entry.clip->top, entry.clip->width,
                      entry.clip->height);
      cairo_clip(cairo);
    }
    std::visit([&](const auto& mark) { paint(cairo, mark); }, entry.mark);
    cairo_restore(cairo);
  }
  check(cairo_status(cairo));
}

cairo_status_t append(void* out, const unsigned char* bytes, unsigned count) {
  try {
    static_cast<std::string*>(out)->append(reinterpret_cast<const char*>(bytes), count);
  } catch (...) {
    return CAIRO_STATUS_NO_MEMORY;
  }
  return CAIRO_STATUS_SUCCESS;
}

}  // namespace

Pixels pixels_of(const Scene& scene, double dpi) {
  const double scale = dpi / kScenePixelsPerInch;
  const double wide = std::ceil(scene.width * scale), high = std::ceil(scene.height * scale);
  constexpr double kLongestSide = 32'000;  // cairo's images
  if (!(wide >= 1 && high >= 1 && wide * high <= kMostPixels) || wide > kLongestSide ||
      high > kLongestSide)
    throw Error(ErrorCode::bad_option_value,
                fmt::format("a picture of {:.0f} x {:.0f} pixels is too large", wide, high),
                "lower --size or --dpi, or write SVG or PDF");
  Pixels pixels{static_cast<Index>(wide), static_cast<Index>(high), {}};
  const Surface surface(cairo_image_surface_create(CAIRO_FORMAT_ARGB32, static_cast<int>(wide),
                                                   static_cast<int>(high)));
  check(cairo_surface_status(surface.get()));
  const Cairo cairo(cairo_create(surface.get()));
  cairo_scale(cairo.get(), scale, scale);
  paint(cairo.get(), scene);
  cairo_surface_flush(surface.get());
  pixels.rgba.resize(static_cast<std::size_t>(4 * pixels.width * pixels.height));
  const unsigned char* rows = cairo_image_surface_get_data(surface.get());
  const auto stride = static_cast<Index>(cairo_image_surface_get_stride(surface.get()));
  for (Index r = 0; r < pixels.height; ++r)
    for (Index c = 0; c < pixels.width; ++c) {
      std::uint32_t word = 0;
      std::memcpy(&word, rows + r * stride + 4 * c, sizeof word);
      auto* pixel = pixels.rgba.data() + 4 * (r * pixels.width + c);
      pixel[0] = static_cast<std::uint8_t>(word >> 16);
      pixel[1] = static_cast<std::uint8_t>(word >> 8);
      pixel[2] = static_cast<std::uint8_t>(word);
      pixel[3] = 255;  // the background is opaque
    }
  return pixels;
}

std::string png_of(const Scene& scene, double dpi) { return png_of(pixels_of(scene, dpi), dpi); }

std::string png_of(const Pixels& pixels, double dpi) {
  return detail::png_of(pixels.rgba, pixels.width, pixels.height, dpi);
}

std::string pdf_of(const Scene& scene) {
  constexpr double kPoints = 72 / kScenePixelsPerInch;  // of a pixel
  std::string out;
  const Surface surface(cairo_pdf_surface_create_for_stream(append, &out, kPoints * scene.width,
                                                            kPoints * scene.height));
  check(cairo_surface_status(surface.get()));
  // The time would make the bytes differ from run to run.
  cairo_pdf_surface_set_metadata(surface.get(), CAIRO_PDF_METADATA_CREATE_DATE, "");
  cairo_pdf_surface_set_metadata(surface.get(), CAIRO_PDF_METADATA_TITLE,
                                 one_line(scene.title).c_str());
  const Cairo cairo(cairo_create(surface.get()));
  cairo_scale(cairo.get(), kPoints, kPoints);
  paint(cairo.get(), scene);
  cairo_show_page(cairo.get());
  cairo_surface_finish(surface.get());
  check(cairo_surface_status(surface.get()));
  return out;
}

}  // namespace mercer::plot
