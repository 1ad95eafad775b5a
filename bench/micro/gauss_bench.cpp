// One Gauss transform, v_i = sum_j exp(-|x_i-x_j|^2/h^2) u_j, of 10^6 rows in the unit cube with an
// error of 1e-6 sum |u|, one column, one thread: set-up and sum together, as libraries for such
// sums are timed. FIGTree takes 1.2 to 14 s in two dimensions and 4.7 s in three with a large h.
#include "mercer/core/random.h"
#include "mercer/operators/factored.h"
#include "mercer/operators/geometry.h"
#include "mercer/operators/recipe.h"

#include <benchmark/benchmark.h>

#include <cmath>
#include <string>

namespace mercer {
namespace {

constexpr Index kRows = 1'000'000;
constexpr double kError = 1e-6;

Points cube(Index dim) {
  Points x(kRows, dim);
  const Random random(3, 1);
  for (Index i = 0; i < x.size(); ++i) x.data()[i] = random.uniform(static_cast<std::uint64_t>(i));
  return x;
}

void gauss_transform(benchmark::State& state, const char* name, Index dim, double h) {
  const Points x = cube(dim);
  Context context;
  context.budget.threads = 1;
  context.budget.operator_name = name;
  GramProblem problem{x, Kernel("gaussian:sigma=" + std::to_string(h / std::sqrt(2.0))), false, 1};
  auto geometry = std::make_shared<Geometry>(*geometry_of(problem, context));
  geometry->allow(kError, problem);
  problem.facts.geometry = geometry;
  const OperatorRecipe& recipe = operator_recipe(name);
  if (const auto reason = recipe.refuse(problem, context.budget)) {
    state.SkipWithError(reason->c_str());
    return;
  }
  const Block u = Block::Ones(kRows, 1);
  for (auto _ : state) {
    const auto op = recipe.build(problem, context);
    Block v(op->size(), 1);
    if (const FactoredOperator* factor = op->factored())
      v = factor->lift(factor->restrict(u, context), context);
    else
      op->apply(u, v, nullptr, context);
    benchmark::DoNotOptimize(v.data());
  }
}

#define MERCER_SUM(name, dim, label, h)                             \
  BENCHMARK_CAPTURE(gauss_transform, name##_##label, #name, dim, h) \
      ->Unit(benchmark::kMillisecond)                               \
      ->Iterations(1)
MERCER_SUM(fourier_features, 2, 2d_narrow, 0.01);
MERCER_SUM(near_field, 2, 2d_narrow, 0.01);
MERCER_SUM(fourier_features, 2, 2d_medium, 0.1);
MERCER_SUM(fast_gauss, 2, 2d_medium, 0.1);
MERCER_SUM(fourier_features, 2, 2d_wide, 1.0);
MERCER_SUM(fast_gauss, 2, 2d_wide, 1.0);
MERCER_SUM(taylor_features, 2, 2d_wide, 1.0);
MERCER_SUM(fourier_features, 3, 3d_wide, 1.0);
MERCER_SUM(fast_gauss, 3, 3d_wide, 1.0);

}  // namespace
}  // namespace mercer
