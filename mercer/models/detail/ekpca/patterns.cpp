#include "mercer/models/detail/ekpca/patterns.h"

#include "mercer/core/parallel.h"
#include "mercer/core/random.h"
#include "mercer/linalg/blas.h"
#include "mercer/operators/gram_tiles.h"
#include "mercer/operators/pivoted_cholesky.h"
#include "mercer/operators/recipe.h"

#include <algorithm>
#include <numeric>

namespace mercer::detail {
namespace {

constexpr Index kTaskRows = 4096;  // of columns that are compared at once

// Evenly drawn, each once, in their order; all of them where there are no more.
std::vector<Index> sample_of(Index n, Index count, std::uint64_t seed) {
  std::vector<Index> rows(static_cast<std::size_t>(n));
  std::iota(rows.begin(), rows.end(), Index{0});
  if (count >= n) return rows;
  const Random random(seed);
  std::ranges::stable_sort(rows, {},
                           [&](Index i) { return random.bits(static_cast<std::uint64_t>(i)); });
  rows.resize(static_cast<std::size_t>(count));
  std::ranges::sort(rows);
  return rows;
}

// Makes rows of the block centred and of length 1; their lengths before, 0 where nothing was left.
Vector make_unit(Block& columns, bool centred, const Context& context) {
  Vector lengths(columns.rows());
  const std::vector<Range> parts = tiles_of(columns.rows(), kTaskRows);
  parallel_for(context, static_cast<Index>(parts.size()), [&](Index t) {
    const Range part = parts[static_cast<std::size_t>(t)];
    auto rows = columns.middleRows(part.begin, part.size());
    const Vector before = rows.rowwise().norm();
    if (centred) rows.colwise() -= Vector(rows.rowwise().mean());
    Vector own = rows.rowwise().norm();
    constexpr double kNothing = 1e-14;  // of a column that is constant, rounding is left
    own = (own.array() > kNothing * before.array()).select(own, 0.0);
    lengths.segment(part.begin, part.size()) = own;
    rows.array().colwise() *= (own.array() > 0).select(own.array().inverse(), 0.0);
  });
  return lengths;
}

// Raises what is known of every row by its likeness to a pattern that was just taken.
void compare(const Block& columns, Index pattern, Vector& most, const Context& context) {
  const Vector own = columns.row(pattern);
  const std::vector<Range> parts = tiles_of(columns.rows(), kTaskRows);
  parallel_for(context, static_cast<Index>(parts.size()), [&](Index t) {
    const Range part = parts[static_cast<std::size_t>(t)];
    Vector likeness(part.size());
    gemv(Transpose::no, 1.0, columns.middleRows(part.begin, part.size()), own.data(), 0.0,
         likeness.data());
    auto known = most.segment(part.begin, part.size());
    known = known.cwiseMax(likeness.cwiseAbs());
  });
}

void take_unlike(Block& columns, const PatternRequest& request, Patterns& found,
                 const Context& context) {
  const Index n = columns.rows();
  const Vector lengths = make_unit(columns, request.rule == PatternRule::correlation, context);
  // A row without a column to compare is like every other.
  constexpr double kTaken = 2;
  Vector most = (lengths.array() > 0).select(Vector::Zero(n), kTaken);
  const Index enough = request.count > 0 ? std::min(request.count, n) : n;
  std::vector<double> likeness;
  Index next = 0;
  found.left = lengths.maxCoeff(&next) > 0 ? 0 : 1;
  while (found.left < request.threshold && static_cast<Index>(found.rows.size()) < enough) {
    context.check_cancelled();
    context.report("patterns", request.count > 0 ? static_cast<double>(found.rows.size()) /
                                                       static_cast<double>(enough)
                                                 : found.left / request.threshold);
    found.rows.push_back(next);
    likeness.push_back(found.left);
    compare(columns, next, most, context);
    most[next] = kTaken;
    found.left = most.minCoeff(&next);
  }
  found.left = std::min(1.0, found.left);
  found.likeness = Eigen::Map<const Vector>(likeness.data(), static_cast<Index>(likeness.size()));
}

// Of the matrix as it is: the diagonal of a centred one is not known before.
std::vector<Index> pivots_of(const GramProblem& problem, const PatternRequest& request,
                             const Context& context) {
  Context inner = context;
  inner.budget.precision = Precision::double_;
  GramProblem plain = problem;
  plain.center = false;
  plain.facts.frame = nullptr;
  const MemoryAccount::Hold held = context.hold(
      2 * sizeof(double) * static_cast<std::uint64_t>(problem.points.n() * request.count),
      "columns of the kernel matrix");
  const auto gram = unstored_recipe().build(plain, inner);
  const double entry = entry_error(problem.kernel, frame_of(plain, context), problem.points.dim(),
                                   Precision::double_);
  return pivoted_cholesky(*gram, request.count, entry, request.seed, inner).pivots;
}

}  // namespace

Patterns choose_patterns(const GramProblem& problem, const PatternRequest& request,
                         const Context& context) {
  const Index n = problem.points.n();
  const std::vector<Index> seen = sample_of(n, request.sampled, request.seed);
  const auto numbers = n * (static_cast<Index>(seen.size()) + problem.points.dim() + 4);
  const MemoryAccount::Hold held = context.hold(
      sizeof(double) * static_cast<std::uint64_t>(numbers), "columns of the kernel matrix");
  Block columns(n, static_cast<Index>(seen.size()));
  Patterns found;
  {
    const GramTiles<double> tiles(problem, context);
    tiles.columns(seen, columns, context);
    found.trace = tiles.unit() * (tiles.diagonal().sum() - static_cast<double>(n) * columns.mean());
  }
  if (request.rule == PatternRule::random)
    found.rows = sample_of(n, request.count, request.seed);
  else if (request.rule == PatternRule::cholesky)
    found.rows = pivots_of(problem, request, context);
  else
    take_unlike(columns, request, found, context);
  return found;
}

}  // namespace mercer::detail
