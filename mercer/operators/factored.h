// FactoredOperator: K = F F' with F of moderate width. The smaller matrix F'F has the same non-zero
// eigenvalues; an eigenvector w of it gives the unit eigenvector F w / sqrt(mu) of K.
#pragma once

#include "mercer/linalg/operator.h"
#include "mercer/operators/feature_map.h"

#include <limits>
#include <optional>

namespace mercer {

/// How far products are from those of F itself, at most; in units of K and of its root.
struct FactorError {
  double small = std::numeric_limits<double>::infinity();  // |F'F - gram_factor() this|_2
  double lift = 0;                                         // |F w - lift(w)| for |w| = 1
  double transform = 0;  // what part of that is no rounding: restrict(u) has it too
};

class FactoredOperator : public SymmetricOperator {
 public:
  const FactoredOperator* factored() const final { return this; }
  /// The eigenvalue of K that belongs to eigenvalue 1 of this operator (n where it is a
  /// covariance).
  virtual double gram_factor() const = 0;
  /// F w: from the small space to the n rows.
  virtual Block lift(ConstBlockRef w, const Context& context) const = 0;
  /// F' u: from the n rows to the small space.
  virtual Block restrict(ConstBlockRef u, const Context& context) const = 0;
  /// F'F w: measured on the rows, where a stored small matrix carries the rounding of its sums.
  virtual Block image(ConstBlockRef w, const Context& context) const {
    return restrict(lift(w, context), context);
  }
  /// Where `small` is infinite nothing is known.
  virtual FactorError factor_error() const { return {}; }
  /// |K u - mu u| of each, K = F F': measured on the rows.
  Vector row_residuals(ConstBlockRef u, const Vector& values, const Context& context) const;
  /// The same for u = F w by the small matrix alone: with r = F'F w - mu w, K u - mu u = F r, whose
  /// square is r'(F'F) r.
  Vector small_residuals(ConstBlockRef w, const Vector& values, const Context& context) const;
  /// The same with F'F w by a pass over the rows, and nothing kept of their length.
  Vector image_residuals(ConstBlockRef w, const Vector& values, const Context& context) const;
  /// Means of the rows of K, where features are centred and there is no scorer; else empty.
  virtual Vector row_means(const Context& /*context*/) const { return {}; }
  /// What scores new rows by these unit vectors of the small space, y = F(x) w, where a model may
  /// do without the training rows. `u`: the vectors over the rows, F w / sqrt(mu); `values`: mu.
  virtual std::optional<Scorer> scorer(ConstBlockRef /*w*/, ConstBlockRef /*u*/,
                                       const Vector& /*values*/, const Context& /*context*/) const {
    return std::nullopt;
  }
};

}  // namespace mercer
