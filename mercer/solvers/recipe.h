// SolverRecipe: what the planner may know of an eigensolver, and how to run it.
#pragma once

#include "mercer/core/budget.h"
#include "mercer/linalg/cost.h"
#include "mercer/linalg/operator.h"
#include "mercer/solvers/eigen.h"

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace mercer {

/// A request as the planner knows it, before anything is computed.
struct SolverTask {
  Index size = 0;  // rows of the operator
  EigenRequest request;
  bool decays = false;    // the spectrum is expected to fall fast: few columns suffice
  bool narrow = false;    // landmarks will show how few columns the first pass needs
  double evaluation = 0;  // cost of one entry, in columns of a product; 0 where it is stored

  /// Whether the matrix is recomputed in every pass.
  bool costly_passes() const { return request.matrix.costly_passes; }
  /// Whether completeness is shown by random probes.
  bool probes() const {
    return request.certify == Certify::automatic || request.certify == Certify::probabilistic;
  }
};

struct SolverRecipe {
  std::string_view name, summary;
  /// A reason why it cannot solve such a problem, or nothing.
  std::optional<std::string> (*refuse)(const SolverTask&);
  /// Own seconds and bytes, besides the operator's products.
  Cost (*cost)(const SolverTask&, const Machine&);
  /// Columns of each product with the operator that is expected, in order.
  std::vector<Index> (*schedule)(const SolverTask&);
  EigenResult (*run)(const SymmetricOperator&, const EigenRequest&, const Context&);
  std::span<const std::string_view> variants = {};  // ways to run it, the usual one first
  bool needs_matrix = false;                        // written out
  bool whole_spectrum = false;  // finds all eigenvalues: complete by construction
  bool planned_widths = false;  // the plan decides on its blocks and its basis, by the memory
  bool uses_near = false;       // a low-rank matrix nearby shortens the search
  bool goes_on = false;         // the quickest from vectors that are nearly right
};

/// A solver and the way to run it, as "lanczos:partial" names them.
struct SolverChoice {
  const SolverRecipe& recipe;
  std::string_view variant;  // empty where none was named
};

/// All solvers of the catalogue, by name.
std::vector<const SolverRecipe*> solver_recipes();
/// The one of this name; throws M112.
const SolverRecipe& solver_recipe(std::string_view name);
/// The one that finds all eigenvalues, and the one that goes on from what others found.
const SolverRecipe& whole_spectrum_recipe();
const SolverRecipe& continuing_recipe();
/// "name" or "name:variant"; throws M112 for an unknown one of either. The variant is a view into
/// the recipe.
SolverChoice solver_choice(std::string_view text);

}  // namespace mercer
