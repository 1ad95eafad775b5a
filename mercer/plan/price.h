// The price of one pair of operator and solver for a problem.
#pragma once

#include "mercer/linalg/cost.h"
#include "mercer/operators/recipe.h"
#include "mercer/plan/planner.h"
#include "mercer/solvers/recipe.h"

namespace mercer {

/// A candidate with its price, or with the reason why it cannot serve. Its verdict says whether it
/// fits the budget.
Candidate price(const OperatorRecipe& op, const SolverRecipe& solver, const GramProblem& problem,
                const EigenRequest& request, const Budget& budget, const Machine& machine);

}  // namespace mercer
