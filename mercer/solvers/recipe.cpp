#include "mercer/solvers/recipe.h"

#include "mercer/core/error.h"

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

}  // namespace mercer
