#include "mercer/models/detail/gram/mean_projection.h"

namespace mercer::detail {

Vector mean_projection(DataView rows, const Frame& frame, const Block& coefficients) {
  Vector row(rows.dim()), mean = Vector::Zero(rows.dim()), total = mean;
  const auto framed = [&](Index i) -> const Vector& {
    rows.copy_row(i, row.data());
    row *= frame.scale;
    if (frame.centre_products) row -= frame.centre;
    return row;
  };
  for (Index i = 0; i < rows.n(); ++i) mean += framed(i);
  mean /= static_cast<double>(rows.n());
  Vector products(rows.n());
  for (Index i = 0; i < rows.n(); ++i) products[i] = framed(i).dot(mean);
  return coefficients.transpose() * products / (frame.scale * frame.scale);
}

}  // namespace mercer::detail
