#include "mercer/models/detail/stress/row_distances.h"

#include "mercer/core/parallel.h"
#include "mercer/data/summary.h"
#include "mercer/kernels/tile.h"
#include "mercer/linalg/blas.h"

#include <algorithm>
#include <cmath>

namespace mercer::detail {
namespace {

// Below this share of the sum of squares the difference is formed: above it a root keeps all but
// about ten bits of its digits.
constexpr double kCancelled = 1e-3;

}  // namespace

RowDistances::RowDistances(DataView rows, double scale, const Context& context)
    : rows_(rows), scale_(scale), middle_(Vector::Zero(rows.dim())) {
  Vector row(rows.dim());
  const auto n = static_cast<double>(rows.n());
  for (Index i = 0; i < rows.n(); ++i) {
    if (i % kTileRows == 0) context.check_cancelled();
    rows.copy_row(i, row.data());
    middle_ += row / n;
  }
}

// Rows about the middle, scaled, of some columns.
Points RowDistances::moved(DataView rows, Range part, Range columns) const {
  const DataView panel = rows.columns(columns).rows(part);
  Points points(part.size(), columns.size());
  for (Index i = 0; i < part.size(); ++i) panel.copy_row(i, points.row(i).data());
  points.rowwise() -= middle_.segment(columns.begin, columns.size()).transpose();
  return points * scale_;
}

double RowDistances::apart(DataView others, Index i, Index j, Vector& one, Vector& other) const {
  others.copy_row(i, one.data());
  rows_.copy_row(j, other.data());
  return ((one - other) * scale_).norm();
}

void RowDistances::fill(DataView others, Range from, Range to, double* out) const {
  const Index rows = from.size(), columns = to.size();
  Eigen::Map<Points> tile(out, rows, columns);
  Vector of_rows = Vector::Zero(rows), of_columns = Vector::Zero(columns);
  Points part;
  const std::vector<Range> panels = tiles_of(rows_.dim(), kPanelColumns);
  if (panels.size() > 1) {
    part.resize(rows, columns);
    tile.setZero();
  }
  for (const Range panel : panels) {
    const Points a = moved(others, from, panel), b = moved(rows_, to, panel);
    of_rows += a.rowwise().squaredNorm();
    of_columns += b.rowwise().squaredNorm();
    double* products = panels.size() > 1 ? part.data() : out;
    row_products(rows, columns, panel.size(), a.data(), panel.size(), b.data(), panel.size(),
                 products, columns);
    if (panels.size() > 1) tile += part;
  }
  Vector one(rows_.dim()), other(rows_.dim());
  for (Index i = 0; i < rows; ++i)
    for (Index j = 0; j < columns; ++j) {
      const double sum = of_rows[i] + of_columns[j], square = sum - 2 * tile(i, j);
      tile(i, j) = square > kCancelled * sum
                       ? std::sqrt(square)
                       : apart(others, from.begin + i, to.begin + j, one, other);
    }
}

}  // namespace mercer::detail
