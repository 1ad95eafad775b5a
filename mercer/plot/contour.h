// Lines along which a field of numbers on a grid has one value (marching squares). Between two
// neighbouring nodes the field is taken to be linear, so that every point of a line lies on an edge
// of the grid; a cell with two ways of joining its four points is decided by the mean of its
// corners.
#pragma once

#include "mercer/core/types.h"
#include "mercer/plot/scene.h"
#include "mercer/plot/ticks.h"

#include <vector>

namespace mercer::plot {

/// A value for each node: rows rise with y, columns with x, both evenly spaced over the extents.
struct Field {
  Extent x, y;
  Points values;

  double x_of(Index column) const { return at(x, column, values.cols()); }
  double y_of(Index row) const { return at(y, row, values.rows()); }

 private:
  static double at(Extent extent, Index i, Index count) {
    return count < 2 ? extent.low
                     : extent.low +
                           extent.span() * static_cast<double>(i) / static_cast<double>(count - 1);
  }
};

/// Lines of one level, joined end to end; closed ones end where they began. A node that has just
/// the level counts as above it; values that are not finite have no lines beside them.
std::vector<std::vector<Place>> contour_lines(const Field& field, double level);

/// Levels for a field: nice numbers within its range, about so many.
std::vector<double> contour_levels(const Field& field, int about);

}  // namespace mercer::plot
