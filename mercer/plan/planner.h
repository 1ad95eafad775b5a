// The planner: asks every operator and solver to refuse or to price itself, keeps the cheapest pair
// within budget and records all of them. The choice looks at the data's size, the options and the
// machine's rates, never at the clock or the free memory; at the number of threads only where there
// is a limit of time, which what is chosen should keep.
#pragma once

#include "mercer/core/budget.h"
#include "mercer/linalg/cost.h"
#include "mercer/operators/problem.h"
#include "mercer/plan/plan.h"
#include "mercer/solvers/eigen.h"

namespace mercer {

/// Every candidate with its price and verdict; `operator_name` stays empty where nothing fits.
Plan consider(const GramProblem& problem, const Budget& budget, const Machine& machine,
              const EigenRequest& request = {});

/// The same with this machine's rates; throws M301 when nothing fits the budget, M112 for names
/// that do not exist.
Plan make_plan(const GramProblem& problem, const Budget& budget, const EigenRequest& request = {});

}  // namespace mercer
