// rayleigh_quotient: inverse iteration whose shift is the Rayleigh quotient v'A v of every step.
// The residual is cubed in a step, but which eigenpair it goes to is not controlled. Hence two
// safeguards. It begins only where |r| is below a quarter of the distance to the other Ritz values:
// one eigenvalue lies within |r|, and it is the nearest by far. And where the quotient moves
// further than the first |r| the steps are discarded. In either case inverse iteration, with a
// shift that stays, takes over; clusters are its business throughout.
#include "mercer/solvers/recipe.h"
#include "mercer/solvers/shift_invert.h"

#include <algorithm>
#include <cmath>

namespace mercer {
namespace rayleigh_quotient_method {
namespace {

// Closer values, relative to the largest, are a cluster.
constexpr double kTogether = 1e-8;
// Six steps cube any residual below rounding.
constexpr Index kSteps = 6;
// What inverse iteration takes off a cluster before it is looked at again: the values may then be
// far enough apart.
constexpr double kPart = 0.01;

// False where the quotient ran away: the vector is then as it was.
bool cube_residual(ShiftInvert& search, Range one) {
  const RitzSet& set = search.set();
  const Index i = one.begin;
  const ClusterStep start{set.vectors().col(i), set.images().col(i), set.values().segment(i, 1),
                          set.residuals().segment(i, 1), 1};
  for (Index step = 0; step < kSteps; ++step) {
    const double before = search.residual(one);
    if (!search.factor(set.values()[i])) return true;
    const std::optional<ClusterStep> next = search.step(one);
    if (!next) return true;
    const double moved = std::abs(next->values[0] - start.values[0]);
    if (moved > std::max(start.worst(), search.floor())) {
      search.restore(one, start);
      return false;
    }
    search.settle(one, *next);
    if (search.residual(one) <= search.aim() || next->worst() > 0.5 * before) return true;
  }
  return true;
}

void improve(ShiftInvert& search, Range cluster) {
  if (cluster.size() > 1) {
    search.inverse_iteration(cluster, std::max(search.aim(), kPart * search.residual(cluster)));
    return;
  }
  const double near = search.gap(cluster) / 4;
  if (search.residual(cluster) >= near)
    search.inverse_iteration(cluster, std::max(search.aim(), 0.9 * near));
  if (search.residual(cluster) < near && cube_residual(search, cluster)) return;
  search.inverse_iteration(cluster, search.aim());
}

// Measured for k = 2 to 30 on five spectra: one to two steps per component, each with its own
// factors, and one factorisation that counts.
Cost cost(const SolverTask& task, const Machine& machine) {
  const auto k = static_cast<double>(task.request.count);
  return shift_invert_cost(task, 1.6 * k + 1, 1.6 * k, machine);
}

EigenResult run(const SymmetricOperator& a, const EigenRequest& request, const Context& context) {
  return ShiftInvert(a, request, kTogether, context).run(improve);
}

}  // namespace
}  // namespace rayleigh_quotient_method

const SolverRecipe& rayleigh_quotient_recipe() {
  using namespace rayleigh_quotient_method;
  static constexpr SolverRecipe recipe = shift_invert_recipe(
      "rayleigh_quotient", "inverse iteration with a moving shift; cubes residuals of few pairs",
      cost, run);
  return recipe;
}

}  // namespace mercer
