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
#include "mercer/solvers/spectrum.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>

namespace mercer::detail {
namespace {

// Eigenvalues closer than this, relative to the largest, are one cluster: only their span is
// determined.
constexpr double kSameValue = 1e-10;

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

// Solves on the operator itself and measures the residuals on it.
void solve_primal(GramFit& fit, const FactoredOperator& factor, const SolverRecipe& solver,
                  const EigenRequest& request, double entry, const Context& context) {
  fit.eigen = solver.run(factor, request, context);
  if (fit.eigen.values.size() == 0) return;
  lift(fit, factor);
  fit.report.certificate = certify_dense(GramOfFactor(factor, fit.report.n), fit.eigen, entry);
}

// Values that rounding may have made. Only where removing functions took most of the matrix away is
// that more than the solver itself left out.
void drop_insignificant(EigenResult& eigen, double rank_tolerance) {
  if (eigen.values.size() == 0) return;
  const double least = rank_tolerance * eigen.all_values.cwiseAbs().maxCoeff();
  Index kept = 0;
  while (kept < eigen.values.size() && std::abs(eigen.values[kept]) > least) ++kept;
  if (kept == eigen.values.size()) return;
  eigen.next_value = eigen.values[kept];
  eigen.values = eigen.values.head(kept).eval();
  eigen.vectors = eigen.vectors.leftCols(kept).eval();
}

void solve_dual(GramFit& fit, std::unique_ptr<SymmetricOperator> gram, const GramProblem& problem,
                const SolverRecipe& solver, const OperatorRecipe& recipe,
                const EigenRequest& request, double entry, const Context& context) {
  if (problem.affine) {
    const Frame frame = make_frame(problem.kernel, problem.points, true, context);
    fit.affine = AffineBasis(problem.points, frame);
  }
  const auto with_centring = [&](const SymmetricOperator& inner, const Context& with,
                                 const auto& use) {
    if (!problem.center) return use(inner);
    if (problem.affine) {
      const AffineCentered centered(inner, fit.affine);
      use(centered);
      fit.affine_image = centered.image();
      fit.rank_tolerance = std::max(fit.rank_tolerance, request.rank_tolerance * centered.growth());
      return;
    }
    const Centered centered(inner, with);
    use(centered);
    fit.means = centered.means();
  };
  const auto run = [&](const SymmetricOperator& a) { fit.eigen = solver.run(a, request, context); };
  const auto certify = [&](const SymmetricOperator& a) {
    fit.report.certificate = certify_dense(a, fit.eigen, entry);
  };
  with_centring(*gram, context, run);
  drop_insignificant(fit.eigen, fit.rank_tolerance);
  if (fit.eigen.values.size() == 0) return;
  if (context.budget.precision != Precision::single_) return with_centring(*gram, context, certify);
  // Float tiles cannot support a residual below their own rounding: it is measured on the matrix in
  // double.
  gram.reset();
  Context in_double = context;
  in_double.budget.precision = Precision::double_;
  gram = recipe.build(problem, in_double);
  with_centring(*gram, in_double, certify);
}

// A single family with k(x, x) = 1, which a width can make the identity or constant.
bool unit_diagonal(const GramProblem& problem) {
  const std::vector<KernelTerm>& terms = problem.kernel.terms();
  return problem.given == Given::table && terms.size() == 1 && terms[0].factors.size() == 1 &&
         visit_family([](const auto& f) { return f.traits.unit_diagonal; }, terms[0].factors[0]);
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

  double entry = 0x1p-53;
  if (problem.given == Given::table) {
    const Frame frame = make_frame(problem.kernel, problem.points, problem.center, context);
    entry = entry_error(problem.kernel, frame, problem.points.dim(), report.plan.precision);
  }
  fit.rank_tolerance = std::max(10 * static_cast<double>(problem.points.n()) * 0x1p-53, 30 * entry);
  EigenRequest request{.count = problem.components,
                       .share = components.share(),
                       .all = components.is_all(),
                       .rank_tolerance = fit.rank_tolerance,
                       .order = order};
  const OperatorRecipe& recipe = operator_recipe(report.plan.operator_name);
  const SolverRecipe& solver = solver_recipe(report.plan.solver_name);
  std::unique_ptr<SymmetricOperator> built = recipe.build(problem, context);
  if (const auto* factor = dynamic_cast<const FactoredOperator*>(built.get()))
    solve_primal(fit, *factor, solver, request, entry, context);
  else
    solve_dual(fit, std::move(built), problem, solver, recipe, request, entry, context);
  if (fit.eigen.all_values.cwiseAbs().maxCoeff() == 0)
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
