#include "mercer/plot/component_map.h"

#include <algorithm>

namespace mercer::plot {
namespace {

double median_of(DataView rows, Index column) {
  std::vector<double> values;
  for (Index i = 0; i < rows.n(); ++i)
    if (const double value = rows.at(i, column); std::isfinite(value)) values.push_back(value);
  if (values.empty()) return 0;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::ranges::nth_element(values, middle);
  if (values.size() % 2 == 1) return *middle;
  return (*middle + *std::max_element(values.begin(), middle)) / 2;
}

}  // namespace

Points grid_rows(const MapAxes& axes, const PlotSource& source) {
  const Index dim = source.model().first().report.dim;
  Eigen::RowVectorXd usual = Eigen::RowVectorXd::Zero(dim);
  for (Index j = 0; j < dim; ++j)
    if (j != axes.x && j != axes.y) usual[j] = median_of(source.rows(), j);
  const Field places{axes.across, axes.up, Points(axes.rows, axes.columns)};
  Points grid = usual.replicate(axes.rows * axes.columns, 1);
  for (Index r = 0; r < axes.rows; ++r)
    for (Index c = 0; c < axes.columns; ++c) {
      grid(r * axes.columns + c, axes.x) = places.x_of(c);
      grid(r * axes.columns + c, axes.y) = places.y_of(r);
    }
  return grid;
}

std::vector<Field> component_maps(const MapAxes& axes, const PlotSource& source) {
  const Points grid = grid_rows(axes, source);
  const auto* transforms = ability<Transforms>(source.model());
  const Block values = transforms != nullptr
                           ? transforms->transform(grid, source.context())
                           : need<Predicts>(source.model()).predict(grid, source.context());
  std::vector<Field> maps;
  for (Index k = 0; k < values.cols(); ++k) {
    Field& map = maps.emplace_back(Field{axes.across, axes.up, Points(axes.rows, axes.columns)});
    for (Index r = 0; r < axes.rows; ++r)
      map.values.row(r) = values.col(k).segment(r * axes.columns, axes.columns).transpose();
  }
  return maps;
}

}  // namespace mercer::plot
