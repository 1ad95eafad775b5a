#include "mercer/models/detail/gram/leading.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace mercer::detail {

double largest_of(const EigenResult& eigen) {
  const Vector& values =
      eigen.spectrum.all_values.size() > 0 ? eigen.spectrum.all_values : eigen.values;
  const double known = values.size() > 0 ? values.cwiseAbs().maxCoeff() : 0;
  return std::max(known, -eigen.spectrum.lowest_value);
}

Index resolved_components(const EigenResult& eigen, double share) {
  const Vector& residuals = eigen.certificate.residuals;
  const Index count = std::min(eigen.values.size(), residuals.size());
  if (count == 0) return eigen.values.size();
  const double largest = largest_of(eigen);
  Index good = 0;
  while (good < count && residuals[good] * largest <= share * std::abs(eigen.values[good])) ++good;
  return good == count ? eigen.values.size() : good;
}

namespace {

// The sine theorem for the first vectors alone: no value after them exceeds its bound.
double angle_of_leading(const EigenResult& eigen, Index kept) {
  const Certificate& proof = eigen.certificate;
  constexpr double kNoBound = std::numeric_limits<double>::infinity();
  if (!proof.complete || kept == 0 || proof.eigenvalue_upper.size() <= kept ||
      proof.residuals.size() < kept)
    return kNoBound;
  const double gap = std::abs(eigen.values[kept - 1]) - proof.eigenvalue_upper[kept];
  const double off = largest_of(eigen) * (proof.residuals.head(kept).norm() + proof.operator_error);
  return gap > 0 ? std::min(1.0, off / gap) : kNoBound;
}

}  // namespace

void keep_leading(EigenResult& eigen, Index kept) {
  if (kept >= eigen.values.size()) return;
  eigen.certificate.angle = angle_of_leading(eigen, kept);
  eigen.spectrum.next_value = eigen.values[kept];
  eigen.values = eigen.values.head(kept).eval();
  eigen.vectors = eigen.vectors.leftCols(kept).eval();
  if (eigen.images.cols() > kept) eigen.images = eigen.images.leftCols(kept).eval();
  Certificate& proof = eigen.certificate;
  if (proof.residuals.size() > kept) proof.residuals.conservativeResize(kept);
  if (proof.eigenvalue_upper.size() > kept) proof.eigenvalue_upper.conservativeResize(kept);
}

}  // namespace mercer::detail
