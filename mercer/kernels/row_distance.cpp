#include "mercer/kernels/row_distance.h"

namespace mercer {

double sparse_squared_distance(SparseRow x, SparseRow y, double scale, Metric metric) {
  double total = 0;
  Index a = 0, b = 0;
  while (a < x.count || b < y.count) {
    const bool left = b == y.count || (a < x.count && x.columns[a] <= y.columns[b]);
    const bool right = a == x.count || (b < y.count && y.columns[b] <= x.columns[a]);
    const double difference = (left ? x.values[a] : 0) * scale - (right ? y.values[b] : 0) * scale;
    total += metric == Metric::euclidean ? difference * difference : std::abs(difference);
    a += left ? 1 : 0;
    b += right ? 1 : 0;
  }
  return metric == Metric::euclidean ? total : total * total;
}

}  // namespace mercer
