// The Lanczos process with thick restart: a basis V that grows by one vector per product, with
//   A V = V H + f e_j',     H = V'AV,     f = beta v_{j+1} orthogonal to V,
// where H is tridiagonal, or after a restart an arrowhead (kept Ritz values, and what couples them
// to the next vector) followed by a tridiagonal part. A Ritz pair (theta, V s) has the residual
// beta |s_j|. Where beta vanishes the space is invariant, and a random vector orthogonal to it
// begins the next part of the basis: so a second vector of a multiple eigenvalue is found, which
// one Krylov sequence cannot contain.
// Wu, Simon: Thick-restart Lanczos method for large symmetric eigenvalue problems (2000).
#pragma once

#include "mercer/core/budget.h"
#include "mercer/core/types.h"
#include "mercer/solvers/eigen.h"
#include "mercer/solvers/passes.h"
#include "mercer/solvers/reorthogonalise.h"

namespace mercer {

class LanczosProcess {
 public:
  /// Begins at `start` (one column, not zero) with room for `capacity` columns.
  LanczosProcess(const Block& start, Index capacity, Reorthogonalise kind,
                 const EigenRequest& request, const Context& context);

  /// One product, one column more. False where no product is left; nothing has changed then.
  bool step(Passes& passes);
  /// Whether no further column exists: the basis spans everything.
  bool exhausted() const { return exhausted_; }
  bool full() const { return size_ == capacity_; }

  Index size() const { return size_; }
  auto vectors() const { return vectors_.leftCols(size_); }
  auto projected() const { return projected_.topLeftCorner(size_, size_); }
  /// f, of the relation above, after a step.
  const Block& tail() const { return tail_; }
  /// (A V - V H) turns: what the relation says lies outside; right after a restart as well.
  Block outside(ConstBlockRef turns) const;
  /// |f|.
  double beta() const { return beta_; }
  /// Where the part of the basis begins that followed the last breakdown, or a beta so small that
  /// rounding chose the next vector; 0 where there was none.
  Index part() const { return part_; }
  Index restarts() const { return restarts_; }
  const OrthogonalityWork& work() const { return orthogonality_.work(); }

  /// Eigenpairs of H, in the order of the request.
  const ProjectedPairs& pairs();
  /// Makes a semi-orthogonal basis orthonormal to rounding; H stays what it is. False, and nothing
  /// changed, where the basis is too far from that.
  bool straighten();
  /// Goes on from the first `count` Ritz vectors.
  void restart(Index count);

 private:
  LanczosView view() const { return {vectors(), projected(), kept_, scale_}; }
  void subtract_neighbours();
  void next_vector();
  void break_down();

  const Context& context_;
  Order order_;
  std::uint64_t seed_, streams_ = 5000;  // of random vectors: apart from those of the proof
  Index n_, capacity_, size_ = 0, kept_ = 0, part_ = 0, restarts_ = 0;
  double beta_ = 0, scale_ = 0;
  bool exhausted_ = false;
  Block vectors_, projected_, tail_;  // the next vector is column size_ of vectors_
  Reorthogonaliser orthogonality_;
  ProjectedPairs pairs_;
  Index pairs_at_ = -1;
};

/// All eigenpairs of a small symmetric matrix, in the order asked for.
ProjectedPairs ordered_pairs(ConstBlockRef symmetric, Order order);

}  // namespace mercer
