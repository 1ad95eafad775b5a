// inverse: inverse iteration (A - s I) w = v, v <- w / |w|, with a shift s per cluster of Ritz
// values. Each shift costs n^3 / 3 operations, each step then n^2; a step multiplies the error by
// |mu - s| / |mu_j - s|, so that two or three are enough. A shift that hits an eigenvalue does no
// harm: what the nearly singular system gets wrong lies along the wanted vector. A cluster is
// worked on as a block, with a shift outside of it, so that no member drowns the others.
#include "mercer/solvers/recipe.h"
#include "mercer/solvers/shift_invert.h"

namespace mercer {
namespace inverse_method {
namespace {

// One factorisation serves values this close, relative to the largest.
constexpr double kTogether = 1e-3;

void improve(ShiftInvert& search, Range cluster) {
  search.inverse_iteration(cluster, search.aim());
}

// Measured for k = 2 to 30 on five spectra: up to 1.5 shifts per component, 1.1 in the middle, two
// solutions with each, and one factorisation that counts.
Cost cost(const SolverTask& task, const Machine& machine) {
  const auto k = static_cast<double>(task.request.count);
  return shift_invert_cost(task, 1.2 * k + 1, 2 * k, machine);
}

EigenResult run(const SymmetricOperator& a, const EigenRequest& request, const Context& context) {
  return ShiftInvert(a, request, kTogether, context).run(improve);
}

}  // namespace
}  // namespace inverse_method

const SolverRecipe& inverse_recipe() {
  using namespace inverse_method;
  static constexpr SolverRecipe recipe = shift_invert_recipe(
      "inverse", "shifted systems solved by factors; polishes few pairs", cost, run);
  return recipe;
}

}  // namespace mercer
