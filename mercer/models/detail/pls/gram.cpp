#include "mercer/models/detail/pls/gram.h"

#include "mercer/kernels/frame.h"
#include "mercer/models/kernel_expansion.h"
#include "mercer/operators/centered.h"
#include "mercer/operators/recipe.h"
#include "mercer/plan/machine.h"

namespace mercer::detail {
namespace {

constexpr Index kColumns = 16;  // of a product, for the price of its memory

GramProblem problem_of_rows(DataView rows, const Kernel& kernel, const Context& context) {
  GramProblem problem{rows, kernel};
  problem.facts.frame =
      std::make_shared<const Frame>(make_frame(kernel, rows, problem.center, context));
  problem.facts.integer_tiles = has_integer_tiles(kernel, problem.center, rows, context);
  return problem;
}

}  // namespace

PlsGram::PlsGram(DataView rows, const Kernel& kernel, const Context& context)
    : problem(problem_of_rows(rows, kernel, context)) {
  const auto price = [&](const OperatorRecipe& recipe) {
    return recipe.cost(problem, reference_rates(), Precision::double_, kColumns).bytes;
  };
  Context in_double = context;
  in_double.budget.precision = Precision::double_;
  const OperatorRecipe* recipe = &operator_recipe("dense_gram");
  if (price(*recipe) > context.memory_left() / 2) recipe = &unstored_recipe();
  held = context.hold(price(*recipe), "the kernel matrix");
  matrix = recipe->build(problem, in_double);
  const Centered centred(*matrix);
  trace = centred.diagonal(in_double).sum();
  means = centred.means(in_double) * matrix->unit();
}

}  // namespace mercer::detail
