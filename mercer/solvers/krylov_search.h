// One run of block_krylov: passes, Ritz pairs, the certificate, and what to do next.
#pragma once

#include "mercer/core/budget.h"
#include "mercer/linalg/operator.h"
#include "mercer/solvers/eigen.h"
#include "mercer/solvers/krylov_basis.h"
#include "mercer/solvers/passes.h"
#include "mercer/solvers/probe.h"
#include "mercer/solvers/recipe.h"

#include <vector>

namespace mercer {

/// Widths of blocks, by the regime.
struct KrylovWidths {
  Index block = 0;    // columns of an ordinary pass
  Index first = 0;    // columns of the first pass
  Index probes = 0;   // columns of the proof of completeness
  Index random = 0;   // of the first pass, beside a start that comes from elsewhere
  bool ride = false;  // probe columns ride in the first two passes; else they come when needed
};
KrylovWidths krylov_widths(const SolverTask& task);

class KrylovSearch {
 public:
  KrylovSearch(const SymmetricOperator& a, const EigenRequest& request, const Context& context);
  EigenResult run();
  /// Proves, and where copies were missed completes, what another iteration found.
  EigenResult run_from(Found found);

 private:
  enum class Verdict { proven, refuted, open };

  bool next_step(Block& block, bool& probing);
  Block first_block() const;
  Block next_block();
  Block residual_block();
  Block random_block(Index count);
  bool pass(const Block& block, bool probing);
  void measure();
  double residual_asked() const;
  bool converged() const;
  Verdict certify();
  bool try_bound(double complement, bool probabilistic);
  bool try_magnitude(double complement, bool probabilistic);
  double slack(double largest) const;
  bool narrow_enough() const;
  bool hopeless();
  bool inseparable() const;
  void make_room(Index columns);
  EigenResult finish();

  const SymmetricOperator& a_;
  const EigenRequest& request_;
  const Context& timed_;
  const Context context_;  // without the limit of time: what was found is worked up to the end
  Index n_, count_;
  KrylovWidths widths_;
  KrylovBasis basis_;
  Probe probe_;
  PassSums sums_;
  BasisFacts facts_;
  Vector residual_norms_;
  std::vector<PassPoint> history_;
  Certificate certificate_;
  std::string reason_;
  Index passes_ = 0, columns_ = 0, rounds_ = 0, tests_ = 0;
  Index waiting_ = 0;             // passes spent on completeness after convergence
  Index before_ = 0;              // passes that another iteration made
  std::uint64_t streams_ = 1000;  // of random columns; probes have the first ones
  bool proven_ = false, stopped_ = false;
};

}  // namespace mercer
