#include "mercer/models/detail/gram_solve.h"

#include "mercer/core/error.h"
#include "mercer/core/text.h"
#include "mercer/core/untimed.h"
#include "mercer/models/detail/leading.h"
#include "mercer/models/detail/lift.h"
#include "mercer/operators/centered.h"
#include "mercer/operators/factored.h"
#include "mercer/operators/geometry.h"
#include "mercer/operators/journaled.h"
#include "mercer/operators/nystrom.h"
#include "mercer/operators/recipe.h"
#include "mercer/operators/rounding.h"
#include "mercer/operators/row_sample.h"
#include "mercer/solvers/recipe.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>

namespace mercer::detail {
namespace {

// Probability that a figure from sampled rows is too small.
constexpr double kFailure = 1e-7;
// Where a proof fails, so many rows are solved by the dense solver instead.
constexpr Index kDenseRescue = 5000;

// A component is resolved where its residual is at most this share of its own eigenvalue, and made
// by the search itself where it is more than a larger one. What resolving may ask of residuals, and
// the passes it may take.
constexpr double kResolved = 0.03, kNoise = 0.1, kFinest = 0x1p-41;
constexpr Index kResolvingPasses = 40;

// Of the tolerance, what the error of an operator may take; a search has the rest.
constexpr double kOperatorShare = 0.1;

class GramSolve {
 public:
  GramSolve(GramFit& fit, const GramProblem& problem, const GramAsk& ask,
            const EigenRequest& request, const Context& context)
      : fit_(fit),
        problem_(problem),
        ask_(ask),
        request_(request),
        context_(context),
        inner_(context),
        recipe_(&operator_recipe(fit.report.plan.operator_name)) {
    inner_.budget.precision = fit.report.plan.precision;
  }

  void run() {
    if (problem_.affine) {
      const Frame frame = frame_of(problem_, context_);
      fit_.affine = AffineBasis(problem_.points, frame);
    }
    const SolverRecipe& solver = solver_choice(fit_.report.plan.solver_name).recipe;
    build();
    if (solver.whole_spectrum)
      solve_dense(solver);
    else
      search(solver);
  }

 private:
  // The functions of the rows that centring takes out.
  Block removed() const {
    if (problem_.affine) return fit_.affine.q;
    return Block::Ones(problem_.points.n(), problem_.center ? 1 : 0);
  }

  void take_out(BlockRef block) const {
    if (problem_.affine)
      remove_span(fit_.affine.q, block);
    else if (problem_.center)
      remove_means(block);
  }

  bool single() const { return inner_.budget.precision == Precision::single_; }

  // Calls use(operator) with what the model asks to be removed taken out.
  template <class Use>
  void with_centring(const Use& use) {
    if (const auto* factor = dynamic_cast<const FactoredOperator*>(gram_.get()))
      return use(*factor);
    if (!problem_.center) return use(*gram_);
    if (problem_.affine) {
      const AffineCentered centered(*gram_, fit_.affine);
      use(centered);
      fit_.affine_image = centered.image();
      fit_.rank_tolerance =
          std::max(fit_.rank_tolerance, request_.rank_tolerance * centered.growth());
      return;
    }
    const Centered centered(*gram_, inner_);
    use(centered);
    fit_.means = centered.means();
  }

  // Rounding of entries makes values of its own: up to 2 sqrt(n) times its size, relative to the
  // largest entry, which centring may have taken away; smaller ones mean nothing.
  double made_by_rounding() const {
    if (dynamic_cast<const FactoredOperator*>(gram_.get())) return 0;
    return 4 * std::sqrt(static_cast<double>(gram_->size())) * entry_ *
           gram_->diagonal().cwiseAbs().maxCoeff();
  }

