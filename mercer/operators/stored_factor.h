// A factored operator whose small matrix is written down: products with it, and the sums of a pass.
#pragma once

#include "mercer/operators/factored.h"

namespace mercer {

class StoredFactor : public FactoredOperator {
 public:
  Index size() const override { return matrix_.rows(); }
  Vector diagonal(const Context& /*context*/) const override { return matrix_.diagonal(); }
  void form(BlockRef out, const Context& /*context*/) const override { out = matrix_; }
  void apply(ConstBlockRef x, BlockRef y, PassSums* sums, const Context& context) const override;

 protected:
  explicit StoredFactor(Block matrix = {}) : matrix_(std::move(matrix)) {}
  /// y = A x.
  virtual void multiply(ConstBlockRef x, BlockRef y) const;

  Block matrix_;
};

}  // namespace mercer
