// dense: reduction to tridiagonal form, all eigenvalues, and vectors for the wanted ones. Needs the
// matrix and O(n^3) operations; complete by construction.
//
// When the time is over in the middle, the columns reduced so far are a Krylov space (see
// linalg/tridiagonal.h): its Ritz pairs with their residuals are the answer then.
#include "mercer/core/check.h"
#include "mercer/core/text.h"
#include "mercer/linalg/lapack.h"
#include "mercer/solvers/recipe.h"
#include "mercer/solvers/signs.h"
#include "mercer/solvers/spectrum.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace mercer {
namespace dense_method {
namespace {

// Beyond this the reduction takes hours on any machine, and 32-bit LAPACK nears its limits.
constexpr Index kLargest = 45000;

// What working up an answer may take once the time is over: operations, and a share of those that
// the reduction took.
constexpr double kAfterwards = 2e9, kAfterwardsShare = 0.1;

std::optional<std::string> refuse(const SolverTask& task) {
  if (task.size > kLargest) return "the dense solver stops at 45 000 rows";
  return std::nullopt;
}

// How much faster more threads are: the reduction shares the way to memory, and below 1000 rows it
// hardly pays to wake them.
double speedup(Index n, Index threads) {
  return n < 1000 ? 1 : 1 + 0.7 * static_cast<double>(std::min<Index>(threads, 8) - 1);
}

Cost cost(const SolverTask& task, const Machine& machine) {
  const auto n = static_cast<double>(task.size), k = static_cast<double>(task.request.count);
  const double work =
      4.0 / 3.0 * n * n * n / machine.tridiagonal + 4 * n * n * k / machine.gemm_double;
  return {.setup_seconds = work / speedup(task.size, machine.threads),
          .pass_seconds = 0,
          .form_seconds = 0,
          .bytes = static_cast<std::uint64_t>(
              8 * n * n + SymmetricReduction::bytes(task.size, task.request.count)),
          .error = n * 0x1p-53};
}

// The residuals are measured by one product.
std::vector<Index> schedule(const SolverTask& task) { return {task.request.count}; }

// How many vectors may still be made when the time is over.
Index affordable(Index n, Index steps) {
  const auto size = static_cast<double>(n), left = static_cast<double>(n - steps);
  const double reduction = 4.0 / 3.0 * (size * size * size - left * left * left);
  const double each = 4 * size * static_cast<double>(steps);
  return std::max<Index>(1,
                         static_cast<Index>((kAfterwards + kAfterwardsShare * reduction) / each));
}

void take_pairs(EigenResult& result, const SymmetricReduction& reduction,
                const Selection& selection, Block vectors) {
  result.vectors = std::move(vectors);
  result.values.resize(result.vectors.cols());
  for (Index j = 0; j < result.values.size(); ++j)
    result.values[j] = reduction.values()[selection.positions[static_cast<std::size_t>(j)]];
  result.wanted = selection.wanted;
  result.spectrum.next_value = selection.next_value;
  fix_signs(result.vectors);
}

void cut_short(Selection& selection, const Vector& values, Index count) {
  if (static_cast<Index>(selection.positions.size()) <= count) return;
  selection.next_value = values[selection.positions[static_cast<std::size_t>(count)]];
  selection.positions.resize(static_cast<std::size_t>(count));
}

// The time was over during the reduction. Of all pairs, or of a share, those are kept whose
// residuals are within the tolerance; of a count, all.
void take_ritz_pairs(EigenResult& result, const SymmetricReduction& reduction,
                     const EigenRequest& request, Index n) {
  const Index steps = reduction.steps();
  EigenRequest leading = request;
  // What the rest of a spectrum of both signs adds up to is not known.
  if (request.share > 0 && !request.matrix.positive) {
    leading.share = 0;
    leading.all = true;
  }
  Selection selection = select_pairs(reduction.values(), result.spectrum.trace, leading);
  cut_short(selection, reduction.values(), affordable(n, steps));
  SymmetricReduction::Found found = reduction.found(selection.positions);
  const double largest = reduction.values().cwiseAbs().maxCoeff();
  // Residuals as large as the values themselves are no answer.
  if (found.residuals.size() == 0 || found.residuals[0] >= largest)
    throw Error(ErrorCode::out_of_time, "the time allowed ran out before there was an answer",
                "allow more with --time, or fit on fewer rows");
  if (request.all || request.share > 0) {
    Index kept = 1;
    while (kept < found.residuals.size() && found.residuals[kept] <= request.tolerance * largest)
      ++kept;
    cut_short(selection, reduction.values(), kept);
    found.vectors.conservativeResize(Eigen::NoChange, kept);
    found.residuals.conservativeResize(kept);
  }
  take_pairs(result, reduction, selection, std::move(found.vectors));
  result.spectrum.lowest_value = reduction.values()[0];
  result.converged = false;
  result.stop = {StopReason::time_in_reduction, steps, n};
  result.certificate.reason = result.stop.words();
  result.certificate.residuals =
      found.residuals.array() / largest + static_cast<double>(n) * 0x1p-53;
  result.certificate.eigenvalue_upper =
      Vector::Constant(result.values.size(), std::numeric_limits<double>::infinity());
  result.certificate.angle = std::numeric_limits<double>::infinity();
}

// All eigenvalues are known; where the time is over before their vectors are, there are fewer.
void take_eigenpairs(EigenResult& result, SymmetricReduction& reduction,
                     const EigenRequest& request) {
  Selection selection = select_pairs(reduction.values(), result.spectrum.trace, request);
  result.spectrum.all_values = reduction.values().reverse();
  result.spectrum.reachable = selection.reachable;
  Block vectors;
  try {
    vectors = reduction.vectors(selection.positions);
  } catch (const Error& error) {
    if (error.code() != ErrorCode::out_of_time) throw;
    reduction.go_on_untimed();
    cut_short(selection, reduction.values(), affordable(reduction.steps(), reduction.steps()));
    vectors = reduction.vectors(selection.positions);
    result.converged = false;
    result.stop = {StopReason::time_in_vectors};
  }
  take_pairs(result, reduction, selection, std::move(vectors));
}

EigenResult run(const SymmetricOperator& a, const EigenRequest& request, const Context& context) {
  EigenResult result;
  Block matrix(a.size(), a.size());
  a.form(matrix, context);
  context.check_cancelled();
  result.spectrum.trace = matrix.trace();
  context.report("solve", 0);
  SymmetricReduction reduction(matrix, context, WhenLate::keep);
  if (reduction.complete())
    take_eigenpairs(result, reduction, request);
  else
    take_ritz_pairs(result, reduction, request, a.size());
  result.applications = 1;
  context.report("solve", 1);
  return result;
}

}  // namespace
}  // namespace dense_method

const SolverRecipe& dense_recipe() {
  using namespace dense_method;
  static constexpr SolverRecipe recipe{
      .name = "dense",
      .summary = "reduction to tridiagonal form: the whole spectrum, exact, n^3 operations",
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
