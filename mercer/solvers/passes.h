// Products of an iterative solver, counted: passes and columns, sums of the first pass, the limit
// of passes, the time allowed, the history. And what a solver hands over when its own iteration has
// ended: every solver's answer is measured and proven in the same way.
#pragma once

#include "mercer/core/budget.h"
#include "mercer/core/types.h"
#include "mercer/linalg/operator.h"
#include "mercer/solvers/eigen.h"

#include <vector>

namespace mercer {

/// What an iteration found: orthonormal columns, the wanted directions among them, their images
/// under the operator, and what it took.
struct Found {
  Block vectors, images;
  PassSums sums;
  Index passes = 0, columns = 0;
  std::vector<PassPoint> history;
  Stop stop;  // why it ended before its goal, where it did
};

class Passes {
 public:
  /// At most `most` passes, or as many as the request says.
  Passes(const SymmetricOperator& a, const EigenRequest& request, Index most,
         const Context& context);

  /// y = A x. False, with a reason, where passes or time are used up: y is then undefined. Throws
  /// M303 where the time is over before anything was found.
  bool apply(ConstBlockRef x, BlockRef y);
  /// Residual |A u - theta u| of the worst wanted pair, relative to the largest value, after the
  /// last pass: history, progress, and the answer to the time running out. `converged`: how many
  /// of the wanted pairs have one that is small enough.
  void note(double residual, Index converged);
  /// Ends the search for another reason, such as residuals that shrink no more.
  void give_up(Stop stop) { stop_ = stop; }

  /// The residual at which the proof that follows is content.
  double enough() const;
  Index size() const { return a_.size(); }
  Index count() const { return passes_; }
  bool ended() const { return stop_.early(); }
  const std::vector<PassPoint>& history() const { return history_; }
  /// Hands over to the search of block_krylov, which measures the answer, proves it, and goes on
  /// where something is missing. Vectors are orthonormal, at least as many as are wanted (where
  /// there are so many) and images are A times them.
  EigenResult search_on(Block vectors, Block images);

 private:
  const SymmetricOperator& a_;
  const EigenRequest& request_;
  Context context_;  // its progress says where the search is
  Index most_, passes_ = 0, columns_ = 0;
  PassSums sums_;
  std::vector<PassPoint> history_;
  Stop stop_;
};

/// Progress by the logarithm of the residual, from the first one to the tolerance.
void report_progress(const std::vector<PassPoint>& history, double tolerance,
                     const Context& context);

}  // namespace mercer
