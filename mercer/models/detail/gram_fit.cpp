#include "mercer/models/detail/gram_fit.h"

#include "mercer/core/error.h"
#include "mercer/core/text.h"
#include "mercer/kernels/frame.h"
#include "mercer/linalg/blas_info.h"
#include "mercer/models/detail/gram_solve.h"
#include "mercer/models/detail/leading.h"
#include "mercer/operators/recipe.h"
#include "mercer/plan/planner.h"
#include "mercer/solvers/recipe.h"
#include "mercer/solvers/shares.h"
#include "mercer/solvers/spectrum.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace mercer::detail {
namespace {

// A single family with k(x, x) = 1, which a width can make the identity or constant.
bool unit_diagonal(const GramProblem& problem) {
  const std::vector<KernelTerm>& terms = problem.kernel.terms();
  return problem.given == Given::table && terms.size() == 1 && terms[0].factors.size() == 1 &&
         visit_family([](const auto& f) { return f.traits.unit_diagonal; }, terms[0].factors[0]);
}

// Whether the (centred) matrix can have no negative eigenvalues.
bool is_positive(const GramProblem& problem) {
  if (problem.given != Given::table) return false;
  const Definite definite = problem.kernel.definite();
  return definite == Definite::always || (definite == Definite::centred && problem.center) ||
         (definite == Definite::affine && problem.affine);
}

// Whether an operator computes the entries anew in every pass.
bool recomputes(const std::string& name, const GramProblem& problem) {
  return operator_recipe(name).cost(problem, {}, Precision::double_, 1).entry_columns > 0;
}

// Where the plan had no time for all components: of a share, no more than it takes. What scores new
// rows is made for all that were found; and what share they are is not known where others may be
// negative.
void cut_to_share(GramFit& fit, double share) {
  if (fit.scorer || !fit.positive) return;
  const double enough = share - share_rounding(fit.report.n);
  double sum = 0;
  for (Index kept = 0; kept < fit.eigen.values.size(); ++kept) {
    sum += fit.eigen.values[kept];
    if (sum >= enough * fit.eigen.spectrum.trace) {
      fit.report.plan.leading = 0;  // nothing is missing
      keep_leading(fit.eigen, kept + 1);
      Certificate& proof = fit.spectrum().certificate;
      proof.residuals = proof.residuals.head(kept + 1).eval();
      proof.eigenvalue_upper = proof.eigenvalue_upper.head(kept + 1).eval();
      if (fit.primal.cols() > kept + 1) fit.primal = fit.primal.leftCols(kept + 1).eval();
      return;
    }
  }
}

void note_missing(Report& report, Index found) {
  if (report.plan.leading == 0) return;
  report.converged = false;
  report.warnings.push_back(
      {WarningCode::time_ran_out,
       fmt::format("there was no time for all components: the leading {} were found", found)});
}

// The widest enclosure of an eigenvalue beside the eigenvalue itself; infinite where some have no
// bound. An eigenvalue found may also be too large by the operator's error.
double widest(const GramFit& fit) {
  const Certificate& proof = fit.spectrum().certificate;
  const Vector& values = fit.eigen.values;
  const double below = proof.operator_error * largest_of(fit.eigen);
  double most = 0;
  for (Index i = 0; i < values.size(); ++i)
    most = std::max(most, std::max(proof.eigenvalue_upper[i] - std::abs(values[i]), below) /
                              std::abs(values[i]));
  return most;
}

// Scores that are products of rows with unit axes have the rounding of these and of the products,
// which is relative to the largest component: |K - mu| (dim + 4) u sqrt(trace / mu).
void add_axes_rounding(GramFit& fit) {
  const double each = static_cast<double>(fit.report.dim + 4) * 0x1p-53;
  fit.spectrum().certificate.residuals.array() +=
      each * (fit.eigen.spectrum.trace / fit.eigen.values.array()).sqrt();
}

// Values will be raised by the most negative one, which itself may be off by as much as any.
void add_raising(GramFit& fit) {
  if (!(fit.eigen.spectrum.lowest_value < -fit.rank_tolerance * largest_of(fit.eigen))) return;
  Certificate& proof = fit.spectrum().certificate;
  const double off = (proof.eigenvalue_upper - fit.eigen.values).cwiseAbs().maxCoeff();
  proof.eigenvalue_upper.array() += off;
  proof.residuals.array() += off / largest_of(fit.eigen);
  proof.operator_error += off / largest_of(fit.eigen);
}

// Whether the answer is what was asked for; says in a warning why where it is not.
void judge(GramFit& fit, const GramProblem& problem, const GramAsk& ask) {
  Report& report = fit.report;
  const double worst = report.spectrum->certificate.residuals.maxCoeff();
  const bool bounded = ask.eigenvalues_only && ask.certify != Certify::none;
  const double stated = bounded ? widest(fit) : worst;
  const bool reached = ask.eigenvalues_only
                           ? fit.eigen.converged && (!bounded || stated <= problem.tolerance)
                           : worst <= problem.tolerance;
  const bool complete = report.spectrum->certificate.complete || ask.certify == Certify::none;
  const std::string reason = fit.eigen.stop.words();
  const bool stopped = fit.eigen.stop.out_of_time();
  // What no search can mend is said.
  const bool rounding =
      report.spectrum->certificate.operator_error > (bounded ? 0.3 : 0.5) * problem.tolerance;
  const std::string why =
      reason.empty() && rounding ? "the rounding of kernel values allows no smaller ones" : reason;
  const bool whole = solver_choice(report.plan.solver_name).recipe.whole_spectrum;
  report.converged = reached && complete && !(stopped && whole);
  if (report.converged) return;
  if (stopped && whole)
    report.warnings.push_back(
        {WarningCode::time_ran_out,
         fmt::format("{}: {} components are known, residuals reach {}, the tolerance is {}", reason,
                     fit.eigen.values.size(), brief(worst, 2), brief(problem.tolerance, 2))});
  else if (stopped)
    report.warnings.push_back(
        {WarningCode::time_ran_out,
         fmt::format("stopped after {} passes: residuals reach {}, the "
                     "tolerance is {}",
                     report.plan.passes, brief(worst, 2), brief(problem.tolerance, 2))});
  else if (!reached)
    report.warnings.push_back(
        {WarningCode::tolerance_not_reached,
         fmt::format("{} reach {}, the tolerance is {}{}{}",
                     bounded ? "relative widths of enclosures" : "residuals", brief(stated, 2),
                     brief(problem.tolerance, 2), why.empty() ? "" : ": ", why)});
  if (!complete && reached && !(stopped && whole))
    report.warnings.push_back(
        {WarningCode::not_complete,
         reason.empty() ? "nothing shows that no larger eigenvalue was missed" : reason});
}

void add_warnings(GramFit& fit, const GramProblem& problem, const Components& components,
                  Index most, Order order) {
  Report& report = fit.report;
  const EigenResult& eigen = fit.eigen;
  const Index kept = eigen.values.size();
  if (components.asked() && kept < components.count() && eigen.converged)
    report.warnings.push_back(
        {WarningCode::rank_lower,
         fit.unresolved
             ? fmt::format("{} components were asked for, those after {} are too small for the "
                           "tolerance to tell them from nothing: {} kept",
                           components.count(), kept, kept)
             : fmt::format("{} components were asked for, the numerical rank is {}: {} kept",
                           components.count(), kept, kept)});
  const double largest = largest_of(eigen);
  const double near = kSameValue * largest;
  // Ordered by magnitude, +2 and -2 are neighbours in any order: they belong together, too.
  const auto size_of = [&](double value) {
    return order == Order::magnitude ? std::abs(value) : value;
  };
  if (!report.spectrum->drowned())
    report.spectrum->clusters = runs_of_equals(eigen.values.unaryExpr(size_of), near);
  const double last = eigen.values[kept - 1];
  if (kept < most && !report.spectrum->drowned() && eigen.spectrum.next_value != 0 &&
      std::abs(size_of(last) - size_of(eigen.spectrum.next_value)) <= near)
    report.warnings.push_back(
        {WarningCode::split_cluster,
         fmt::format("component {} and the next one have the same {} ({}): which direction is kept "
                     "is arbitrary",
                     kept, last * eigen.spectrum.next_value < 0 ? "magnitude" : "eigenvalue",
                     brief(last, 6))});
  if (!problem.center || !unit_diagonal(problem)) return;
  const auto n = static_cast<double>(problem.points.n());
  if (problem.points.n() > 2 && std::abs(eigen.values[0] - 1) < 1e-6 &&
      eigen.spectrum.trace > (n - 1) * (1 - 1e-6))
    report.warnings.push_back(
        {WarningCode::kernel_near_identity,
         fmt::format("{} is so narrow that every point is alone", problem.kernel.formula())});
  if (eigen.spectrum.trace < 1e-6 * n)
    report.warnings.push_back(
        {WarningCode::kernel_near_constant,
         fmt::format("{} is so wide that it is nearly constant: {}", problem.kernel.formula(),
                     problem.kernel.only<Gaussian>() != nullptr ? "the result is that of linear PCA"
                                                                : "use a smaller width")});
}

}  // namespace