  void set_rounding() {
    const GramProblem& p = problem_;
    entry_ = p.given != Given::table ? 0x1p-53
                                     : entry_error(p.kernel, frame_of(p, context_), p.points.dim(),
                                                   inner_.budget.precision, p.whole);
    request_.rank_tolerance =
        std::max(10 * static_cast<double>(p.points.n()) * 0x1p-53, 30 * entry_);
    fit_.rank_tolerance = request_.rank_tolerance;
  }

  // Products with n rows are worth keeping; those of a small factor are not.
  void build() {
    set_rounding();
    gram_ = recipe_->build(problem_, inner_);
    operator_error_ = gram_->error();
    rounding_ = rounding_bound(problem_, *gram_, context_);
    const auto* factor = dynamic_cast<const FactoredOperator*>(gram_.get());
    fit_.expansion_error = operator_error_ * (factor != nullptr ? factor->gram_factor() : 1);
    if (context_.journal == nullptr || dynamic_cast<const FactoredOperator*>(gram_.get())) return;
    gram_ = std::make_unique<Journaled>(std::move(gram_), *context_.journal);
  }

  // A stored matrix takes twice the memory in double, which the plan did not count.
  void rebuild_in_double() {
    gram_.reset();
    const auto bytes = [&](Precision precision) {
      return recipe_->cost(problem_, {}, precision, problem_.components).bytes;
    };
    const std::uint64_t more = bytes(Precision::double_) - bytes(Precision::single_);
    if (fit_.report.plan.predicted_bytes + more > context_.budget.room()) {
      recipe_ = &operator_recipe("blocked_gram");
      fit_.report.plan.operator_name = recipe_->name;
    }
    inner_.budget.precision = Precision::double_;
    build();
  }

  void solve_dense(const SolverRecipe& solver) {
    with_centring([&](const SymmetricOperator& a) {
      fit_.eigen = solver.run(a, request_, inner_);
      if (time_is_over()) inner_ = untimed(inner_);
    });
    // Stopped before all eigenvalues were known: what a search would have, with its residuals.
    if (time_is_over() && fit_.eigen.all_values.size() == 0) {
      if (ask_.whole_spectrum)
        throw Error(ErrorCode::out_of_time,
                    "the time allowed ran out before all eigenvalues were known",
                    "allow more with --time, fit on fewer rows, or use --indefinite clip or flip");
      finish_search();
      fit_.report.certificate = fit_.eigen.certificate;
      add_rounding(fit_.report.certificate);
      return;
    }
    drop_insignificant();
    if (fit_.eigen.values.size() == 0) return;
    if (const auto* factor = dynamic_cast<const FactoredOperator*>(gram_.get())) {
      inner_ = untimed(inner_);  // there is an answer now
      lift(fit_, *factor, inner_);
      fit_.report.certificate = certify_residuals(
          factor->residuals(fit_.primal, fit_.eigen.vectors, fit_.eigen.values), fit_.eigen,
          gram_->size(), operator_error_ * factor->gram_factor() + rounding_);
      return;
    }
    measure_dense();
  }

  // Residuals by one product. Where there is no time for it, what rounding allows takes their
  // place.
  void measure_dense() {
    try {
      if (time_is_over()) throw Error(ErrorCode::out_of_time, fit_.eigen.reason);
      // Float tiles cannot support a residual below their own rounding: it is measured in double.
      if (single()) rebuild_in_double();
      with_centring([&](const SymmetricOperator& a) {
        fit_.report.certificate = certify_dense(a, fit_.eigen, operator_error_ + rounding_);
      });
    } catch (const Error& error) {
      if (error.code() != ErrorCode::out_of_time) throw;
      if (!time_is_over())
        fit_.eigen.reason = "the time allowed ran out while residuals were measured";
      fit_.eigen.converged = false;
      inner_ = untimed(inner_);
      fit_.report.certificate =
          certify_unmeasured(fit_.eigen, fit_.report.n, operator_error_ + rounding_);
    }
  }

