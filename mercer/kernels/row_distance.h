// How far two rows are apart, squared: what widths found from the data are made of.
#pragma once

#include "mercer/data/view.h"

#include <cmath>

namespace mercer {

/// |x - y|, or the sum of |x_k - y_k|.
enum class Metric { euclidean, coordinate_sum };

/// The square of the size of a difference of rows.
template <class Difference>
double squared_size(const Difference& difference, Metric metric) {
  if (metric == Metric::euclidean) return difference.squaredNorm();
  const double sum = difference.cwiseAbs().sum();
  return sum * sum;
}

/// The same for sparse rows times `scale`, by walking both at once.
double sparse_squared_distance(SparseRow x, SparseRow y, double scale, Metric metric);

}  // namespace mercer
