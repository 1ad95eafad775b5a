// P A P with P = I - 11'/n, never formed unless a solver asks for the matrix: then
//   (P A P)_ij = A_ij - r_i - r_j + g,   r = row means, g = grand mean,
// taken about one entry of A, so that a large constant part of A costs no digits.
#pragma once

#include "mercer/core/budget.h"
#include "mercer/linalg/operator.h"

#include <mutex>

namespace mercer {

class Centered final : public SymmetricOperator {
 public:
  /// Views the operator, which must outlive this one.
  explicit Centered(const SymmetricOperator& inner) : inner_(inner) {}

  Index size() const override { return inner_.size(); }
  double unit() const override { return inner_.unit(); }
  /// Removing means makes no error larger.
  double error() const override { return inner_.error(); }
  Vector diagonal(const Context& context) const override;
  void apply(ConstBlockRef x, BlockRef y, PassSums* sums, const Context& context) const override;
  void form(BlockRef out, const Context& context) const override;

  /// Row means of A, up to a constant that is the same for all rows (centred vectors cannot notice
  /// it).
  Vector means(const Context& context) const;

 private:
  void center_sums(PassSums& sums) const;

  const SymmetricOperator& inner_;
  mutable std::mutex mutex_;
  mutable Vector means_;  // filled by the first form(), pass with sums, or means()
};

/// Centres a symmetric matrix in place and returns its row means less its first entry.
Vector center_in_place(BlockRef matrix, const Context& context);

/// Subtracts from every column its mean.
void remove_means(BlockRef block);

}  // namespace mercer