  // Values that rounding may have made. Only where removing functions took most of the matrix away
  // is that more than the solver itself left out.
  void drop_insignificant() {
    EigenResult& eigen = fit_.eigen;
    if (eigen.values.size() == 0) return;
    const double largest = eigen.all_values.size() > 0 ? eigen.all_values.cwiseAbs().maxCoeff()
                                                       : eigen.values.cwiseAbs().maxCoeff();
    // What an expansion may have made is no more significant than rounding.
    fit_.rank_tolerance =
        std::max(fit_.rank_tolerance, (operator_error_ + made_by_rounding()) / largest);
    const double least = fit_.rank_tolerance * largest;
    Index kept = 0;
    while (kept < eigen.values.size() && std::abs(eigen.values[kept]) > least) ++kept;
    keep_leading(eigen, kept);
  }

  // A start close to the leading vectors, where a pass is dear.
  std::optional<LowRank> nearby() {
    const SearchSettings& search = fit_.report.plan.search;
    if (search.landmarks == 0) return std::nullopt;
    PivotedCholesky chosen =
        pivoted_cholesky(*gram_, search.landmarks, single() ? 0x1p-24 : 0x1p-53, ask_.seed, inner_);
    if (chosen.factor.cols() == 0) return std::nullopt;
    return leading_pairs(
        std::move(chosen.factor), std::max<Index>(search.first, 128),
        [&](BlockRef block) { take_out(block); }, inner_);
  }

  void search(const SolverRecipe& solver) {
    const SearchSettings& search = fit_.report.plan.search;
    EigenRequest request = request_;
    request.variant = solver_choice(fit_.report.plan.solver_name).variant;
    request.block = search.block;
    request.first = search.first;
    request.probes = search.probes;
    request.basis = search.basis;
    request.narrow = search.narrow;
    request.ride = search.ride || !request.costly_passes;
    const std::optional<LowRank> near = nearby();
    if (near) request.near = &*near;
    request.rounding = rounding_ / gram_factor();
    std::optional<RowSample> sample;
    if (single()) {
      sample.emplace(problem_, kFailure, ask_.seed, inner_);
      request.operator_error = sample->operator_error();
    }
    if (operator_error_ > 0) {
      request.operator_error += operator_error_;
      request.tolerance *= 1 - kOperatorShare;
      // Sums that leave out or cut short may have small negative eigenvalues.
      if (dynamic_cast<const FactoredOperator*>(gram_.get()) == nullptr) request.positive = false;
    }
    run_search(solver, request);
    if (sample && !supported_by(*sample)) go_on_in_double(solver, request, EigenResult(fit_.eigen));
    resolve_small(request);
    fit_.report.certificate = fit_.eigen.certificate;
    if (fit_.eigen.values.size() == 0) return;
    if (needs_rescue()) return rescue();
    add_rounding(fit_.report.certificate);
  }

  double gram_factor() const {
    const auto* factor = dynamic_cast<const FactoredOperator*>(gram_.get());
    return factor != nullptr ? factor->gram_factor() : 1;
  }

  // What rounding of the entries may add to a residual, which products cannot show. Bounds of
  // eigenvalues have it already.
  void add_rounding(Certificate& certificate) const {
    if (certificate.residuals.size() == 0) return;
    certificate.residuals.array() += rounding_ / fit_.eigen.values.cwiseAbs().maxCoeff();
  }

