#include "mercer/models/detail/leading.h"

#include <algorithm>
#include <cmath>

namespace mercer::detail {

Index resolved_components(const EigenResult& eigen, double share) {
  const Vector& residuals = eigen.certificate.residuals;
  const Index count = std::min(eigen.values.size(), residuals.size());
  if (count == 0) return eigen.values.size();
  const double largest = eigen.values.cwiseAbs().maxCoeff();
  Index good = 0;
  while (good < count && residuals[good] * largest <= share * std::abs(eigen.values[good])) ++good;
  return good == count ? eigen.values.size() : good;
}

void keep_leading(EigenResult& eigen, Index kept) {
  if (kept >= eigen.values.size()) return;
  eigen.next_value = eigen.values[kept];
  eigen.values = eigen.values.head(kept).eval();
  eigen.vectors = eigen.vectors.leftCols(kept).eval();
  if (eigen.images.cols() > kept) eigen.images = eigen.images.leftCols(kept).eval();
  Certificate& proof = eigen.certificate;
  if (proof.residuals.size() > kept) proof.residuals.conservativeResize(kept);
  if (proof.eigenvalue_upper.size() > kept) proof.eigenvalue_upper.conservativeResize(kept);
}

}  // namespace mercer::detail
