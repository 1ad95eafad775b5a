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
#include "mercer/solvers/spectrum.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace mercer::detail {
namespace {

// Eigenvalues closer than this, relative to the largest, are one cluster: only their span is
// determined.
constexpr double kSameValue = 1e-10;

// A single family with k(x, x) = 1, which a width can make the identity or constant.
bool unit_diagonal(const GramProblem& problem) {
  const std::vector<KernelTerm>& terms = problem.kernel.terms();
  return problem.given == Given::table && terms.size() == 1 && terms[0].factors.size() == 1 &&
         visit_family([](const auto& f) { return f.traits.unit_diagonal; }, terms[0].factors[0]);
}

double largest_of(const EigenResult& eigen) {
  const Vector& values = eigen.all_values.size() > 0 ? eigen.all_values : eigen.values;
  return values.size() > 0 ? values.cwiseAbs().maxCoeff() : 0;
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
// rows is made for all that were found.
void cut_to_share(GramFit& fit, double share) {
  if (fit.scorer) return;
  double sum = 0;
  for (Index kept = 0; kept < fit.eigen.values.size(); ++kept) {
    sum += std::abs(fit.eigen.values[kept]);
    if (sum >= share * fit.eigen.trace) {
      fit.report.plan.leading = 0;  // nothing is missing
      keep_leading(fit.eigen, kept + 1);
      Certificate& proof = fit.report.certificate;
      proof.residuals = proof.residuals.head(kept + 1).eval();
      proof.eigenvalue_upper = proof.eigenvalue_upper.head(kept + 1).eval();
      if (fit.primal.cols() > kept + 1) fit.primal = fit.primal.leftCols(kept + 1).eval();
      return;
    }
  }
}

void note_missing(FitReport& report, Index found) {
  if (report.plan.leading == 0) return;
  report.converged = false;
  report.warnings.push_back(
      {WarningCode::time_ran_out,
       fmt::format("there was no time for all components: the leading {} were found", found)});
}

// The widest enclosure of an eigenvalue beside the eigenvalue itself; infinite where some have no
// bound. An eigenvalue found may also be too large by the operator's error.
double widest(const GramFit& fit) {
  const Certificate& proof = fit.report.certificate;
  const Vector& values = fit.eigen.values;
  const double below = proof.operator_error * largest_of(fit.eigen);
  double most = 0;
  for (Index i = 0; i < values.size(); ++i)
    most = std::max(most, std::max(proof.eigenvalue_upper[i] - std::abs(values[i]), below) /
                              std::abs(values[i]));
  return most;
}

// Whether the answer is what was asked for; says in a warning why where it is not.
void judge(GramFit& fit, const GramProblem& problem, const GramAsk& ask) {
  FitReport& report = fit.report;
  const double worst = report.certificate.residuals.maxCoeff();
  const bool bounded = ask.eigenvalues_only && ask.certify != Certify::none;
  const double stated = bounded ? widest(fit) : worst;
  const bool reached = ask.eigenvalues_only
                           ? fit.eigen.converged && (!bounded || stated <= problem.tolerance)
                           : worst <= problem.tolerance;
  const bool complete = report.certificate.complete || ask.certify == Certify::none;
  const std::string& reason = fit.eigen.reason;
  const bool stopped = reason.starts_with("the time");
  // What no search can mend is said.
  const bool rounding =
      report.certificate.operator_error > (bounded ? 0.3 : 0.5) * problem.tolerance;
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
                  Index most) {
  FitReport& report = fit.report;
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
  for (const Range cluster : clusters(eigen.values, near))
    if (cluster.size() > 1) report.clusters.push_back(cluster);
  if (kept < most && eigen.next_value != 0 &&
      std::abs(eigen.values[kept - 1] - eigen.next_value) <= near)
    report.warnings.push_back(
        {WarningCode::split_cluster, fmt::format("component {} and the next one have the same "
                                                 "eigenvalue ({}): which direction is kept is "
                                                 "arbitrary",
                                                 kept, brief(eigen.values[kept - 1], 6))});
  if (!problem.center || !unit_diagonal(problem)) return;
  const auto n = static_cast<double>(problem.points.n());
  if (problem.points.n() > 2 && std::abs(eigen.values[0] - 1) < 1e-6 &&
      eigen.trace > (n - 1) * (1 - 1e-6))
    report.warnings.push_back(
        {WarningCode::kernel_near_identity,
         fmt::format("{} is so narrow that every point is alone", problem.kernel.formula())});
  if (eigen.trace < 1e-6 * n)
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
  const Index removed = problem.affine ? problem.points.dim() + 1 : problem.center ? 1 : 0;
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

GramFit fit_gram(const GramProblem& problem, const Components& components, const GramAsk& ask,
                 const Context& context) {
  GramFit fit;
  FitReport& report = fit.report;
  report.n = problem.points.n();
  report.dim = problem.points.dim();
  report.tolerance = problem.tolerance;
  report.eigenvalues_only = ask.eigenvalues_only;
  report.plan = make_plan(problem, context.planning(problem.points.bytes()), demand_of(ask));

  EigenRequest request{.count = problem.components,
                       .share = components.share(),
                       .all = components.is_all(),
                       .order = ask.order,
                       .tolerance = problem.tolerance,
                       .eigenvalue_tolerance = ask.eigenvalues_only ? problem.tolerance : 0,
                       .certify = ask.certify,
                       .positive = is_positive(problem),
                       .costly_passes = recomputes(report.plan.operator_name, problem),
                       .seed = ask.seed};
  GramProblem asked = problem;
  if (report.plan.leading > 0) {
    asked.components = request.count = report.plan.leading;
    asked.open_count = request.all = false;
    request.share = 0;
  }
  solve_gram(fit, asked, ask, request, context);
  if (fit.eigen.values.size() == 0 && largest_of(fit.eigen) == 0 && fit.eigen.lowest_value >= 0)
    throw Error(ErrorCode::no_positive_eigenvalue,
                fmt::format("the kernel is constant on these {} rows: nothing to find", report.n),
                "choose a smaller scale or another width, such as sigmoid:scale=1e-3; or the rows "
                "are identical");
  if (fit.eigen.values.size() == 0)
    throw Error(ErrorCode::no_positive_eigenvalue,
                fmt::format("no eigenvalue of the {} rows is positive", report.n),
                problem.given == Given::kernel
                    ? "if the entries are distances: --as distance; or an indefinite policy: flip"
                    : "choose another kernel, or an indefinite policy such as flip");
  if (report.plan.leading > 0 && components.share() > 0) cut_to_share(fit, components.share());
  report.eigenvalues = fit.eigen.values;
  report.trace = fit.eigen.trace;
  if (const BlasInfo& blas = blas_info(); !blas.better.empty())
    report.warnings.push_back(
        {WarningCode::slow_kernels,
         fmt::format("{} runs its {} kernels here: set OPENBLAS_CORETYPE={} in the environment",
                     blas.library, blas.kernels, blas.better)});
  judge(fit, problem, ask);
  note_missing(report, fit.eigen.values.size());
  add_warnings(fit, problem, components, most_components(problem));
  return fit;
}

}  // namespace mercer::detail
