// The Euclidean norm of numbers of any size: squares of some would overflow or vanish.
#pragma once

#include "mercer/core/types.h"

#include <cmath>

namespace mercer {

template <class Numbers>
double safe_norm(const Eigen::MatrixBase<Numbers>& x) {
  const double largest = x.size() > 0 ? x.cwiseAbs().maxCoeff() : 0;
  return largest > 0 && std::isfinite(largest) ? largest * (x / largest).norm() : largest;
}

}  // namespace mercer
