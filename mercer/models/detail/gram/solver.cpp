#include "mercer/models/detail/gram/solver.h"

#include "mercer/core/error.h"
#include "mercer/core/untimed.h"
#include "mercer/models/detail/gram/leading.h"
#include "mercer/models/detail/gram/lift.h"
#include "mercer/models/detail/gram/recentre.h"
#include "mercer/models/detail/gram/units.h"
#include "mercer/operators/centered.h"
#include "mercer/operators/factored.h"
#include "mercer/operators/journaled.h"
#include "mercer/operators/rounding.h"
#include "mercer/solvers/shares.h"

#include <algorithm>
#include <cmath>

namespace mercer::detail {

GramSolver::GramSolver(GramFit& fit, const GramProblem& problem, const EigenRequest& request,
                       const Context& context)
    : fit_(fit),
      problem_(problem),
      request_(request),
      context_(context),
      inner_(context),
      recipe_(&operator_recipe(fit.report.plan.operator_name)) {
  inner_.budget.precision = fit.report.plan.precision;
}

void GramSolver::run() {
  if (problem_.affine) {
    fit_.affine = *problem_.facts.affine_basis;
    request_.matrix.fixed = fit_.affine.q.cols();
  }
  const SolverRecipe& solver = solver_choice(fit_.report.plan.solver_name).recipe;
  build();
  if (solver.whole_spectrum)
    solve_dense(solver);
  else
    search(solver);
  add_affine_error(fit_.spectrum().certificate);
  leave_unit(fit_, unit_);
}

// What rounding of the affine functions that are removed may have done.
void GramSolver::add_affine_error(Certificate& certificate) const {
  if (affine_error_ == 0 || certificate.residuals.size() == 0) return;
  const double relative = affine_error_ / largest_of(fit_.eigen);
  certificate.residuals.array() += relative;
  certificate.operator_error += relative;
  certificate.eigenvalue_upper.array() += affine_error_;
}

// The functions of the rows that centring takes out.
Block GramSolver::removed() const {
  if (problem_.affine) return fit_.affine.q;
  return Block::Ones(problem_.points.n(), problem_.center ? 1 : 0);
}

// The same, orthonormal.
Block GramSolver::removed_basis() const {
  if (problem_.affine) return fit_.affine.q;
  return removed() / std::sqrt(static_cast<double>(problem_.points.n()));
}

void GramSolver::take_out(BlockRef block) const {
  if (problem_.affine)
    remove_span(fit_.affine.q, block);
  else if (problem_.center)
    remove_means(block);
}

// Calls use(operator) with what the model asks to be removed taken out.
void GramSolver::with_centring(const std::function<void(const SymmetricOperator&)>& use) {
  if (const FactoredOperator* factor = gram_->factored()) return use(*factor);
  if (!problem_.center) return use(*gram_);
  if (problem_.affine) {
    const AffineCentered centered(*gram_, fit_.affine);
    use(centered);
    fit_.affine_image = centered.image(inner_);
    if (fit_.eigen.values.size() > 0)
      affine_error_ = centered.span_error(largest_of(fit_.eigen), inner_);
    fit_.rank_tolerance =
        std::max(fit_.rank_tolerance, request_.matrix.rank_tolerance * centered.growth());
    return;
  }
  const Centered centered(*gram_);
  use(centered);
  fit_.means = centered.means(inner_);
}

// Rounding of entries makes values of its own: up to 2 sqrt(n) times its size, relative to the
// largest entry, which centring may have taken away; smaller ones mean nothing.
double GramSolver::made_by_rounding() const {
  if (gram_->factored() != nullptr) return 0;
  return 4 * std::sqrt(static_cast<double>(gram_->size())) * entry_ *
         gram_->diagonal(inner_).cwiseAbs().maxCoeff();
}

// What rounding, and what the operator leaves out, cannot have made: twice the bounds.
double GramSolver::certain_size() const {
  return 2 * (rounding_ / gram_factor() + operator_error_ + float_error_ + affine_error_);
}

void GramSolver::set_rounding() {
  const GramProblem& p = problem_;
  entry_ = p.given != Given::table ? 0x1p-53
                                   : entry_error(p.kernel, frame_of(p, context_), p.points.dim(),
                                                 inner_.budget.precision, p.facts.integer_tiles);
  request_.matrix.rank_tolerance =
      std::max(10 * static_cast<double>(p.points.n()) * 0x1p-53, 30 * entry_);
  fit_.rank_tolerance = request_.matrix.rank_tolerance;
}

// Products with n rows are worth keeping; those of a small factor are not.
void GramSolver::build() {
  set_rounding();
  gram_ = recipe_->build(problem_, inner_);
  unit_ = gram_->unit();
  operator_error_ = gram_->error();
  rounding_ = rounding_bound(problem_, *gram_, context_);
  request_.matrix.rank_error = certain_size();
  const FactoredOperator* factor = gram_->factored();
  fit_.expansion_error = operator_error_ * (factor != nullptr ? factor->gram_factor() : 1);
  if (context_.journal == nullptr || factor != nullptr) return;
  gram_ = std::make_unique<Journaled>(std::move(gram_), *context_.journal);
}

// A stored matrix takes twice the memory in double, which the plan did not count.
void GramSolver::rebuild_in_double() {
  gram_.reset();
  float_error_ = 0;
  const auto bytes = [&](Precision precision) {
    return recipe_->cost(problem_, {}, precision, problem_.components).bytes;
  };
  const std::uint64_t more = bytes(Precision::double_) - bytes(Precision::single_);
  if (fit_.report.plan.predicted.bytes + more > context_.budget.room()) {
    recipe_ = &unstored_recipe();
    fit_.report.plan.operator_name = recipe_->name;
  }
  inner_.budget.precision = Precision::double_;
  build();
}

// What the plan leaves of the memory; a stored matrix may yet be made again in double.
std::uint64_t GramSolver::spare_bytes() const {
  const auto bytes = [&](Precision precision) {
    return recipe_->cost(problem_, {}, precision, problem_.components).bytes;
  };
  const std::uint64_t more = bytes(Precision::double_) - bytes(fit_.report.plan.precision);
  const std::uint64_t taken = fit_.report.plan.predicted.bytes + more;
  return taken < context_.budget.memory ? context_.budget.memory - taken : 0;
}

void GramSolver::solve_dense(const SolverRecipe& solver) {
  with_centring([&](const SymmetricOperator& a) {
    fit_.eigen = solver.run(a, request_, inner_);
    if (time_is_over()) inner_ = untimed(inner_);
  });
  // Stopped before all eigenvalues were known: what a search would have, with its residuals.
  if (time_is_over() && fit_.eigen.spectrum.all_values.size() == 0) {
    if (request_.whole_spectrum)
      throw Error(ErrorCode::out_of_time,
                  "the time allowed ran out before all eigenvalues were known",
                  "allow more with --time, fit on fewer rows, or use --indefinite clip or flip");
    finish_search();
    fit_.spectrum().certificate = fit_.eigen.certificate;
    add_rounding(fit_.spectrum().certificate);
    return;
  }
  drop_insignificant();
  if (fit_.eigen.values.size() == 0) return;
  if (const FactoredOperator* factor = gram_->factored()) {
    inner_ = untimed(inner_);  // there is an answer now
    const Block w = lift(fit_, *factor, problem_.by_axes, inner_);
    fit_.spectrum().certificate = certify_residuals(
        lifted_residuals(*factor, w, problem_.by_axes ? nullptr : &fit_.eigen.vectors,
                         fit_.eigen.values, problem_.tolerance, inner_),
        fit_.eigen, fit_.report.n, operator_error_ * factor->gram_factor() + rounding_);
    return;
  }
  recentre(fit_.eigen, removed_basis());
  if (fit_.eigen.values.size() == 0) return;
  measure_dense();
}

// Residuals by one product. Where there is no time for it, what rounding allows takes their
// place.
void GramSolver::measure_dense() {
  try {
    if (time_is_over()) throw Error(ErrorCode::out_of_time, fit_.eigen.stop.words());
    with_centring([&](const SymmetricOperator& a) {
      fit_.spectrum().certificate =
          certify_dense(a, fit_.eigen, operator_error_ + rounding_, inner_);
    });
  } catch (const Error& error) {
    if (error.code() != ErrorCode::out_of_time) throw;
    if (!time_is_over()) fit_.eigen.stop = {StopReason::time_in_residuals};
    fit_.eigen.converged = false;
    inner_ = untimed(inner_);
    fit_.spectrum().certificate =
        certify_unmeasured(fit_.eigen, fit_.report.n, operator_error_ + rounding_);
  }
}

// The share of these values, all raised by the most negative one.
double GramSolver::raised_share(const Vector& values) const {
  const Shares shares = shares_of(fit_.eigen.spectrum.all_values, fit_.eigen.spectrum.trace,
                                  {.rank_tolerance = request_.matrix.rank_tolerance,
                                   .positive = request_.matrix.positive,
                                   .raised = true,
                                   .fixed = request_.matrix.fixed});
  return (values.array() + shares.shift).sum() / shares.total;
}

// Values that rounding may have made. Only where removing functions took most of the matrix away
// is that more than the solver itself left out.
void GramSolver::drop_insignificant() {
  EigenResult& eigen = fit_.eigen;
  if (eigen.values.size() == 0) return;
  const double largest = largest_of(eigen);
  // What an expansion may have made is no more significant than rounding.
  fit_.rank_tolerance =
      std::max(fit_.rank_tolerance, (operator_error_ + made_by_rounding()) / largest);
  fit_.rank_tolerance = std::min(fit_.rank_tolerance, certain_size() / largest);
  const double least = fit_.rank_tolerance * largest;
  Index kept = 0;
  while (kept < eigen.values.size() && std::abs(eigen.values[kept]) > least) ++kept;
  fit_.only_noise = kept == 0;
  // Raised, a value that is nothing has a share like others, which is gone with it.
  if (kept < eigen.values.size() && request_.share > 0 && request_.raised)
    eigen.spectrum.reachable = raised_share(eigen.values.head(kept));
  keep_leading(eigen, kept);
}

// What rounding of the entries may add to a residual, which products cannot show. Bounds of
// eigenvalues have it already.
void GramSolver::add_rounding(Certificate& certificate) const {
  if (certificate.residuals.size() == 0) return;
  certificate.residuals.array() += rounding_ / largest_of(fit_.eigen);
}

double GramSolver::gram_factor() const {
  const FactoredOperator* factor = gram_->factored();
  return factor != nullptr ? factor->gram_factor() : 1;
}

}  // namespace mercer::detail
