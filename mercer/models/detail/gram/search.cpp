// Searches for the leading components: float tiles first where the plan says so, on in double where
// these do not suffice, small components sought, and the dense solver where no proof is found.
#include "mercer/core/error.h"
#include "mercer/core/untimed.h"
#include "mercer/models/detail/gram/leading.h"
#include "mercer/models/detail/gram/lift.h"
#include "mercer/models/detail/gram/recentre.h"
#include "mercer/models/detail/gram/solver.h"
#include "mercer/operators/factored.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

namespace mercer::detail {
namespace {

// Where a proof fails, so many rows are solved by the dense solver instead.
constexpr Index kDenseRescue = 5000;

// A component is resolved where its residual is at most this share of its own eigenvalue, and made
// by the search itself where it is more than a larger one. What resolving may ask of residuals, and
// the passes it may take.
constexpr double kResolved = 0.03, kNoise = 0.1, kFinest = 0x1p-41;
// What is larger than the tolerance by this is no noise to it, however little is known of its
// vector: the residual says that the tolerance is not met.
constexpr double kSeen = 10;
constexpr Index kResolvingPasses = 40;

}  // namespace

// A start close to the leading vectors, where a pass is expensive.
std::optional<LowRank> GramSolver::nearby() {
  const SearchSettings& search = fit_.report.plan.search;
  if (search.landmarks == 0) return std::nullopt;
  PivotedCholesky chosen = pivoted_cholesky(*gram_, search.landmarks, single() ? 0x1p-24 : 0x1p-53,
                                            request_.search.seed, inner_);
  if (chosen.factor.cols() == 0) return std::nullopt;
  return leading_pairs(
      std::move(chosen.factor), std::max<Index>(search.first, 128),
      [&](BlockRef block) { take_out(block); }, inner_);
}

// What the caller knows already: vectors over the rows, or in a factor's small space.
Block GramSolver::start_of_search(const LowRank* near) const {
  if (request_.start == nullptr) return {};
  Block start = *request_.start;
  take_out(start);
  if (const FactoredOperator* factor = gram_->factored()) return factor->restrict(start, inner_);
  if (near == nullptr) return start;
  // As wide as the plan's first pass: more columns would cost more than the passes they save.
  const Index room = std::max<Index>(0, fit_.report.plan.search.first - start.cols());
  const Index more = std::min(room, near->vectors.cols());
  Block both(start.rows(), start.cols() + more);
  both << start, near->vectors.leftCols(more);
  return both;
}

void GramSolver::search(const SolverRecipe& solver) {
  const SearchSettings& search = fit_.report.plan.search;
  EigenRequest request = request_;
  request.search.variant = solver_choice(fit_.report.plan.solver_name).variant;
  request.search.block = search.block;
  request.search.first = search.first;
  request.search.probes = search.probes;
  request.search.basis = search.basis;
  request.search.narrow = search.narrow;
  request.search.ride = search.ride || !request.matrix.costly_passes;
  request.search.proof_bytes = spare_bytes();
  float_error_ = single() ? measured_before() : 0;
  const std::optional<LowRank> near = nearby();
  if (near) request.search.near = &*near;
  const Block start = start_of_search(request.search.near);
  if (start.size() > 0) request.start = &start;
  request.matrix.rounding = rounding_ / gram_factor();
  request.matrix.operator_error = float_error_;
  request.matrix.rank_error = certain_size();
  if (operator_error_ > 0) {
    request.matrix.operator_error += operator_error_;
    if (!request.eigenvalues_only) request.tolerance *= 1 - kOperatorShare;
    // Sums that leave out or cut short may have small negative eigenvalues.
    if (gram_->factored() == nullptr) request.matrix.positive = false;
  }
  run_search(solver, request);
  search_missed(solver, request);
  if (single() && !supported(float_error_))
    go_on_in_double(solver, request, EigenResult(fit_.eigen));
  resolve_small(request);
  fit_.spectrum().certificate = fit_.eigen.certificate;
  if (fit_.eigen.values.size() == 0) return;
  if (needs_rescue()) return rescue();
  add_rounding(fit_.spectrum().certificate);
}

// Fewer were found than asked for. There may be no more; or copies of an eigenvalue were missed, or
// positive values behind negative ones that are millions of times as large, where a solver of
// single vectors does not get to. To tell them apart takes a better search.
void GramSolver::search_missed(const SolverRecipe& solver, EigenRequest request) {
  const bool all = fit_.eigen.values.size() >= request.count;
  const bool nothing = fit_.eigen.values.size() == 0 && request.matrix.positive;
  if (all || nothing || time_is_over() || &solver == &continuing_recipe()) return;
  const GramFit found = fit_;
  request.search.variant = {};
  request.start = found.eigen.values.size() > 0 && gram_->factored() == nullptr
                      ? &found.eigen.vectors
                      : nullptr;
  run_search(continuing_recipe(), request);
  if (fit_.eigen.values.size() <= found.eigen.values.size()) fit_ = found;
}

// Searches on, in double and by the solver that is quickest from a good start, until the
// smallest component is known; what cannot be told from its residual then is left out.
void GramSolver::resolve_small(EigenRequest request) {
  if (time_is_over() || request_.eigenvalues_only || !fit_.eigen.converged) return;
  if (resolved_components(fit_.eigen, kResolved) == fit_.eigen.values.size()) return;
  if (gram_->factored() != nullptr) return resolve_lifted(request);
  const EigenResult found = fit_.eigen;
  if (!only_single()) {
    const double smallest = found.values.cwiseAbs().minCoeff() / largest_of(found);
    request.tolerance = std::max(kResolved * smallest, kFinest);
    request.search.passes = kResolvingPasses;
    request.search.complete_within = problem_.tolerance;
    request.search.variant = {};
    go_on_in_double(continuing_recipe(), request, found);
    if (!fit_.eigen.converged || !proven()) fit_.eigen = found;
  }
  const Index kept = resolved_components(fit_.eigen, kNoise);
  fit_.unresolved = kept < fit_.eigen.values.size();
  keep_leading(fit_.eigen, kept);
}

// The same of a factor: the search goes on in the small space, where the vectors are `primal`,
// and its answer is lifted anew.
void GramSolver::resolve_lifted(EigenRequest request) {
  if (!only_single()) search_small_space(request);
  Index kept = resolved_components(fit_.eigen, kNoise);
  const double seen = kSeen * problem_.tolerance * largest_of(fit_.eigen);
  while (kept < fit_.eigen.values.size() && std::abs(fit_.eigen.values[kept]) > seen) ++kept;
  fit_.unresolved = kept < fit_.eigen.values.size();
  keep_lifted(fit_, kept);
}

void GramSolver::search_small_space(EigenRequest request) {
  GramFit found = fit_;
  const double smallest = found.eigen.values.cwiseAbs().minCoeff() / largest_of(found.eigen);
  // What is off by rho in the small space may be off by rho sqrt(mu_1 / mu) on the rows.
  request.tolerance = std::max(kResolved * smallest * std::sqrt(smallest), kFinest);
  request.search.passes = kResolvingPasses;
  request.search.complete_within = problem_.tolerance;
  request.search.variant = {};
  EigenResult start;
  start.vectors = found.primal;
  go_on_in_double(continuing_recipe(), request, start);
  const bool better =
      !time_is_over() && proven() && fit_.eigen.values.size() >= found.eigen.values.size();
  if (better) return;
  const Stop stop = time_is_over() ? fit_.eigen.stop : found.eigen.stop;
  fit_ = std::move(found);
  fit_.eigen.stop = stop;
}

// The same search goes on in double: float tiles are not exact enough, or more is asked. What was
// found stands where the time is over before that gives anything.
void GramSolver::go_on_in_double(const SolverRecipe& solver, EigenRequest request,
                                 const EigenResult& found) {
  request.search.near = nullptr;
  request.start = &found.vectors;
  request.matrix.operator_error = operator_error_;
  try {
    if (single()) rebuild_in_double();
    request.matrix.rounding = rounding_ / gram_factor();
    request.matrix.rank_tolerance = request_.matrix.rank_tolerance;
    request.matrix.rank_error = request_.matrix.rank_error;
    run_search(solver, request);
  } catch (const Error& error) {
    if (error.code() != ErrorCode::out_of_time) throw;
    fit_.eigen = found;
    fit_.eigen.stop = {StopReason::out_of_time};
    inner_ = untimed(inner_);
  }
}

void GramSolver::run_search(const SolverRecipe& solver, const EigenRequest& request) {
  const Index before = fit_.eigen.applications;
  with_centring([&](const SymmetricOperator& a) {
    fit_.eigen = solver.run(a, request, inner_);
    if (time_is_over()) inner_ = untimed(inner_);  // what was found is worked up to the end
  });
  fit_.eigen.applications += before;
  finish_search();
}

void GramSolver::finish_search() {
  drop_insignificant();
  fit_.report.plan.passes = fit_.eigen.applications;
  const FactoredOperator* factor = gram_->factored();
  if (fit_.eigen.values.size() == 0) return;
  if (factor == nullptr) {
    recentre(fit_.eigen, removed_basis());
    return add_operator_error(fit_.eigen.certificate);
  }
  const Block w = lift(fit_, *factor, problem_.by_axes, inner_);
  const double largest = largest_of(fit_.eigen);
  fit_.eigen.certificate.residuals =
      (lifted_residuals(*factor, w, problem_.by_axes ? nullptr : &fit_.eigen.vectors,
                        fit_.eigen.values, problem_.tolerance, inner_)
           .array() +
       operator_error_ * factor->gram_factor()) /
      largest;
  fit_.eigen.certificate.operator_error =
      (operator_error_ * factor->gram_factor() + rounding_) / largest;
}

// What an operator that is not a factor leaves out; bounds of a search have it already.
void GramSolver::add_operator_error(Certificate& certificate) const {
  if (operator_error_ == 0 || certificate.residuals.size() == 0) return;
  const double relative = operator_error_ / largest_of(fit_.eigen);
  certificate.residuals.array() += relative;
}

bool GramSolver::needs_rescue() const {
  if (!context_.budget.solver_name.empty() || request_.certify == Certify::none) return false;
  if (only_single()) return false;  // dense would be double
  // What a factor does not resolve is below its error, with any solver.
  const bool resolved = !fit_.unresolved || fit_.primal.size() > 0;
  if (fit_.eigen.certificate.complete && fit_.eigen.converged && resolved) return false;
  if (context_.budget.seconds < HUGE_VAL || time_is_over()) return false;
  const auto n = static_cast<double>(gram_->size());
  return gram_->size() <= kDenseRescue &&
         static_cast<double>(context_.budget.room()) >
             20 * n * n + static_cast<double>(fit_.report.plan.predicted.bytes);
}

// Flat spectra: what iterations cannot separate, the whole spectrum can.
void GramSolver::rescue() {
  fit_.unresolved = false;
  const SolverRecipe& dense = whole_spectrum_recipe();
  fit_.report.plan.solver_name = dense.name;
  fit_.report.plan.passes = 1;
  fit_.report.plan.precision = Precision::double_;
  if (single()) rebuild_in_double();
  solve_dense(dense);
}

}  // namespace mercer::detail
