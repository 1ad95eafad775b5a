// One run of lanczos: products with single vectors until the residuals of the wanted Ritz pairs are
// as asked, restarts where the basis is full, and the hand-over. The residual beta |s_j| of the
// recurrence only says when to look: the answer is measured by a true product with all Ritz vectors
// that are handed over, unless no time is left for one.
#pragma once

#include "mercer/core/budget.h"
#include "mercer/linalg/operator.h"
#include "mercer/solvers/eigen.h"
#include "mercer/solvers/lanczos_process.h"
#include "mercer/solvers/passes.h"
#include "mercer/solvers/recipe.h"

#include <vector>

namespace mercer {

/// Columns of a run with full reorthogonalisation, by the regime of the planner.
struct LanczosWidths {
  Index basis = 0;  // columns kept at most
  Index given = 0;  // Ritz vectors that the true product and the proof are given
};
LanczosWidths lanczos_widths(Index size, Index count);

class LanczosSearch {
 public:
  LanczosSearch(const SymmetricOperator& a, const EigenRequest& request, const Context& context);
  EigenResult run();

 private:
  Block start() const;
  Index capacity() const;
  bool spent() const;
  bool due() const;
  bool found();
  bool nothing_beyond(double last);
  std::vector<Index> distinct(Index most);
  Vector residuals_of(const std::vector<Index>& wanted);
  bool restart();
  EigenResult hand_over();
  Block recurrence_images(const Block& vectors, const Block& turns, const Vector& values) const;

  const EigenRequest& request_;
  const Context context_;  // without the limit of time: what was found is worked up to the end
  Index n_, count_, most_;
  Reorthogonalise kind_;
  Passes passes_;
  LanczosProcess process_;
  Index looked_at_ = 0;          // products made when Ritz values were looked at last
  Index part_ = 0, before_ = 0;  // of the basis since the last breakdown, and the one before
  bool found_ = false;
};

}  // namespace mercer
