#include "mercer/models/detail/discriminant/landmark_range.h"

#include "mercer/core/text.h"
#include "mercer/linalg/lapack.h"
#include "mercer/linalg/pick_rows.h"
#include "mercer/linalg/tall.h"
#include "mercer/operators/pivoted_cholesky.h"
#include "mercer/operators/recipe.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace mercer::detail {
namespace {

// Landmarks where nothing else is said: errors of classifiers hardly fall with more, and 20 000
// rows take 160 MB and seconds. A share of the trace takes as many as it needs up to the second.
constexpr Index kLandmarks = 1000, kMostLandmarks = 4000;
// What centring and squaring leave of components below this share of the first is rounding.
constexpr double kLeastComponent = 1e-12;

Index landmarks_for(const Components& rank, Index n) {
  if (rank.is_all()) return n;
  if (rank.share() > 0) return std::min(n, kMostLandmarks);
  return std::min(n, rank.is_automatic() ? kLandmarks : rank.count());
}

MemoryAccount::Hold hold_factor(Index n, Index count, const Context& context) {
  const auto bytes =
      sizeof(double) * static_cast<std::uint64_t>(n) * static_cast<std::uint64_t>(count) +
      3 * sizeof(double) * static_cast<std::uint64_t>(count) * static_cast<std::uint64_t>(count) +
      self_products_bytes(n, count);
  if (bytes <= context.memory_left()) return context.hold(bytes, "the columns of the landmarks");
  throw Error(ErrorCode::over_memory,
              fmt::format("{} landmarks of {} rows need {}, {} are left", grouped(count),
                          grouped(n), mercer::bytes(bytes), mercer::bytes(context.memory_left())),
              "allow more with --memory, or fewer landmarks: --rank COUNT");
}

// The columns of all, or what is left where rows repeat each other.
PivotedCholesky chosen_columns(const SymmetricOperator& gram, Index count, const RangeAsked& asked,
                               const Context& context) {
  CholeskyStart start;
  if (asked.rank.share() > 0)
    start.enough = (1 - asked.rank.share()) * gram.diagonal(context).sum();
  PivotedCholesky chosen = pivoted_cholesky(gram, count, 0x1p-53,
                                            static_cast<std::uint64_t>(asked.seed), context, start);
  if (chosen.factor.cols() > 0) return chosen;
  throw Error(ErrorCode::no_positive_eigenvalue,
              "the kernel has no positive diagonal on these rows",
              "choose another kernel, or --span components");
}

}  // namespace

void check_landmarks(const GramProblem& problem, const RangeAsked& asked) {
  const Index n = problem.points.n();
  if (problem.kernel.definite() != Definite::always)
    throw Error(
        ErrorCode::bad_option_value,
        fmt::format("span = landmarks: {} is not positive semidefinite", problem.kernel.formula()),
        "add --span components");
  if (!asked.rank.is_automatic() && !asked.rank.is_all() && asked.rank.share() == 0 &&
      asked.rank.count() > n)
    throw Error(
        ErrorCode::too_many_components,
        fmt::format("{} landmarks were asked for, there are {} rows", asked.rank.count(), n),
        fmt::format("ask for at most {}", n));
}

KernelRange landmark_range(const GramProblem& problem, const RangeAsked& asked,
                           const Context& context) {
  const Index n = problem.points.n(), most = landmarks_for(asked.rank, n);
  const MemoryAccount::Hold held = hold_factor(n, most, context);
  const auto gram = unstored_recipe().build(problem, context);
  PivotedCholesky chosen = chosen_columns(*gram, most, asked, context);
  KernelRange range;
  range.landmarks = std::move(chosen.pivots);
  range.basis = std::move(chosen.factor);
  const double root = std::sqrt(gram->unit());
  if (root != 1) range.basis *= root;
  range.at_landmarks = pick_rows(range.basis, range.landmarks);
  range.mean = range.basis.colwise().mean();
  range.basis.rowwise() -= range.mean.transpose();

  Block small = self_products(range.basis, context);
  const SymmetricReduction reduction(small, context);
  const Vector& values = reduction.values();  // ascending
  const Index all = values.size();
  Index kept = 0;
  while (kept < all && values[all - 1 - kept] > kLeastComponent * values[all - 1]) ++kept;
  if (kept == 0 || !(values[all - 1] > 0))
    throw Error(ErrorCode::no_positive_eigenvalue, "the kernel is constant on these rows",
                "choose a smaller width");
  std::vector<Index> positions(static_cast<std::size_t>(kept));
  for (Index j = 0; j < kept; ++j) positions[static_cast<std::size_t>(j)] = all - 1 - j;
  range.turn = reduction.vectors(positions);
  range.mu = values.tail(kept).reverse();
  range.turn *= range.mu.cwiseSqrt().cwiseInverse().asDiagonal();
  range.trace = range.mu.sum();
  const double left = chosen.left * gram->unit();
  range.share = range.trace / (range.trace + left);
  range.whole = left <= 1e-9 * range.trace;
  return range;
}

}  // namespace mercer::detail