Demand demand_of(const GramAsk& ask) {
  return {ask.certify, ask.eigenvalues_only, ask.whole_spectrum};
}

Index most_components(const GramProblem& problem) {
  const Index removed = problem.affine   ? problem.facts.affine_basis->q.cols()
                        : problem.center ? 1
                                         : 0;
  const Index rows = problem.points.n() - removed;
  if (problem.given != Given::table) return rows;
  return problem.kernel.only<Linear>() != nullptr ? std::min(rows, problem.points.dim()) : rows;
}

void set_components(GramProblem& problem, const Components& components) {
  const Index most = most_components(problem);
  if (problem.affine && most < 1)
    throw Error(ErrorCode::too_few_rows,
                fmt::format("a thin plate spline of {0} columns needs at least {1} rows: affine "
                            "functions of {0} variables explain {2} rows fully",
                            problem.points.dim(), problem.points.dim() + 2, problem.points.n()),
                "fit on more rows or fewer columns, or add --nullspace constant");
  problem.components = most;  // a share may need all
  problem.open_count = components.is_all() || components.share() > 0;
  if (components.is_all() || components.share() > 0) return;
  if (components.asked() && components.count() > most)
    throw Error(ErrorCode::too_many_components,
                fmt::format("{} components were asked for; {} rows and {} columns allow {}",
                            components.count(), problem.points.n(), problem.points.dim(), most),
                fmt::format("ask for at most {}", most));
  problem.components = std::min(most, components.count());
}

