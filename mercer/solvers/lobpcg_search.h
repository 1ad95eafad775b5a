// One run of lobpcg. The basis is [X P W]: Ritz vectors X, conjugate directions P, and the
// (preconditioned) residuals W of the pairs that are still open, all orthonormal. Rayleigh-Ritz on
// it gives X S. When it is full it shrinks to the new X and the new P, the part of X S that lies
// outside the old X: both are turns V [S Q] of the basis by small orthonormal matrices, which turn
// the images alike, so that only W is ever multiplied by the operator.
#pragma once

#include "mercer/core/budget.h"
#include "mercer/linalg/operator.h"
#include "mercer/solvers/eigen.h"
#include "mercer/solvers/passes.h"

#include <vector>

namespace mercer {

/// Columns of the parts of the basis.
struct LobpcgWidths {
  Index kept = 0;   // X: the wanted vectors and a few more
  Index pass = 0;   // W: one product
  Index first = 0;  // of the first product
  Index basis = 0;  // X, P and W together, at most
};
LobpcgWidths lobpcg_widths(Index n, const EigenRequest& request);

class LobpcgSearch {
 public:
  LobpcgSearch(const SymmetricOperator& a, const EigenRequest& request, const Context& context);
  EigenResult run();

 private:
  bool extend(const Block& columns);
  void find_ritz_pairs();
  void measure();
  bool done();
  std::vector<Index> open_pairs() const;
  Block directions(const std::vector<Index>& open) const;
  void shrink(Index columns, const std::vector<Index>& open);
  EigenResult finish();

  const EigenRequest& request_;
  const Context context_;  // without the limit of time: what was found is worked up to the end
  Passes passes_;
  Index n_, count_;
  LobpcgWidths widths_;
  const LowRank* near_;  // the preconditioner, or none
  Index used_ = 0;       // columns of the basis
  Index wanted_ = 0;     // pairs asked for, and copies of the last one
  Index kept_ = 0;       // of these, the X of the last turn
  Block vectors_, images_, projected_;
  Vector values_;    // Ritz values in the order asked for
  Block turns_;      // eigenvectors of the projected matrix
  Block residuals_;  // of the leading pairs
  Vector norms_;     // their lengths, relative to the largest value
  double largest_ = 0;
};

}  // namespace mercer
