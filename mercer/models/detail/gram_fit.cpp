#include "mercer/models/detail/gram_fit.h"

#include "mercer/core/error.h"
#include "mercer/core/text.h"
#include "mercer/kernels/frame.h"
#include "mercer/linalg/lapack.h"
#include "mercer/operators/centered.h"
#include "mercer/operators/factored.h"
#include "mercer/operators/recipe.h"
#include "mercer/plan/planner.h"
#include "mercer/solvers/recipe.h"
#include "mercer/solvers/signs.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace mercer::detail {
namespace {

// Residual |K u - mu u| of lifted vectors: K u = F (F' u).
class GramOfFactor final : public SymmetricOperator {
 public:
  explicit GramOfFactor(const FactoredOperator& factor, Index n) : factor_(factor), n_(n) {}
  Index size() const override { return n_; }
  Vector diagonal() const override { return Vector::Zero(n_); }
  void apply(ConstBlockRef x, BlockRef y, PassSums*) const override {
    y = factor_.lift(factor_.restrict(x));
  }

 private:
  const FactoredOperator& factor_;
  Index n_;
};

// Directions of the small problem become unit vectors over the rows: u = F w / sqrt(mu).
void lift(GramFit& fit, const FactoredOperator& factor) {
  const double to_gram = factor.gram_factor();
  fit.eigen.values *= to_gram;
  fit.eigen.all_values *= to_gram;
  fit.eigen.trace *= to_gram;
  fit.eigen.next_value *= to_gram;
  fit.primal = std::move(fit.eigen.vectors);
  fit.eigen.vectors =
      factor.lift(fit.primal) * fit.eigen.values.cwiseSqrt().cwiseInverse().asDiagonal();
  polish_orthonormal(fit.eigen.vectors);
  const Block before = fit.eigen.vectors;
  fix_signs(fit.eigen.vectors);
  for (Index j = 0; j < before.cols(); ++j)
    if (before.col(j).dot(fit.eigen.vectors.col(j)) < 0) fit.primal.col(j) *= -1;
}

void solve_dual(GramFit& fit, const GramProblem& problem, const SolverRecipe& solver,
                const OperatorRecipe& recipe, const EigenRequest& request, double entry,
                const Context& context) {
  const auto run = [&](const SymmetricOperator& a) {
    fit.eigen = solver.run(a, request, context);
    return a.size();
  };
  const auto certify = [&](const SymmetricOperator& a) {
    fit.report.certificate = certify_dense(a, fit.eigen, entry);
  };
  {
    const auto gram = recipe.build(problem, context);
    const Centered centered(*gram, context);
    if (problem.center)
      run(centered);
    else
      run(*gram);
    if (problem.center) fit.means = centered.means();
    if (context.budget.precision != Precision::single_) {
      if (problem.center)
        certify(centered);
      else
        certify(*gram);
      return;
    }
  }
  // Float tiles cannot support a residual below their own rounding: it is measured on the matrix in
  // double.
  Context in_double = context;
  in_double.budget.precision = Precision::double_;
  const auto gram = recipe.build(problem, in_double);
  if (problem.center)
    certify(Centered(*gram, in_double));
  else
    certify(*gram);
}

void add_warnings(GramFit& fit, const GramProblem& problem, const Components& components,
                  Index most) {
  FitReport& report = fit.report;
  const EigenResult& eigen = fit.eigen;
  const Index kept = eigen.values.size();
  if (components.asked() && kept < components.count())
    report.warnings.push_back(
        {WarningCode::rank_lower,
         fmt::format("{} components were asked for, the numerical rank is {}: {} kept",
                     components.count(), kept, kept)});
  const double largest = eigen.all_values.cwiseAbs().maxCoeff();
  const double near = 1e-10 * largest;
  if (kept < most && eigen.next_value != 0 &&
      std::abs(eigen.values[kept - 1] - eigen.next_value) <= near)
    report.warnings.push_back(
        {WarningCode::split_cluster, fmt::format("component {} and the next one have the same "
                                                 "eigenvalue ({}): which direction is kept is "
                                                 "arbitrary",
                                                 kept, brief(eigen.values[kept - 1], 6))});
  const Gaussian* gaussian = problem.kernel.only<Gaussian>();
  if (gaussian == nullptr || !problem.center) return;
  const auto n = static_cast<double>(problem.points.n());
  if (problem.points.n() > 2 && std::abs(eigen.values[0] - 1) < 1e-6 &&
      eigen.trace > (n - 1) * (1 - 1e-6))
    report.warnings.push_back(
        {WarningCode::kernel_near_identity,
         fmt::format("sigma = {} is so small that every point is alone", brief(gaussian->sigma))});
  if (eigen.trace < 1e-6 * n)
    report.warnings.push_back({WarningCode::kernel_near_constant,
                               fmt::format("sigma = {} is so large that the kernel is nearly "
                                           "constant: the result is that of linear PCA",
                                           brief(gaussian->sigma))});
}

}  // namespace

