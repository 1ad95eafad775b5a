// Thin plate splines have a meaning once all affine functions of the rows are removed, not the
// constant alone: P A P with P = I - Q Q', Q an orthonormal basis of the columns of [1, X].
#pragma once

#include "mercer/core/budget.h"
#include "mercer/linalg/operator.h"
#include "mercer/operators/affine_basis.h"

#include <mutex>

namespace mercer {

class AffineCentered final : public SymmetricOperator {
 public:
  /// Views both, which must outlive this one.
  AffineCentered(const SymmetricOperator& inner, const AffineBasis& basis)
      : inner_(inner), basis_(basis) {}

  Index size() const override { return inner_.size(); }
  double unit() const override { return inner_.unit(); }
  double error() const override { return inner_.error(); }
  Vector diagonal(const Context& context) const override;
  void apply(ConstBlockRef x, BlockRef y, PassSums* sums, const Context& context) const override;
  void form(BlockRef out, const Context& context) const override;

  /// A Q.
  Block image(const Context& context) const;
  /// |A| / |P A P| in the Frobenius norm where the matrix was formed, else 1: how much larger than
  /// the result the rounding errors of A are.
  double growth() const;
  /// How far P A P is from what it would be with the exact span, in the 2-norm, at most: twice the
  /// basis's error times |A Q|, and as much of `largest`, the largest |eigenvalue|.
  double span_error(double largest, const Context& context) const;

 private:
  const SymmetricOperator& inner_;
  const AffineBasis& basis_;
  mutable std::mutex mutex_;
  mutable Block image_;  // filled by the first that needs it
  mutable double growth_ = 1;
};

/// Takes out of every column what lies in the span of q.
void remove_span(const Block& q, BlockRef block);

}  // namespace mercer
