#include "mercer/models/detail/gram/solve.h"

#include "mercer/models/detail/gram/solver.h"
#include "mercer/operators/geometry.h"

#include <memory>
#include <utility>

namespace mercer::detail {
namespace {

// Whether the error of the operator leaves the search the room it was given.
bool operator_is_exact_enough(const GramFit& fit, const GramProblem& problem) {
  return fit.eigen.values.size() == 0 || fit.eigen.stop.out_of_time() ||
         fit.expansion_error <= kOperatorShare * problem.tolerance * fit.eigen.values[0];
}

void forget_answer(GramFit& fit) {
  fit.eigen = {};
  fit.primal.resize(0, 0);
  fit.scorer.reset();
  fit.spectrum().certificate = {};
}

}  // namespace

void solve_gram(GramFit& fit, const GramProblem& problem, const EigenRequest& request,
                const Context& context) {
  GramProblem asked = problem;
  GramSolver(fit, asked, request, context).run();
  if (problem.facts.geometry == nullptr || operator_is_exact_enough(fit, problem)) return;
  // The sample showed a larger leading eigenvalue than there is: the expansion is made again, by
  // what is known now.
  auto tighter = std::make_shared<Geometry>(*problem.facts.geometry);
  const double part =
      kOperatorShare / 2 * problem.tolerance * fit.eigen.values[0] / fit.expansion_error;
  tighter->allow(part * tighter->allowed, problem);
  asked.facts.geometry = std::move(tighter);
  forget_answer(fit);
  if (!operator_recipe(fit.report.plan.operator_name).refuse(asked, context.budget)) {
    GramSolver(fit, asked, request, context).run();
    if (operator_is_exact_enough(fit, problem) || !context.budget.operator_name.empty()) return;
    forget_answer(fit);
  }
  asked.facts.geometry = nullptr;
  fit.report.plan = make_plan(asked, context.budget, request);
  GramSolver(fit, asked, request, context).run();
}

}  // namespace mercer::detail
