// Approximate eigenvectors that are worked on one at a time, or one cluster at a time, while the
// others are kept out by projection (v - V V'v). Subtracting theta v v' from the operator would
// build the error of v into it; a projection only confines the search, and the error that each
// vector leaves in the later ones is taken out by Rayleigh-Ritz on all of them together:
// H = V'A V = S diag(theta) S', V <- V S, with residuals A V S - V S diag(theta) from the images
// that are kept.
#pragma once

#include "mercer/core/budget.h"
#include "mercer/core/types.h"
#include "mercer/solvers/eigen.h"
#include "mercer/solvers/passes.h"

namespace mercer {

/// Residuals below this, relative to the largest value, may be rounding.
double rounding_floor(Index n);

/// `width` orthonormal columns: the approximate vectors of the request, if any, then random ones.
Block starting_vectors(Index n, Index width, const EigenRequest& request, const Context& context);

class RitzSet {
 public:
  RitzSet(Index n, Order order, const Context& context);

  Index size() const { return vectors_.cols(); }
  const Block& vectors() const { return vectors_; }
  const Block& images() const { return images_; }
  /// Rayleigh quotients, in the order asked for after combine().
  const Vector& values() const { return values_; }
  /// Norms of the residuals.
  const Vector& residuals() const { return residuals_; }
  double largest() const { return values_.size() > 0 ? values_.cwiseAbs().maxCoeff() : 0; }
  /// Residual of the worst of the first `count`, relative to the largest value; 1 where there are
  /// fewer.
  double worst(Index count) const;
  /// How many of the first `count` have a residual of at most this, relative to the largest value.
  Index within(Index count, double residual) const;

  /// Adds columns and their images; combine() has to follow.
  void append(ConstBlockRef columns, ConstBlockRef images);
  /// Puts orthonormal columns, their images, values and residual norms where others were.
  void replace(Range at, ConstBlockRef columns, ConstBlockRef images, ConstVectorRef values,
               ConstVectorRef residuals);
  /// Rayleigh-Ritz on all vectors together; the best `keep` of the new ones stay. Columns need not
  /// be orthonormal before; dependent ones are dropped.
  void combine(Index keep);

  /// The columns before the range, and those after it whose residual is at most `settled`: what is
  /// kept out while the range is worked on.
  Block others(Range mine, double settled) const;

 private:
  void make_orthonormal();
  void measure();

  Order order_;
  const Context& context_;
  Block vectors_, images_;
  Vector values_, residuals_;
};

/// All unit vectors: where nearly every pair is wanted, one product with them is the whole answer.
EigenResult solve_whole_space(Passes& passes);

}  // namespace mercer
