#include "mercer/models/detail/one_product.h"

#include "mercer/core/error.h"
#include "mercer/operators/factored.h"
#include "mercer/operators/recipe.h"
#include "mercer/plan/machine.h"

#include <fmt/format.h>

#include <limits>
#include <memory>

namespace mercer::detail {
namespace {

const OperatorRecipe& named(const GramProblem& problem, const Context& context) {
  const OperatorRecipe& recipe = operator_recipe(context.budget.operator_name);
  const auto reason = recipe.refuse(problem, context.budget);
  if (!reason) return recipe;
  throw Error(ErrorCode::bad_option_value,
              fmt::format("{} cannot be used here: {}", recipe.name, *reason),
              "leave the choice to the program: drop --operator");
}

// By the rates of a processor that is always the same: bytes must not depend on the machine.
const OperatorRecipe& cheapest(const GramProblem& problem, Index columns, const Context& context) {
  const Budget budget = context.planning(problem.points.bytes());
  const OperatorRecipe* best = nullptr;
  double least = std::numeric_limits<double>::infinity();
  for (const OperatorRecipe* recipe : operator_recipes()) {
    if (recipe->refuse(problem, budget)) continue;  // expansions do: nobody has priced them
    const Cost cost = recipe->cost(problem, reference_rates(), Precision::double_, columns);
    const double seconds = cost.setup_seconds + cost.pass_seconds;
    if (cost.bytes > budget.room() || seconds >= least) continue;
    best = recipe;
    least = seconds;
  }
  return best != nullptr ? *best : unstored_recipe();
}

}  // namespace

KernelProduct kernel_product(const GramProblem& problem, ConstBlockRef a, const Block& t,
                             const Context& context) {
  Context inner = context;
  if (inner.budget.precision == Precision::automatic) inner.budget.precision = Precision::double_;
  const OperatorRecipe* recipe = context.budget.operator_name.empty()
                                     ? &cheapest(problem, a.cols(), context)
                                     : &named(problem, context);
  std::unique_ptr<SymmetricOperator> gram = recipe->build(problem, inner);
  if (const FactoredOperator* factor = gram->factored()) {
    const Block small = factor->restrict(a, inner), w = small * t;
    KernelProduct product{{}, {}, factor->scorer(w, Block(), {}, inner), std::string(recipe->name)};
    if (product.scorer && product.scorer->features != nullptr && gram->unit() == 1) {
      product.image = factor->lift(small, inner);
      return product;
    }
    recipe = &unstored_recipe();
    gram = recipe->build(problem, inner);
  }
  KernelProduct product{Block(a.rows(), a.cols()),
                        gram->diagonal(inner) * gram->unit(),
                        {},
                        std::string(recipe->name)};
  gram->apply(a, product.image, nullptr, inner);
  product.image *= gram->unit();
  return product;
}

}  // namespace mercer::detail
