#include "mercer/operators/recipe.h"

#include "mercer/core/check.h"
#include "mercer/core/error.h"

#include <algorithm>

namespace mercer {

#define MERCER_ENTRY(name, Type) const OperatorRecipe& name##_recipe();
#include "mercer/operators/catalog.def"
#undef MERCER_ENTRY

std::vector<const OperatorRecipe*> operator_recipes() {
  return {
#define MERCER_ENTRY(name, Type) &name##_recipe(),
#include "mercer/operators/catalog.def"
#undef MERCER_ENTRY
  };
}

const OperatorRecipe& operator_recipe(std::string_view name) {
  std::vector<std::string> known;
  for (const OperatorRecipe* recipe : operator_recipes()) {
    if (recipe->name == name) return *recipe;
    known.emplace_back(recipe->name);
  }
  throw Error(ErrorCode::unknown_name, "unknown operator \"" + std::string(name) + "\"",
              suggest(name, known, "operators"));
}

const OperatorRecipe& unstored_recipe() {
  const std::vector<const OperatorRecipe*> recipes = operator_recipes();
  const auto found = std::ranges::find_if(
      recipes, [](const OperatorRecipe* recipe) { return recipe->stores_nothing; });
  MERCER_ASSERT(found != recipes.end());
  return **found;
}

}  // namespace mercer
