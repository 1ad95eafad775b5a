// block_krylov: the leading eigenpairs from a few products with blocks of vectors. The basis grows
// by one block per pass, is kept orthonormal in full, and Ritz pairs and their true residuals are
// known after every pass. Two regimes: cheap passes (the matrix is stored) start from random
// columns and go on with the Krylov block; costly passes (the matrix is recomputed) start wide from
// the eigenvectors of a low-rank matrix nearby and go on with preconditioned residuals. It ends
// when the residuals (or the enclosures) are as asked and a certificate shows that no eigenvalue
// was missed: a block narrower than a multiplicity misses copies with perfect residuals.
#include "mercer/solvers/krylov_search.h"
#include "mercer/solvers/recipe.h"

#include <algorithm>
#include <cmath>

namespace mercer {
namespace block_krylov_method {
namespace {

// Beyond this share of the rows the basis is no longer small and the dense solver is cheaper.
constexpr Index kSmallest = 3;

// Columns of a first pass that landmarks make narrow, as met in measured data: so many per
// component, and so many beside.
constexpr double kNarrowShare = 2;
constexpr Index kNarrowColumns = 4;

std::optional<std::string> refuse(const SolverTask& task) {
  if (task.request.open()) return "the number of components is open: the whole spectrum is needed";
  if (task.request.whole_spectrum) return "the policy for negative eigenvalues needs all of them";
  if (task.size < kSmallest || task.request.count > task.size / 2)
    return "more than half of all components are wanted";
  return std::nullopt;
}

// Columns of each pass, from the pass counts of docs/reference/solvers.md: a digit of the residual
// takes about 1.1 passes when blocks are as wide as the number of components, more when they are
// narrower.
std::vector<Index> schedule(const SolverTask& task) {
  const KrylovWidths widths = krylov_widths(task);
  const double digits = -std::log10(std::clamp(task.request.tolerance, 1e-14, 1e-1));
  std::vector<Index> columns;
  const auto k = static_cast<double>(task.request.count);
  if (task.narrow && !task.decays) {
    const auto first =
        std::min(widths.first, static_cast<Index>(kNarrowShare * k) + kNarrowColumns);
    const double passes =
        task.request.eigenvalues_only ? 1 + digits / 6 : 1 + digits * (0.225 + k / 110);
    columns.assign(static_cast<std::size_t>(std::max(2L, std::lround(passes))), task.request.count);
    columns.front() = first;
    return columns;
  }
  if (task.costly_passes()) {
    const auto passes = static_cast<Index>(
        std::lround(task.request.eigenvalues_only ? 1 + digits / 6 : 1.5 + digits / 4));
    for (Index i = 0; i < std::max<Index>(2, passes); ++i)
      columns.push_back((i == 0 ? widths.first : task.request.count) +
                        (widths.ride && i < 2 ? widths.probes : 0));
    if (!widths.ride && !task.decays && task.request.certify != Certify::none)
      columns.push_back(widths.probes);
    return columns;
  }
  const double narrow = k / static_cast<double>(widths.block);
  const auto passes =
      static_cast<Index>(std::lround((task.request.eigenvalues_only ? 2 : 3) +
                                     digits * (0.6 + (narrow > 2 ? 0.5 : 0.35) * narrow)));
  columns.assign(static_cast<std::size_t>(passes), widths.block);
  if (task.probes()) columns.push_back(widths.probes);
  return columns;
}

Cost cost(const SolverTask& task, const Machine& machine) {
  const auto n = static_cast<double>(task.size);
  double basis = 0, widest = 0;
  double work = 0, small = 0;
  for (const Index columns : schedule(task)) {
    const auto b = static_cast<double>(columns);
    // Orthogonalisation, then residuals of the wanted pairs; and the small problem of the basis.
    work += 2 * n * b * (6 * (basis + b) + static_cast<double>(task.request.count));
    basis += b;
    work += 4 * n * basis * static_cast<double>(task.request.count);
    small += 20 * basis * basis * basis;
    widest = std::max(widest, b);
  }
  // Basis and images, the block of a pass with its image and two copies, probe columns.
  const auto probes = static_cast<double>(krylov_widths(task).probes);
  const double bytes = 8 * n * (2 * basis + 4 * widest + 2 * probes);
  // Skinny products run at half the speed of large ones.
  return {.setup_seconds = 2 * work / machine.gemm_double / static_cast<double>(machine.threads) +
                           small / machine.tridiagonal,
          .bytes = static_cast<std::uint64_t>(bytes),
          .error = task.request.tolerance};
}

EigenResult run(const SymmetricOperator& a, const EigenRequest& request, const Context& context) {
  return KrylovSearch(a, request, context).run();
}

}  // namespace
}  // namespace block_krylov_method

const SolverRecipe& block_krylov_recipe() {
  using namespace block_krylov_method;
  static constexpr SolverRecipe recipe{
      .name = "block_krylov",
      .summary = "leading pairs from few products with blocks; proves that none is missing",
      .refuse = refuse,
      .cost = cost,
      .schedule = schedule,
      .run = run,
      .planned_widths = true,
      .uses_near = true,
      .goes_on = true,
  };
  return recipe;
}

}  // namespace mercer