  // Searches on, in double and by block_krylov, which is quickest from a good start, until the
  // smallest component is known; what cannot be told from its residual then is left out.
  void resolve_small(EigenRequest request) {
    if (time_is_over() || ask_.eigenvalues_only || !fit_.eigen.converged) return;
    if (dynamic_cast<const FactoredOperator*>(gram_.get())) return;
    if (resolved_components(fit_.eigen, kResolved) == fit_.eigen.values.size()) return;
    const EigenResult found = fit_.eigen;
    if (context_.budget.precision != Precision::single_) {
      const double smallest =
          found.values.cwiseAbs().minCoeff() / found.values.cwiseAbs().maxCoeff();
      request.tolerance = std::max(kResolved * smallest, kFinest);
      request.passes = kResolvingPasses;
      request.complete_within = problem_.tolerance;
      request.variant = {};
      go_on_in_double(solver_recipe("block_krylov"), request, found);
      if (!fit_.eigen.converged || !fit_.eigen.certificate.complete) fit_.eigen = found;
    }
    const Index kept = resolved_components(fit_.eigen, kNoise);
    fit_.unresolved = kept < fit_.eigen.values.size();
    keep_leading(fit_.eigen, kept);
  }

  // The same search goes on in double: float tiles are not exact enough, or more is asked. What was
  // found stands where the time is over before that gives anything.
  void go_on_in_double(const SolverRecipe& solver, EigenRequest request, const EigenResult& found) {
    request.near = nullptr;
    request.start = &found.vectors;
    request.operator_error = operator_error_;
    try {
      if (single()) rebuild_in_double();
      request.rank_tolerance = request_.rank_tolerance;
      run_search(solver, request);
    } catch (const Error& error) {
      if (error.code() != ErrorCode::out_of_time) throw;
      fit_.eigen = found;
      fit_.eigen.reason = "the time allowed ran out";
      inner_ = untimed(inner_);
    }
  }

  bool time_is_over() const { return fit_.eigen.reason.starts_with("the time"); }

  void run_search(const SolverRecipe& solver, const EigenRequest& request) {
    const Index before = fit_.eigen.applications;
    with_centring([&](const SymmetricOperator& a) {
      fit_.eigen = solver.run(a, request, inner_);
      if (time_is_over()) inner_ = untimed(inner_);  // what was found is worked up to the end
    });
    fit_.eigen.applications += before;
    finish_search();
  }

  void finish_search() {
    drop_insignificant();
    fit_.report.plan.passes = fit_.eigen.applications;
    const auto* factor = dynamic_cast<const FactoredOperator*>(gram_.get());
    if (fit_.eigen.values.size() == 0) return;
    if (factor == nullptr) return add_operator_error(fit_.eigen.certificate);
    lift(fit_, *factor, inner_);
    const double largest = fit_.eigen.values.cwiseAbs().maxCoeff();
    fit_.eigen.certificate.residuals =
        (factor->residuals(fit_.primal, fit_.eigen.vectors, fit_.eigen.values).array() +
         operator_error_ * factor->gram_factor()) /
        largest;
    fit_.eigen.certificate.operator_error =
        (operator_error_ * factor->gram_factor() + rounding_) / largest;
  }

  // What an operator that is not a factor leaves out; bounds of a search have it already.
  void add_operator_error(Certificate& certificate) const {
    if (operator_error_ == 0 || certificate.residuals.size() == 0) return;
    const double relative = operator_error_ / fit_.eigen.values.cwiseAbs().maxCoeff();
    certificate.residuals.array() += relative;
  }

  // Adds the measured rounding of float passes to the residuals; false where they then miss the
  // tolerance that the search itself had reached.
  bool supported_by(const RowSample& sample) {
    EigenResult& eigen = fit_.eigen;
    if (time_is_over()) return true;
    // Components that float tiles cannot tell from rounding may be there.
    if (eigen.values.size() < eigen.wanted && context_.budget.precision != Precision::single_)
      return false;
    if (eigen.values.size() == 0) return true;
    // A search that began at random has a share of what centring takes out, as small as its
    // residuals, which K itself would blow up.
    Block inside = eigen.vectors;
    take_out(inside);
    const Vector error = sample.product_error(inside, eigen.images, removed());
    const double largest = eigen.values.cwiseAbs().maxCoeff();
    eigen.certificate.residuals += error / largest;
    if (eigen.certificate.kind == "deterministic") eigen.certificate.kind = "probabilistic";
    if (eigen.certificate.kind == "probabilistic") eigen.certificate.failure += 2 * kFailure;
    const bool reached =
        eigen.certificate.residuals.maxCoeff() + rounding_ / largest <= problem_.tolerance;
    // Where what lies outside is as large as the last component itself, double would not help.
    const bool flat = eigen.certificate.complement >= eigen.values[eigen.values.size() - 1];
    const bool proven = eigen.certificate.complete || ask_.certify == Certify::none || flat;
    return (reached && proven) || context_.budget.precision == Precision::single_;
  }

