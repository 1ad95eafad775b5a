#include "mercer/models/detail/ekpca/patterns.h"

#include "mercer/core/parallel.h"
#include "mercer/core/random.h"
#include "mercer/operators/gram_tiles.h"
#include "mercer/operators/pivoted_cholesky.h"
#include "mercer/operators/recipe.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <queue>
#include <span>
#include <utility>

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

// Makes rows centred and of length 1; their lengths before, 0 where nothing was left.
Vector make_unit(Points& columns, bool centred, const Context& context) {
  Vector lengths(columns.rows());
  const std::vector<Range> parts = tiles_of(columns.rows(), kTaskRows);
  parallel_for(context, static_cast<Index>(parts.size()), [&](Index t) {
    const Range part = parts[static_cast<std::size_t>(t)];
    for (Index i = part.begin; i < part.end; ++i) {
      auto row = columns.row(i);
      const double before = row.norm();
      if (centred) row.array() -= row.mean();
      constexpr double kNothing = 1e-14;  // of a column that is constant, rounding is left
      const double own = row.norm();
      lengths[i] = own > kNothing * before ? own : 0;
      if (lengths[i] > 0) row /= own;
    }
  });
  return lengths;
}

// Largest likenesses to the patterns taken so far, looked at only where they may be the smallest:
// one that was right for fewer patterns can but grow, so a row is compared with the patterns it has
// not met when it comes first, and waits again.
class LeastAlike {
 public:
  LeastAlike(const Points& columns, const Vector& lengths) : columns_(columns) {
    met_.assign(static_cast<std::size_t>(columns.rows()), 0);
    for (Index i = 0; i < columns.rows(); ++i)
      if (lengths[i] > 0) waiting_.push({0, i});
  }

  struct Row {
    double likeness = 1;
    Index number = -1;  // -1: none is left
    bool operator>(const Row& other) const {
      return likeness != other.likeness ? likeness > other.likeness : number > other.number;
    }
  };

  Row next(const std::vector<Index>& taken, const Context& context) {
    constexpr Index kPatience = 4096;  // rows between two questions whether to stop
    for (Index looked = 0; !waiting_.empty(); ++looked) {
      if (looked % kPatience == 0) context.check_cancelled();
      Row row = waiting_.top();
      std::size_t& met = met_[static_cast<std::size_t>(row.number)];
      if (met == taken.size()) return row;
      waiting_.pop();
      for (; met < taken.size(); ++met)
        row.likeness = std::max(row.likeness,
                                std::abs(columns_.row(row.number).dot(columns_.row(taken[met]))));
      waiting_.push(row);
    }
    return {};
  }
  void take_first() { waiting_.pop(); }

 private:
  const Points& columns_;
  std::vector<std::size_t> met_;
  std::priority_queue<Row, std::vector<Row>, std::greater<>> waiting_;
};

void take_unlike(const Points& columns, const Vector& lengths, const PatternRequest& request,
                 Patterns& found, const Context& context) {
  const auto enough = static_cast<std::size_t>(
      request.count > 0 ? std::min(request.count, columns.rows()) : columns.rows());
  LeastAlike rest(columns, lengths);
  std::vector<double> likeness;
  Index first = 0;
  if (lengths.maxCoeff(&first) > 0) {
    found.rows.push_back(first);
    likeness.push_back(0);
  }
  for (;;) {
    context.report("patterns", request.count > 0 ? static_cast<double>(found.rows.size()) /
                                                       static_cast<double>(enough)
                                                 : found.left / request.threshold);
    const LeastAlike::Row row = rest.next(found.rows, context);
    found.left = std::min(1.0, row.likeness);
    if (row.number < 0 || found.left >= request.threshold || found.rows.size() >= enough) break;
    rest.take_first();
    if (row.number == first) continue;
    found.rows.push_back(row.number);
    likeness.push_back(row.likeness);
  }
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

constexpr Index kAtOnce = 64;  // columns that are computed together

MemoryAccount::Hold hold_columns(Index numbers, const Context& context) {
  try {
    return context.hold(sizeof(double) * static_cast<std::uint64_t>(numbers),
                        "columns of the kernel matrix");
  } catch (const Error& error) {
    throw Error(error.code(), error.message(),
                error.hint() + ", or look at columns at fewer rows: --column_rows", error.place());
  }
}

// What is kept of every row: its values at the rows that are looked at. With them, the trace of the
// centred matrix.
void look_at_columns(const GramProblem& problem, const std::vector<Index>& seen, Points& columns,
                     Patterns& found, const Context& context) {
  const GramTiles<double> tiles(problem, context);
  const Index n = problem.points.n(), count = static_cast<Index>(seen.size());
  double sum = 0;
  Block part;
  for (const Range some : tiles_of(count, kAtOnce)) {
    part.resize(n, some.size());
    tiles.columns(std::span(seen).subspan(static_cast<std::size_t>(some.begin),
                                          static_cast<std::size_t>(some.size())),
                  part, context);
    sum += part.sum();
    if (columns.cols() > 0) columns.middleCols(some.begin, some.size()) = part;
  }
  found.trace = tiles.unit() * (tiles.diagonal().sum() - sum / static_cast<double>(count));
}

}  // namespace

Patterns choose_patterns(const GramProblem& problem, const PatternRequest& request,
                         const Context& context) {
  const Index n = problem.points.n();
  const std::vector<Index> seen = sample_of(n, request.sampled, request.seed);
  const bool drawn = request.rule == PatternRule::random || request.rule == PatternRule::cholesky;
  const auto kept = drawn ? Index{0} : static_cast<Index>(seen.size());
  const MemoryAccount::Hold held =
      hold_columns(n * (kept + kAtOnce + problem.points.dim()), context);
  Points columns(n, kept);
  Patterns found;
  look_at_columns(problem, seen, columns, found, context);
  if (request.rule == PatternRule::random) {
    found.rows = sample_of(n, request.count, request.seed);
  } else if (request.rule == PatternRule::cholesky) {
    found.rows = pivots_of(problem, request, context);
  } else {
    const Vector lengths = make_unit(columns, request.rule == PatternRule::correlation, context);
    take_unlike(columns, lengths, request, found, context);
  }
  return found;
}

}  // namespace mercer::detail
