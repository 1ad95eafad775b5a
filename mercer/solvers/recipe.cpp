#include "mercer/solvers/recipe.h"

#include "mercer/core/check.h"
#include "mercer/core/error.h"

#include <algorithm>

namespace mercer {

#define MERCER_ENTRY(name, Type) const SolverRecipe& name##_recipe();
#include "mercer/solvers/catalog.def"
#undef MERCER_ENTRY

std::vector<const SolverRecipe*> solver_recipes() {
  return {
#define MERCER_ENTRY(name, Type) &name##_recipe(),
#include "mercer/solvers/catalog.def"
#undef MERCER_ENTRY
  };
}

const SolverRecipe& solver_recipe(std::string_view name) {
  std::vector<std::string> known;
  for (const SolverRecipe* recipe : solver_recipes()) {
    if (recipe->name == name) return *recipe;
    known.emplace_back(recipe->name);
  }
  throw Error(ErrorCode::unknown_name, "unknown solver \"" + std::string(name) + "\"",
              suggest(name, known, "solvers"));
}

namespace {

template <class Trait>
const SolverRecipe& recipe_with(const Trait& trait) {
  const std::vector<const SolverRecipe*> recipes = solver_recipes();
  const auto found = std::ranges::find_if(recipes, trait);
  MERCER_ASSERT(found != recipes.end());
  return **found;
}

}  // namespace

const SolverRecipe& whole_spectrum_recipe() {
  return recipe_with([](const SolverRecipe* recipe) { return recipe->whole_spectrum; });
}

const SolverRecipe& continuing_recipe() {
  return recipe_with([](const SolverRecipe* recipe) { return recipe->goes_on; });
}

SolverChoice solver_choice(std::string_view text) {
  const std::size_t colon = text.find(':');
  const SolverRecipe& recipe = solver_recipe(text.substr(0, colon));
  if (colon == std::string_view::npos) return {recipe, {}};
  const std::string_view wanted = text.substr(colon + 1);
  std::vector<std::string> known;
  for (const std::string_view variant : recipe.variants) {
    if (variant == wanted) return {recipe, variant};
    known.emplace_back(variant);
  }
  if (known.empty())
    throw Error(ErrorCode::unknown_name, std::string(recipe.name) + " has no variants",
                "write --solver " + std::string(recipe.name));
  throw Error(ErrorCode::unknown_name,
              std::string(recipe.name) + " has no variant \"" + std::string(wanted) + "\"",
              suggest(wanted, known, "variants"));
}

}  // namespace mercer
