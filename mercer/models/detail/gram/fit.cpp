#include "mercer/models/detail/gram/fit.h"

#include "mercer/core/error.h"
#include "mercer/core/text.h"
#include "mercer/core/untimed.h"
#include "mercer/kernels/frame.h"
#include "mercer/linalg/blas_info.h"
#include "mercer/models/detail/gram/leading.h"
#include "mercer/models/detail/gram/share.h"
#include "mercer/models/detail/gram/solve.h"
#include "mercer/models/detail/gram/verdict.h"
#include "mercer/operators/recipe.h"
#include "mercer/plan/planner.h"
#include "mercer/solvers/recipe.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace mercer::detail {
namespace {

// Whether an operator computes the entries anew in every pass.
bool recomputes(const std::string& name, const GramProblem& problem) {
  return operator_recipe(name).cost(problem, {}, Precision::double_, 1).entry_columns > 0;
}

}  // namespace

Index most_components(const GramProblem& problem) {
  const Index removed = problem.affine   ? problem.facts.affine_basis->q.cols()
                        : problem.center ? 1
                                         : 0;
  const Index rows = problem.points.n() - removed;
  if (problem.given != Given::table) return rows;
  const Linear* linear = problem.kernel.only<Linear>();
  if (linear == nullptr) return rows;
  // An offset is a column of its own, unless centring takes it out.
  const Index offset = linear->offset != 0 && !problem.center ? 1 : 0;
  return std::min(rows, problem.points.dim() + offset);
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

namespace {

// What the solver is asked: the model's request, for the problem that was planned.
EigenRequest request_for(const Plan& plan, EigenRequest request) {
  const GramProblem& problem = *plan.problem;
  request.count = problem.components;
  request.tolerance = problem.tolerance;
  request.matrix = {.positive = is_positive(problem),
                    .fixed = problem.center ? 1 : 0,
                    .costly_passes = recomputes(plan.operator_name, problem)};
  return request;
}

// Nothing significant was found: why.
[[noreturn]] void refuse_nothing(const GramFit& fit, const GramProblem& problem) {
  if (fit.report.plan.precision == Precision::single_)
    throw Error(ErrorCode::kernel_overflows,
                fmt::format("float tiles keep no digit of {} on these {} rows",
                            problem.kernel.formula(), fit.report.n),
                "drop --precision single");
  if (largest_of(fit.eigen) == 0 && fit.eigen.spectrum.lowest_value >= 0)
    throw Error(
        ErrorCode::no_positive_eigenvalue,
        fmt::format("the kernel is constant on these {} rows: nothing to find", fit.report.n),
        "choose a smaller scale or another width, such as sigmoid:scale=1e-3; or the rows "
        "are identical");
  if (fit.only_noise)
    throw Error(ErrorCode::no_positive_eigenvalue,
                fmt::format("of the kernel on these {} rows no more is left than rounding makes",
                            fit.report.n),
                "choose another width or kernel; --indefinite does not help");
  throw Error(ErrorCode::no_positive_eigenvalue,
              fmt::format("no eigenvalue of the {} rows is positive", fit.report.n),
              problem.given == Given::kernel
                  ? "if the entries are distances: --as distance; or an indefinite policy: flip"
                  : "choose another kernel, or an indefinite policy such as flip");
}

// Found in a unit of their own, and too small for a number without it.
void refuse_vanishing(const GramFit& fit, const GramProblem& problem) {
  if (std::abs(fit.eigen.values[0]) >= std::numeric_limits<double>::min()) return;
  throw Error(ErrorCode::kernel_overflows,
              fmt::format("the eigenvalues of {} on these {} rows are below 2e-308: they vanish",
                          problem.kernel.formula(), fit.report.n),
              "give the rows in other units, such as --scale standard");
}

}  // namespace

GramFit fit_gram(const Plan& plan, const Components& components, const EigenRequest& asked_for,
                 const Context& context) {
  const GramProblem& problem = *plan.problem;
  GramFit fit;
  Report& report = fit.report;
  report.spectrum.emplace();
  report.n = problem.points.n();
  report.dim = problem.points.dim();
  report.spectrum->tolerance = problem.tolerance;
  report.spectrum->eigenvalues_only = asked_for.eigenvalues_only;
  report.plan = plan;
  report.plan.problem = nullptr;  // a model outlives the rows

  EigenRequest request = request_for(plan, asked_for);
  fit.positive = request.matrix.positive;
  if (plan.grows)
    solve_share(fit, problem, request, components.share(), context);
  else if (plan.leading > 0)
    solve_in_time(fit, problem, request, components.share(), context);
  else
    solve_gram(fit, problem, request, context);
  if (fit.eigen.values.size() == 0) refuse_nothing(fit, problem);
  refuse_vanishing(fit, problem);
  report.spectrum->eigenvalues = fit.eigen.values;
  report.spectrum->trace = fit.eigen.spectrum.trace;
  if (const BlasInfo& blas = blas_info(); !blas.better.empty())
    report.warnings.push_back(
        {WarningCode::slow_kernels,
         fmt::format("{} runs its {} kernels here: set OPENBLAS_CORETYPE={} in the environment",
                     blas.library, blas.kernels, blas.better)});
  give_verdict(fit, problem, components, asked_for, untimed(context));
  return fit;
}

}  // namespace mercer::detail
