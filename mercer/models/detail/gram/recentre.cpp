#include "mercer/models/detail/gram/recentre.h"

#include "mercer/models/detail/gram/leading.h"

#include <Eigen/Cholesky>

#include <algorithm>
#include <cmath>

namespace mercer::detail {
namespace {

// Inner products below this are those of any two vectors that are orthogonal to rounding.
constexpr double kOrthogonal = 1e-15;
// A component of which less than this is left, by its square, is one of the functions removed.
constexpr double kLeft = 0.5;

// How many leading columns are left when their shares are gone: R'R = I - shares' shares, its
// diagonal squared.
Index columns_left(const Block& r) {
  Index kept = 0;
  while (kept < r.cols() && r(kept, kept) * r(kept, kept) >= kLeft) ++kept;
  return kept;
}

// |A w - mu w| for w = V R^-1, from the residuals of V.
void follow(Vector& residuals, const Vector& values, const Block& inverse) {
  const double largest = values.cwiseAbs().maxCoeff();
  const Vector before = residuals;
  for (Index i = 0; i < residuals.size(); ++i) {
    residuals[i] = 0;
    for (Index j = 0; j <= i; ++j)
      residuals[i] +=
          std::abs(inverse(j, i)) * (before[j] + std::abs(values[j] - values[i]) / largest);
  }
}

}  // namespace

void recentre(EigenResult& eigen, const Block& removed) {
  if (eigen.values.size() == 0 || removed.cols() == 0) return;
  Block shares = removed.transpose() * eigen.vectors;
  eigen.vectors.noalias() -= removed * shares;
  if (shares.colwise().squaredNorm().maxCoeff() <= kOrthogonal) return;
  const Index k = shares.cols();
  Block gram = Block::Identity(k, k) - shares.transpose() * shares;
  Eigen::LLT<Block> factor(gram);
  if (factor.info() != Eigen::Success) {
    // A whole function of those removed is among the vectors: up to it, there is a factor.
    Index good = k;
    while (good > 0 && factor.info() != Eigen::Success) {
      --good;
      factor.compute(gram.topLeftCorner(good, good));
    }
    keep_leading(eigen, good);
    if (good == 0) return;
  }
  Block r = factor.matrixU();
  const Index kept = columns_left(r);
  keep_leading(eigen, kept);
  if (kept == 0) return;
  r = r.topLeftCorner(kept, kept).eval();
  const auto divide = [&](Block& block) {
    r.triangularView<Eigen::Upper>().solveInPlace<Eigen::OnTheRight>(block);
  };
  divide(eigen.vectors);
  if (eigen.images.cols() == kept) divide(eigen.images);
  if (eigen.certificate.residuals.size() != kept) return;
  Block inverse = Block::Identity(kept, kept);
  r.triangularView<Eigen::Upper>().solveInPlace(inverse);
  follow(eigen.certificate.residuals, eigen.values, inverse);
}

}  // namespace mercer::detail
