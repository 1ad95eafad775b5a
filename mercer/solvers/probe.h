// Probe columns: Gaussian vectors G that are never used to build the basis. What the operator makes
// of them outside the basis bounds, except with a stated probability, everything that lies there:
//   |E|_2 <= (|E^p G|_2 / sqrt(q))^(1/p),   q the delta-quantile of chi-square with s degrees,
// with E the operator compressed to the complement of the basis. Each power costs one product with
// s columns, which may ride in any pass; the basis may have grown since.
#pragma once

#include "mercer/core/budget.h"
#include "mercer/core/types.h"
#include "mercer/solvers/krylov_basis.h"

#include <cstdint>

namespace mercer {

class Probe {
 public:
  Probe(Index n, Index columns, double failure, std::uint64_t seed, const Context& context);

  /// Columns whose images the next pass should bring: G, then E G, then E E G ...
  Block next_columns(const KrylovBasis& basis);
  /// Their images.
  void carried(Block columns, Block images, Index basis_size);
  Index power() const { return power_; }

  /// An upper bound of |E|_2 that holds with probability 1 - failure; infinite before the first
  /// pass.
  double bound(const KrylovBasis& basis) const;
  /// E^p G with the latest images, each over the length it had before the last product: where to
  /// look for what the basis misses.
  Block directions(const KrylovBasis& basis) const;
  /// A lower estimate of |E|_2: how much the last product stretched the columns.
  double stretch(const KrylovBasis& basis) const;
  /// Whether the basis has changed more often since the columns were drawn than the bound allows:
  /// it is proven for images of two smaller bases, each contained in the next.
  bool stale(const KrylovBasis& basis) const;
  /// Starts again with columns that are independent of everything so far.
  void draw_again();

 private:
  Index n_, count_;
  double quantile_;
  std::uint64_t seed_, stream_ = 1;
  const Context& context_;
  Index power_ = 0;
  Index older_ = 0, basis_size_ = 0;  // smaller bases among the images, and the latest size
  Block columns_, images_;            // latest: E^(p-1) G and A times it, over two to the power of
  int exponent_ = 0;                  // this: powers of large or small values stay numbers
  int next_exponent_ = 0;             // of the columns that the next pass carries
};

}  // namespace mercer
