// A scene as pixels, as a PNG file and as a PDF file, by cairo. The same scene gives the same bytes
// on one machine; letters are those of the fonts that are installed there.
#pragma once

#include "mercer/plot/scene.h"

#include <cstdint>
#include <string>
#include <vector>

namespace mercer::plot {

/// Rows from the top, 4 bytes for each pixel: red, green, blue, 255.
struct Pixels {
  Index width = 0, height = 0;
  std::vector<std::uint8_t> rgba;
};

/// Pixels of a scene are inches / 96, as those of SVG are.
constexpr double kScenePixelsPerInch = 96;

/// Throws M102 for pictures of more than kMostPixels, M302.
Pixels pixels_of(const Scene& scene, double dpi = kScenePixelsPerInch);
constexpr double kMostPixels = 1e8;

std::string png_of(const Scene& scene, double dpi = kScenePixelsPerInch);
std::string png_of(const Pixels& pixels, double dpi = 0);
std::string pdf_of(const Scene& scene);

}  // namespace mercer::plot
