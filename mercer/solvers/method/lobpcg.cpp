// lobpcg: locally optimal block preconditioned conjugate gradients. Each pass multiplies the
// (preconditioned) residuals only, and Rayleigh-Ritz runs over the Ritz vectors, these, and the
// directions of the steps before: nearly as few passes as a growing basis takes, in the memory of
// three blocks. For large tables under a tight limit of memory.
//
//   preconditioned   by the low-rank matrix nearby, where the request has one;
//   plain            residuals as they are.
#include "mercer/solvers/krylov_widths.h"
#include "mercer/solvers/lobpcg_search.h"
#include "mercer/solvers/recipe.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace mercer {
namespace lobpcg_method {
namespace {

constexpr std::array<std::string_view, 2> kVariants{"preconditioned", "plain"};

std::optional<std::string> refuse(const SolverTask& task) {
  if (task.request.open()) return "the number of components is open: the whole spectrum is needed";
  if (task.request.whole_spectrum) return "the policy for negative eigenvalues needs all of them";
  if (task.size < 3 || task.request.count > task.size / 2)
    return "more than half of all components are wanted";
  return std::nullopt;
}

LobpcgWidths widths_of(const SolverTask& task) {
  const KrylovWidths usual = krylov_widths(task);
  EigenRequest request;
  request.count = task.request.count;
  request.search.block = usual.block;
  request.search.first = usual.first;
  return lobpcg_widths(task.size, request);
}

// Measured on Gaussian kernels from a third of the median width to three times it: a quarter more
// passes than a growing basis takes, and two for the proof.
std::vector<Index> schedule(const SolverTask& task) {
  const LobpcgWidths widths = widths_of(task);
  const double digits = -std::log10(std::clamp(task.request.tolerance, 1e-14, 1e-1));
  const double narrow = static_cast<double>(task.request.count) / static_cast<double>(widths.pass);
  const double passes =
      (task.costly_passes() ? 2 + digits / 3.5 : 3.5 + digits * (0.75 + 0.45 * narrow)) -
      (task.request.eigenvalues_only ? 1 : 0);
  std::vector<Index> columns(static_cast<std::size_t>(std::lround(passes)), widths.pass);
  columns.front() = widths.first;
  const bool chance = task.probes();
  if (chance) columns.insert(columns.end(), 2, krylov_widths(task).probes);
  return columns;
}

Cost cost(const SolverTask& task, const Machine& machine) {
  const LobpcgWidths widths = widths_of(task);
  const auto n = static_cast<double>(task.size), basis = static_cast<double>(widths.basis);
  const auto kept = static_cast<double>(widths.kept), pass = static_cast<double>(widths.pass);
  const auto passes = static_cast<double>(schedule(task).size());
  // Per pass: W made orthogonal to the basis in four rounds, the projected matrix, residuals, and
  // vectors and images turned.
  const double work = passes * 2 * n * basis * (9 * pass + 2 * kept + 2 * (kept + pass));
  // Vectors and images, residuals with their parts, W with its copies; probe columns.
  const double bytes =
      8 * n *
      (2 * basis + 2 * kept + 3 * pass + 2 * static_cast<double>(krylov_widths(task).probes));
  return {.setup_seconds = 2 * work / machine.gemm_double / static_cast<double>(machine.threads),
          .bytes = static_cast<std::uint64_t>(bytes),
          .error = task.request.tolerance};
}

EigenResult run(const SymmetricOperator& a, const EigenRequest& request, const Context& context) {
  return LobpcgSearch(a, request, context).run();
}

}  // namespace
}  // namespace lobpcg_method

const SolverRecipe& lobpcg_recipe() {
  using namespace lobpcg_method;
  static constexpr SolverRecipe recipe{
      .name = "lobpcg",
      .summary = "conjugate gradients with blocks: few passes in the memory of three blocks",
      .refuse = refuse,
      .cost = cost,
      .schedule = schedule,
      .run = run,
      .variants = kVariants,
      .uses_near = true,
  };
  return recipe;
}

}  // namespace mercer
