// One fit on one operator: built, centred, solved by a solver of the whole spectrum or by a search,
// and certified. The parts stand in solver.cpp (the operator, the whole spectrum),
// search.cpp (searches and what follows them) and float_tiles.cpp (what float tiles may have
// done).
#pragma once

#include "mercer/core/budget.h"
#include "mercer/models/detail/gram/fit.h"
#include "mercer/operators/pivoted_cholesky.h"
#include "mercer/operators/problem.h"
#include "mercer/operators/recipe.h"
#include "mercer/solvers/recipe.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>

namespace mercer::detail {

/// Of the tolerance, what the error of an operator may take; a search has the rest.
constexpr double kOperatorShare = 0.1;

class GramSolver {
 public:
  GramSolver(GramFit& fit, const GramProblem& problem, const EigenRequest& request,
             const Context& context);

  /// Leaves the answer and its certificate in the fit.
  void run();

 private:
  // The operator.
  void set_rounding();
  void build();
  void rebuild_in_double();
  void with_centring(const std::function<void(const SymmetricOperator&)>& use);
  Block removed() const;
  Block removed_basis() const;
  void take_out(BlockRef block) const;
  double gram_factor() const;
  double made_by_rounding() const;
  double certain_size() const;
  std::uint64_t spare_bytes() const;

  // The whole spectrum.
  void solve_dense(const SolverRecipe& solver);
  void measure_dense();
  double raised_share(const Vector& values) const;
  void drop_insignificant();
  void add_rounding(Certificate& certificate) const;
  void add_affine_error(Certificate& certificate) const;

  // Searches.
  void search(const SolverRecipe& solver);
  std::optional<LowRank> nearby();
  Block start_of_search(const LowRank* near) const;
  void run_search(const SolverRecipe& solver, const EigenRequest& request);
  void finish_search();
  void go_on_in_double(const SolverRecipe& solver, EigenRequest request, const EigenResult& found);
  void search_missed(const SolverRecipe& solver, EigenRequest request);
  void resolve_small(EigenRequest request);
  void resolve_lifted(EigenRequest request);
  void search_small_space(EigenRequest request);
  void add_operator_error(Certificate& certificate) const;
  bool needs_rescue() const;
  void rescue();

  // Float tiles.
  double measured_before();
  Vector row_sums() const;
  bool restate(double before, double after);
  bool supported(double before);

  bool time_is_over() const { return fit_.eigen.stop.out_of_time(); }
  // As complete as was asked for.
  bool proven() const {
    return fit_.eigen.certificate.complete || request_.certify == Certify::none;
  }
  bool single() const { return inner_.budget.precision == Precision::single_; }
  // Float tiles were asked for: passes in double must not follow them.
  bool only_single() const {
    return context_.budget.precision == Precision::single_ &&
           fit_.report.plan.precision == Precision::single_;
  }

  GramFit& fit_;
  const GramProblem& problem_;
  EigenRequest request_;
  double entry_ = 0;  // relative rounding of an entry
  const Context& context_;
  Context inner_;  // with the plan's precision
  const OperatorRecipe* recipe_;
  std::unique_ptr<SymmetricOperator> gram_;
  double unit_ = 1;            // of the operator
  double operator_error_ = 0;  // of the operator itself, rounding apart
  double rounding_ = 0;        // |K computed - K|_2 at most, of the n rows
  double affine_error_ = 0;    // of the affine functions that are removed
  double float_error_ = 0;     // of float tiles, as far as it was measured before a search
};

}  // namespace mercer::detail
