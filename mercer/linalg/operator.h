// The seam between operators and solvers: a symmetric matrix known by its product with a block of
// vectors. An operator keeps no context: every call brings its own, so that one operator may be
// used again under another budget or observer, or from another thread.
#pragma once

#include "mercer/core/types.h"

#include <span>

namespace mercer {

struct Context;
class FactoredOperator;

/// What one pass over a matrix can give besides its product.
struct PassSums {
  Vector row_sums;               // A 1
  double trace = 0;              // sum of the diagonal
  double frobenius_squared = 0;  // |A|_F^2, or no less where it would cost more than the pass
  double frobenius_error = 0;    // relative error that rounding may have left in it
};

class SymmetricOperator {
 public:
  virtual ~SymmetricOperator() = default;
  virtual Index size() const = 0;
  virtual Vector diagonal(const Context& context) const = 0;
  /// y = A x for a block of column vectors; y is overwritten and must not alias x. Thread-safe,
  /// cancellable. Where sums is not null the same pass also fills them in.
  virtual void apply(ConstBlockRef x, BlockRef y, PassSums* sums, const Context& context) const = 0;
  /// The matrix itself, both triangles, for solvers that need it: exactly symmetric. `out` is
  /// size() x size().
  virtual void form(BlockRef out, const Context& context) const {
    apply(Block::Identity(size(), size()), out, nullptr, context);
    // A BLAS may add (i, j) and (j, i) up in another order.
    for (Index j = 1; j < size(); ++j) out.col(j).head(j) = out.row(j).head(j).transpose();
  }
  /// The columns with these numbers, where single columns are cheap; false where they are not.
  virtual bool columns(std::span<const Index> /*which*/, BlockRef /*out*/,
                       const Context& /*context*/) const {
    return false;
  }
  /// The entries at the crossings of these rows and columns; false where columns are not cheap.
  virtual bool entries(std::span<const Index> which, BlockRef out, const Context& context) const {
    Block whole(size(), static_cast<Index>(which.size()));
    if (!columns(which, whole, context)) return false;
    for (Index i = 0; i < whole.cols(); ++i)
      out.row(i) = whole.row(which[static_cast<std::size_t>(i)]);
    return true;
  }
  /// |A - B|_2 at most, where A stands for another matrix B: an expansion for the kernel matrix.
  /// Rounding is not part of it.
  virtual double error() const { return 0; }

  /// A power of four by which the entries were divided, where they are far from 1: products,
  /// diagonal, columns, sums and error() are those of the divided matrix.
  virtual double unit() const { return 1; }

  /// This operator as a factor's small matrix F'F, which stands for the larger F F'; or null.
  virtual const FactoredOperator* factored() const { return nullptr; }

 protected:
  SymmetricOperator() = default;
  SymmetricOperator(const SymmetricOperator&) = default;
  SymmetricOperator& operator=(const SymmetricOperator&) = default;
};

}  // namespace mercer
