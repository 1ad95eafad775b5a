// Pixels as a PNG file: one chunk of each kind, no filters, so that the same pixels are the same
// bytes.
#pragma once

#include "mercer/core/index.h"

#include <cstdint>
#include <string>
#include <vector>

namespace mercer::plot::detail {

/// `rgba`: 4 bytes for each pixel, rows from the top. Opaque pictures take 3 bytes each in the
/// file. `dpi`: noted in it where it is above 0.
std::string png_of(const std::vector<std::uint8_t>& rgba, Index width, Index height,
                   double dpi = 0);

}  // namespace mercer::plot::detail
