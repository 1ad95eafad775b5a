// The planner: asks every operator and solver to refuse or to price itself, keeps the cheapest pair
// within budget and records all of them. The choice looks at the data's size, the options and the
// machine's rates, never at the clock or the free memory; at the number of threads only where there
// is a limit of time, which what is chosen should keep.
#pragma once

#include "mercer/core/budget.h"
#include "mercer/linalg/cost.h"
#include "mercer/operators/problem.h"
#include "mercer/plan/plan.h"
#include "mercer/solvers/certificate.h"

namespace mercer {

/// What is asked of the answer, besides the problem.
struct Demand {
  Certify certify = Certify::automatic;
  bool eigenvalues_only = false;  // the tolerance is that of the eigenvalues, not of residuals
  bool whole_spectrum = false;    // all eigenvalues must be known
};

/// Every candidate with its price and verdict; `operator_name` stays empty where nothing fits.
Plan consider(const GramProblem& problem, const Budget& budget, const Machine& machine,
              const Demand& demand = {});

/// The same with this machine's rates; throws M301 when nothing fits the budget, M112 for names
/// that do not exist.
Plan make_plan(const GramProblem& problem, const Budget& budget, const Demand& demand = {});

}  // namespace mercer