  bool needs_rescue() const {
    if (!context_.budget.solver_name.empty() || ask_.certify == Certify::none) return false;
    if (context_.budget.precision == Precision::single_) return false;  // dense would be double
    if (fit_.eigen.certificate.complete && fit_.eigen.converged && !fit_.unresolved) return false;
    if (context_.budget.seconds < HUGE_VAL || time_is_over()) return false;
    const auto n = static_cast<double>(gram_->size());
    return gram_->size() <= kDenseRescue &&
           static_cast<double>(context_.budget.room()) >
               20 * n * n + static_cast<double>(fit_.report.plan.predicted_bytes);
  }

  // Flat spectra: what iterations cannot separate, the whole spectrum can.
  void rescue() {
    fit_.unresolved = false;
    fit_.report.plan.solver_name = "dense";
    fit_.report.plan.passes = 1;
    fit_.report.plan.precision = Precision::double_;
    if (single()) rebuild_in_double();
    solve_dense(solver_recipe("dense"));
  }

  GramFit& fit_;
  const GramProblem& problem_;
  const GramAsk& ask_;
  EigenRequest request_;
  double entry_ = 0;  // relative rounding of an entry
  const Context& context_;
  Context inner_;  // with the plan's precision
  const OperatorRecipe* recipe_;
  std::unique_ptr<SymmetricOperator> gram_;
  double operator_error_ = 0;  // of the operator itself, rounding apart
  double rounding_ = 0;        // |K computed - K|_2 at most, of the n rows
};

// Whether the error of the operator leaves the search the room it was given.
bool operator_is_exact_enough(const GramFit& fit, const GramProblem& problem) {
  return fit.eigen.values.size() == 0 || fit.eigen.reason.starts_with("the time") ||
         fit.expansion_error <= kOperatorShare * problem.tolerance * fit.eigen.values[0];
}

void forget_answer(GramFit& fit) {
  fit.eigen = {};
  fit.primal.resize(0, 0);
  fit.scorer.reset();
  fit.report.certificate = {};
}

}  // namespace

void solve_gram(GramFit& fit, const GramProblem& problem, const GramAsk& ask,
                const EigenRequest& request, const Context& context) {
  GramProblem asked = problem;
  GramSolve(fit, asked, ask, request, context).run();
  if (problem.geometry == nullptr || operator_is_exact_enough(fit, problem)) return;
  // The sample showed a larger leading eigenvalue than there is: the expansion is made again, by
  // what is known now.
  auto tighter = std::make_shared<Geometry>(*problem.geometry);
  const double part =
      kOperatorShare / 2 * problem.tolerance * fit.eigen.values[0] / fit.expansion_error;
  tighter->allow(part * tighter->allowed, problem);
  asked.geometry = std::move(tighter);
  forget_answer(fit);
  if (!operator_recipe(fit.report.plan.operator_name).refuse(asked, context.budget)) {
    GramSolve(fit, asked, ask, request, context).run();
    if (operator_is_exact_enough(fit, problem) || !context.budget.operator_name.empty()) return;
    forget_answer(fit);
  }
  asked.geometry = nullptr;
  fit.report.plan = make_plan(asked, context.budget, demand_of(ask));
  GramSolve(fit, asked, ask, request, context).run();
}

}  // namespace mercer::detail
