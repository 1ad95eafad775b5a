// lanczos: the leading eigenpairs from products with single vectors, in a basis that stays small by
// thick restarts. Fewest products in all, and the least memory beside power iteration; but each
// product is a pass over the matrix, so it pays where a product with one vector is cheap. Variants
// say how the basis is kept orthogonal: full, partial (Simon), selective (Parlett and Scott), or
// none, which shows why it must be.
#include "mercer/solvers/lanczos_search.h"
#include "mercer/solvers/recipe.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace mercer {
namespace lanczos_method {
namespace {

constexpr Index kSmallest = 3;
constexpr Index kProbes = 32;  // columns of the proof
constexpr std::array<std::string_view, 4> kVariants = {"full", "partial", "selective", "none"};

std::optional<std::string> refuse(const SolverTask& task) {
  if (task.request.open()) return "the number of components is open: the whole spectrum is needed";
  if (task.request.whole_spectrum) return "the policy for negative eigenvalues needs all of them";
  if (task.size < kSmallest || task.request.count > task.size / 2)
    return "more than half of all components are wanted";
  return std::nullopt;
}

// Steps measured on Gaussian kernels of median width, 1000 points, at 1e-6: in 3 dimensions 17, 26,
// 33 and 68 for 5, 10, 20 and 50 components; in 16, 30, 31 and 60 for 5, 10 and 20. Then the true
// product, and passes of probes: none to two where the spectrum falls fast, up to a dozen where the
// gap behind the last component is small.
std::vector<Index> schedule(const SolverTask& task) {
  const double digits = -std::log10(std::clamp(task.request.tolerance, 1e-14, 1e-1));
  const auto count = static_cast<double>(task.request.count);
  const auto steps = static_cast<Index>(std::lround(4 + 1.8 * count + digits * (1 + 0.02 * count)));
  std::vector<Index> columns(static_cast<std::size_t>(std::min(steps, task.size)), 1);
  columns.push_back(lanczos_widths(task.size, task.request.count).given);
  if (task.probes()) columns.insert(columns.end(), 2, std::min(kProbes, task.size));
  return columns;
}

Cost cost(const SolverTask& task, const Machine& machine) {
  const auto n = static_cast<double>(task.size);
  const LanczosWidths widths = lanczos_widths(task.size, task.request.count);
  const auto basis = static_cast<double>(widths.basis), given = static_cast<double>(widths.given);
  const double steps = static_cast<double>(schedule(task).size());
  // Two sweeps of two operations on each number of the basis, bound by memory; restarts.
  const double seconds = steps * 4 * 8 * n * basis / machine.bandwidth +
                         steps / basis * 2 * n * basis * basis / machine.gemm_double;
  const double proof = 2 * given + 6 * static_cast<double>(std::min(kProbes, task.size));
  return {.setup_seconds = seconds,
          .bytes = static_cast<std::uint64_t>(8 * n * (basis + 2 + 2 * given + proof)),
          .error = task.request.tolerance};
}

EigenResult run(const SymmetricOperator& a, const EigenRequest& request, const Context& context) {
  return LanczosSearch(a, request, context).run();
}

}  // namespace
}  // namespace lanczos_method

const SolverRecipe& lanczos_recipe() {
  using namespace lanczos_method;
  static constexpr SolverRecipe recipe{
      .name = "lanczos",
      .summary = "few products with single vectors, small memory; for cheap products",
      .refuse = refuse,
      .cost = cost,
      .schedule = schedule,
      .run = run,
      .variants = kVariants,
  };
  return recipe;
}

}  // namespace mercer
