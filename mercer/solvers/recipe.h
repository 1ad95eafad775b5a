// SolverRecipe: what the planner may know of an eigensolver, and how to run it.
#pragma once

#include "mercer/core/budget.h"
#include "mercer/linalg/cost.h"
#include "mercer/linalg/operator.h"
#include "mercer/solvers/eigen.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace mercer {

struct SolverRecipe {
  std::string_view name, summary;
  /// A reason why it cannot solve a problem of this size, or nothing.
  std::optional<std::string> (*refuse)(Index size, Index count);
  /// Own seconds and bytes, besides the operator's products.
  Cost (*cost)(Index size, Index count, const Machine&);
  /// Products with the operator, and whether it needs the matrix written out.
  Index (*passes)(Index size, Index count);
  bool needs_matrix;
  EigenResult (*run)(const SymmetricOperator&, const EigenRequest&, const Context&);
};

/// All solvers of the catalogue, by name.
std::vector<const SolverRecipe*> solver_recipes();
/// The one of this name; throws M112.
const SolverRecipe& solver_recipe(std::string_view name);

}  // namespace mercer
