// dense: reduction to tridiagonal form by LAPACK, all eigenvalues, and vectors for the wanted ones.
// Needs the matrix and O(n^3) operations; complete by construction.
#include "mercer/core/check.h"
#include "mercer/linalg/lapack.h"
#include "mercer/solvers/recipe.h"
#include "mercer/solvers/signs.h"
#include "mercer/solvers/spectrum.h"

namespace mercer {
namespace {

// Beyond this the reduction takes hours on any machine, and 32-bit LAPACK nears its limits.
constexpr Index kLargest = 45000;

std::optional<std::string> refuse(const SolverTask& task) {
  if (task.size > kLargest) return "LAPACK's dense solver stops at 45 000 rows";
  return std::nullopt;
}

Cost cost(const SolverTask& task, const Machine& machine) {
  const auto n = static_cast<double>(task.size), k = static_cast<double>(task.count);
  return {.setup_seconds =
              4.0 / 3.0 * n * n * n / machine.tridiagonal + 4 * n * n * k / machine.gemm_double,
          .pass_seconds = 0,
          .form_seconds = 0,
          .bytes = static_cast<std::uint64_t>(8 * n * n +
                                              SymmetricReduction::bytes(task.size, task.count)),
          .error = n * 0x1p-53};
}

// The residuals are measured by one product.
std::vector<Index> schedule(const SolverTask& task) { return {task.count}; }

EigenResult run(const SymmetricOperator& a, const EigenRequest& request, const Context& context) {
  EigenResult result;
  Block matrix(a.size(), a.size());
  a.form(matrix);
  context.check_cancelled();
  result.trace = matrix.trace();
  context.report("solve", 0);
  const SymmetricReduction reduction(matrix);
  context.check_cancelled();
  const Selection selection = select_pairs(reduction.values(), result.trace, request);
  result.all_values = reduction.values().reverse();
  result.vectors = reduction.vectors(selection.positions);
  result.values.resize(result.vectors.cols());
  for (Index j = 0; j < result.values.size(); ++j)
    result.values[j] = reduction.values()[selection.positions[static_cast<std::size_t>(j)]];
  result.wanted = selection.wanted;
  result.next_value = selection.next_value;
  result.applications = 1;
  fix_signs(result.vectors);
  context.report("solve", 1);
  return result;
}

}  // namespace

const SolverRecipe& dense_recipe() {
  static constexpr SolverRecipe recipe{
      .name = "dense",
      .summary = "LAPACK: the whole spectrum, exact, n^3 operations",
      .refuse = refuse,
      .cost = cost,
      .schedule = schedule,
      .run = run,
      .needs_matrix = true,
      .whole_spectrum = true,
  };
  return recipe;
}

}  // namespace mercer