Index most_components(const GramProblem& problem) {
  const Index rows = problem.points.n() - (problem.center ? 1 : 0);
  return problem.kernel.only<Linear>() != nullptr ? std::min(rows, problem.points.dim()) : rows;
}

void set_components(GramProblem& problem, const Components& components) {
  const Index most = most_components(problem);
  problem.components = most;  // a share may need all
  if (components.is_all() || components.share() > 0) return;
  if (components.asked() && components.count() > most)
    throw Error(ErrorCode::too_many_components,
                fmt::format("{} components were asked for; {} rows and {} columns allow {}",
                            components.count(), problem.points.n(), problem.points.dim(), most),
                fmt::format("ask for at most {}", most));
  problem.components = std::min(most, components.count());
}

GramFit fit_gram(const GramProblem& problem, const Components& components, Order order,
                 const Context& context) {
  GramFit fit;
  FitReport& report = fit.report;
  report.n = problem.points.n();
  report.dim = problem.points.dim();
  report.tolerance = problem.tolerance;
  report.plan = make_plan(problem, context.budget);

  const Frame frame = make_frame(problem.kernel, problem.points, problem.center, context);
  const double entry =
      entry_error(problem.kernel, frame, problem.points.dim(), report.plan.precision);
  fit.rank_tolerance = std::max(10 * static_cast<double>(problem.points.n()) * 0x1p-53, 30 * entry);
  EigenRequest request{.count = problem.components,
                       .share = components.share(),
                       .all = components.is_all(),
                       .rank_tolerance = fit.rank_tolerance,
                       .order = order};
  const OperatorRecipe& recipe = operator_recipe(report.plan.operator_name);
  const SolverRecipe& solver = solver_recipe(report.plan.solver_name);
  if (recipe.name == "covariance") {
    const auto built = recipe.build(problem, context);
    const auto& factor = dynamic_cast<const FactoredOperator&>(*built);
    fit.eigen = solver.run(factor, request, context);
    if (fit.eigen.values.size() > 0) {
      lift(fit, factor);
      report.certificate = certify_dense(GramOfFactor(factor, report.n), fit.eigen, entry);
    }
  } else {
    solve_dual(fit, problem, solver, recipe, request, entry, context);
  }
  if (fit.eigen.values.size() == 0)
    throw Error(ErrorCode::no_positive_eigenvalue,
                fmt::format("no eigenvalue of the {} rows is positive", report.n),
                "choose another kernel, or an indefinite policy such as flip");
  report.eigenvalues = fit.eigen.values;
  report.trace = fit.eigen.trace;
  report.converged = report.certificate.residuals.maxCoeff() <= problem.tolerance;
  if (!report.converged)
    report.warnings.push_back({WarningCode::tolerance_not_reached,
                               fmt::format("residuals reach {}, the tolerance is {}",
                                           brief(report.certificate.residuals.maxCoeff(), 2),
                                           brief(problem.tolerance, 2))});
  add_warnings(fit, problem, components, most_components(problem));
  return fit;
}

}  // namespace mercer::detail