GramFit fit_gram(const Plan& plan, const Components& components, const GramAsk& ask,
                 const Context& context) {
  const GramProblem& problem = *plan.problem;
  GramFit fit;
  Report& report = fit.report;
  report.spectrum.emplace();
  report.n = problem.points.n();
  report.dim = problem.points.dim();
  report.spectrum->tolerance = problem.tolerance;
  report.spectrum->eigenvalues_only = ask.eigenvalues_only;
  report.plan = plan;
  report.plan.problem = nullptr;  // a model outlives the rows

  EigenRequest request{.count = problem.components,
                       .share = components.share(),
                       .all = components.is_all(),
                       .raised = ask.raised,
                       .order = ask.order,
                       .tolerance = problem.tolerance,
                       .eigenvalue_tolerance = ask.eigenvalues_only ? problem.tolerance : 0,
                       .certify = ask.certify,
                       .matrix = {.positive = is_positive(problem),
                                  .fixed = problem.center ? 1 : 0,
                                  .costly_passes = recomputes(report.plan.operator_name, problem)},
                       .search = {.seed = ask.seed}};
  GramProblem asked = problem;
  if (report.plan.leading > 0) {
    asked.components = request.count = report.plan.leading;
    asked.open_count = request.all = false;
    request.share = 0;
  }
  fit.positive = request.matrix.positive;
  solve_gram(fit, asked, ask, request, context);
  if (fit.eigen.values.size() == 0 && report.plan.precision == Precision::single_)
    throw Error(ErrorCode::kernel_overflows,
                fmt::format("float tiles keep no digit of {} on these {} rows",
                            problem.kernel.formula(), report.n),
                "drop --precision single");
  if (fit.eigen.values.size() == 0 && largest_of(fit.eigen) == 0 &&
      fit.eigen.spectrum.lowest_value >= 0)
    throw Error(ErrorCode::no_positive_eigenvalue,
                fmt::format("the kernel is constant on these {} rows: nothing to find", report.n),
                "choose a smaller scale or another width, such as sigmoid:scale=1e-3; or the rows "
                "are identical");
  if (fit.eigen.values.size() == 0 && fit.only_noise)
    throw Error(
        ErrorCode::no_positive_eigenvalue,
        fmt::format("of the kernel on these {} rows no more is left than rounding makes", report.n),
        "choose another width or kernel; --indefinite does not help");
  if (fit.eigen.values.size() == 0)
    throw Error(ErrorCode::no_positive_eigenvalue,
                fmt::format("no eigenvalue of the {} rows is positive", report.n),
                problem.given == Given::kernel
                    ? "if the entries are distances: --as distance; or an indefinite policy: flip"
                    : "choose another kernel, or an indefinite policy such as flip");
  if (report.plan.leading > 0 && components.share() > 0) cut_to_share(fit, components.share());
  report.spectrum->eigenvalues = fit.eigen.values;
  report.spectrum->trace = fit.eigen.spectrum.trace;
  if (const BlasInfo& blas = blas_info(); !blas.better.empty())
    report.warnings.push_back(
        {WarningCode::slow_kernels,
         fmt::format("{} runs its {} kernels here: set OPENBLAS_CORETYPE={} in the environment",
                     blas.library, blas.kernels, blas.better)});
  if (ask.by_axes) add_axes_rounding(fit);
  if (ask.raised) add_raising(fit);
  judge(fit, problem, ask);
  note_missing(report, fit.eigen.values.size());
  add_warnings(fit, problem, components, most_components(problem), ask.order);
  return fit;
}

}  // namespace mercer::detail
