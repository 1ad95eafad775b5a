// FactoredOperator: K = F F' with F of moderate width. The smaller matrix F'F has the same non-zero
// eigenvalues; an eigenvector w of it gives the unit eigenvector F w / sqrt(mu) of K.
#pragma once

#include "mercer/linalg/operator.h"
#include "mercer/operators/feature_map.h"

#include <optional>

namespace mercer {

class FactoredOperator : public SymmetricOperator {
 public:
  /// The eigenvalue of K that belongs to eigenvalue 1 of this operator (n where it is a
  /// covariance).
  virtual double gram_factor() const = 0;
  /// F w: from the small space to the n rows.
  virtual Block lift(ConstBlockRef w) const = 0;
  /// F' u: from the n rows to the small space.
  virtual Block restrict(ConstBlockRef u) const = 0;
  /// |K u - mu u| of each, K = F F': measured on the rows.
  virtual Vector residuals(ConstBlockRef w, ConstBlockRef u, const Vector& values) const;
  /// Means of the rows of K, where features are centred and there is no scorer; else empty.
  virtual Vector row_means() const { return {}; }
  /// What scores new rows by these unit vectors of the small space, y = F(x) w, where a model may
  /// do without the training rows. `u`: the vectors over the rows, F w / sqrt(mu); `values`: mu.
  virtual std::optional<Scorer> scorer(ConstBlockRef /*w*/, ConstBlockRef /*u*/,
                                       const Vector& /*values*/) const {
    return std::nullopt;
  }

 protected:
  /// The same from the small matrix alone: with r = F'F w - mu w, K u - mu u = F r / sqrt(mu),
  /// whose square is r'(F'F) r / mu.
  Vector small_residuals(ConstBlockRef w, const Vector& values) const;
};

}  // namespace mercer
