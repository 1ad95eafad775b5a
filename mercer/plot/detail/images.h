// Rows that are images, as panels without axes.
#pragma once

#include "mercer/plot/figure.h"
#include "mercer/plot/kind.h"
#include "mercer/plot/source.h"

#include <string>
#include <vector>

namespace mercer::plot::detail {

/// Height, width and channels of the rows: what was asked for, or what the table says. Throws M102
/// where nobody says it, or where that many numbers are not a row's.
std::vector<Index> image_shape_of(const PlotSource& source, const PlotOptions& options);

/// "": images may be; else why a model has none.
std::string refuse_images(const PlotSource& source);

/// An image in grey or colour, of values between the ends of the extent; `signed_values`: with two
/// colours that meet at 0.
Panel image_panel(const Vector& row, const std::vector<Index>& shape, Extent extent,
                  bool signed_values, const Theme& theme);

}  // namespace mercer::plot::detail
