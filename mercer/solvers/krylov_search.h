// One run of block_krylov: passes, Ritz pairs, the certificate, and what to do next.
#pragma once

#include "mercer/core/budget.h"
#include "mercer/linalg/operator.h"
#include "mercer/solvers/eigen.h"
#include "mercer/solvers/inertia.h"
#include "mercer/solvers/krylov_basis.h"
#include "mercer/solvers/krylov_widths.h"
#include "mercer/solvers/passes.h"
#include "mercer/solvers/probe.h"

#include <optional>
#include <vector>

namespace mercer {

class KrylovSearch {
 public:
  KrylovSearch(const SymmetricOperator& a, const EigenRequest& request, const Context& context);
  EigenResult run();
  /// Proves, and where copies were missed completes, what another iteration found.
  EigenResult run_from(Found found);

 private:
  /// What it means where the complement exceeds a line: that no gap is there, that the next value
  /// equals the last wanted one, that an eigenvalue was missed.
  enum class Beyond { unknown, neighbour, missed };
  struct Line {
    double at;
    Beyond means;
  };

  bool next_step(Block& block, bool& probing);
  bool next_probe(Index powers, Block& block, bool& probing);
  Block first_block() const;
  Block next_block();
  Block residual_block();
  Block random_block(Index count);
  bool pass(const Block& block, bool probing);
  void measure();
  double residual_asked() const;
  double asked_of_residuals() const;
  bool converged() const;
  bool certify();
  bool try_bound(double complement, bool probabilistic);
  bool try_magnitude(double complement, bool probabilistic);
  bool narrow_enough() const;
  bool can_count() const;
  bool count(Block& block);
  std::vector<Line> lines(double rho) const;
  Block beyond(Inertia& inertia, const Block& vectors, double line, double& bound);
  bool judge(double b, double rho);
  bool accept(double b, double rho);
  bool refuted(Block directions, Block& block);
  bool refine(Block& block);
  void look_beside();
  bool cut_cluster(Index kept) const;
  double equal_to_last() const;
  double residual_norm() const;
  double size_of(Index i) const;
  double width_at(Index i) const;
  double likely_error() const;
  double slack() const;
  Index significant() const;
  bool hopeless();
  bool inseparable() const;
  void make_room(Index columns);
  EigenResult finish();

  const SymmetricOperator& a_;
  const EigenRequest& request_;
  Context timed_;          // its progress says where the search is
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
  Stop stop_;
  Index passes_ = 0, columns_ = 0, rounds_ = 0, tests_ = 0;
  Index waiting_ = 0;             // passes spent on completeness after convergence
  Index before_ = 0;              // passes that another iteration made
  std::uint64_t streams_ = 1000;  // of random columns; probes have the first ones
  bool proven_ = false, stopped_ = false;
  // Of the proof by counting: whether it has begun, whether no gap was found below the last value,
  // whether a line is known that only the wanted eigenvalues exceed; how often it was tried, and
  // the number of values whose next one equals the last of them.
  bool counting_ = false, gap_denied_ = false, counted_ = false;
  Index counts_ = 0;
  std::optional<double> beside_;  // a last value which one that no pass has found equals
  double line_ = 0;
};

}  // namespace mercer
