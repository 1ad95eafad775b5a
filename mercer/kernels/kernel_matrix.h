// Kernels of your own: any function of two rows, evaluated for all pairs. Fit on the matrix with
// options.as = "kernel", and give transform() the matrix of new against training rows. A function
// that should run at full speed becomes a family instead (docs/develop/add-a-kernel.md).
#pragma once

#include "mercer/core/parallel.h"
#include "mercer/core/types.h"
#include "mercer/data/view.h"

#include <span>
#include <vector>

namespace mercer {

/// K(i, j) = function(row i of a, row j of b), where function takes two std::span<const double> and
/// may be called from several threads at once.
template <class Function>
Points kernel_matrix(DataView a, DataView b, const Function& function,
                     const Context& context = {}) {
  const Points rows = a.to_points(), columns = b.to_points();
  const auto row = [](const Points& points, Index i) {
    return std::span<const double>(points.row(i).data(), static_cast<std::size_t>(points.cols()));
  };
  Points values(rows.rows(), columns.rows());
  parallel_for(context, rows.rows(), [&](Index i) {
    for (Index j = 0; j < columns.rows(); ++j)
      values(i, j) = function(row(rows, i), row(columns, j));
  });
  return values;
}

}  // namespace mercer
