// Maps: what a model makes of every point of a rectangle of two columns, the other columns held at
// the median of the rows.
#pragma once

#include "mercer/plot/contour.h"
#include "mercer/plot/source.h"

#include <vector>

namespace mercer::plot {

struct MapAxes {
  Index x = 0, y = 1;  // columns of the table
  Extent across = {}, up = {};
  Index columns = 60, rows = 60;  // of the grid
};

/// The rows of the grid, from the lower left, along x first.
Points grid_rows(const MapAxes& axes, const PlotSource& source);

/// A field for each column of scores; of models without scores, for each column of predictions. The
/// values are those that the model gives for grid_rows(), to the last bit.
std::vector<Field> component_maps(const MapAxes& axes, const PlotSource& source);

}  // namespace mercer::plot
