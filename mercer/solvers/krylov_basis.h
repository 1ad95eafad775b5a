// The growing basis of an iterative solver: orthonormal columns V, their images W = A V and the
// projected matrix H = V'W, whose eigenpairs (theta, s) give the Ritz pairs (theta, V s) of A and
// their true residuals W s - theta V s without a further product.
#pragma once

#include "mercer/core/budget.h"
#include "mercer/core/types.h"
#include "mercer/solvers/bounds.h"
#include "mercer/solvers/eigen.h"

namespace mercer {

class KrylovBasis {
 public:
  /// Room for `capacity` columns; memory is taken as columns come.
  KrylovBasis(Index n, Index capacity, Order order, const Context& context);

  Index size() const { return used_; }
  Index capacity() const { return vectors_.cols(); }
  auto vectors() const { return vectors_.leftCols(used_); }
  auto images() const { return images_.leftCols(used_); }
  /// Images of the columns that came last.
  auto last_images() const { return images_.middleCols(last_.begin, last_.size()); }

  /// Adds orthonormal columns, orthogonal to the others, and their images; finds the Ritz values.
  void append(ConstBlockRef columns, ConstBlockRef images);
  /// Keeps the first `count` Ritz vectors as the basis (thick restart).
  void keep(Index count);

  /// Ritz values in the order asked for.
  const Vector& values() const { return values_; }
  Block ritz_vectors(Index count) const;
  Block ritz_images(Index count) const;
  /// W s - theta V s of the first `count` Ritz pairs.
  Block residuals(Index count) const;
  /// What bounds are made from; Ritz values in the basis' order.
  BasisFacts facts() const;

  /// (I - V V') (image - W (V'x)): the operator compressed to the complement, times x, where
  /// `image` is A x.
  Block complement_image(ConstBlockRef x, ConstBlockRef image) const;

 private:
  void find_ritz_values();

  const Context& context_;
  Order order_;
  Index used_ = 0;
  Range last_;
  Block vectors_, images_, projected_;
  Vector values_;
  Block turns_;  // eigenvectors of H
};

/// n x count independent standard normal numbers: the same for a seed and stream on any machine
/// with any number of threads.
Block gaussian_block(Index n, Index count, std::uint64_t seed, std::uint64_t stream,
                     const Context& context);

}  // namespace mercer
