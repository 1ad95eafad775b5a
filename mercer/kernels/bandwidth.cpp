#include "mercer/kernels/bandwidth.h"

#include "mercer/core/check.h"
#include "mercer/core/parallel.h"
#include "mercer/core/random.h"
#include "mercer/data/summary.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

namespace mercer {
namespace {

constexpr Index kExactRows = 2000;
constexpr Index kSampledPairs = 1'000'000;
constexpr Index kFewRows = 10;  // fewer have too few distances to speak of how they vary
constexpr Index kChunk = 4096;  // pairs per task

// Squared distances of pairs (i, j) given by their number, in coordinates scaled by a power of two.
// pair_of is asked for rows, row_of for their scaled coordinates.
template <class PairOf, class RowOf>
std::vector<double> squared_distances(Index dim, Index pairs, const Context& context,
                                      PairOf&& pair_of, RowOf&& row_of) {
  std::vector<double> squared(static_cast<std::size_t>(pairs));
  const std::vector<Range> chunks = tiles_of(pairs, kChunk);
  parallel_for(context, static_cast<Index>(chunks.size()), [&](Index task) {
    Vector first(dim), second(dim);  // for rows that must be converted
    const Range chunk = chunks[static_cast<std::size_t>(task)];
    for (Index p = chunk.begin; p < chunk.end; ++p) {
      const std::pair<Index, Index> pair = pair_of(p);
      const Eigen::Map<const Vector> x(row_of(pair.first, first), dim),
          y(row_of(pair.second, second), dim);
      squared[static_cast<std::size_t>(p)] = (x - y).squaredNorm();
    }
  });
  return squared;
}

// Pair number p of the strict upper triangle, row by row from the last: row i has i pairs.
std::pair<Index, Index> triangle_pair(Index p) {
  auto i = static_cast<Index>((1 + std::sqrt(1 + 8 * static_cast<double>(p))) / 2);
  while (i * (i - 1) / 2 > p) --i;
  while ((i + 1) * i / 2 <= p) ++i;
  return {i, p - i * (i - 1) / 2};
}

std::vector<double> all_squared_distances(DataView points, double scale, Index pairs,
                                          const Context& context) {
  const Points scaled = points.to_points() * scale;
  return squared_distances(points.dim(), pairs, context, triangle_pair,
                           [&](Index i, Vector&) { return scaled.row(i).data(); });
}

std::vector<double> sampled_squared_distances(DataView points, double scale, Index pairs,
                                              const Context& context) {
  const Random random(0x6d656469616eULL);  // fixed: the width of a data set is a property of it
  const auto rows = static_cast<std::uint64_t>(points.n());
  const auto pair_of = [&](Index p) {
    const auto draw = static_cast<std::uint64_t>(p);
    const auto i = static_cast<Index>(random.below(rows, 2 * draw));
    const auto j = static_cast<Index>(random.below(rows - 1, 2 * draw + 1));
    return std::pair<Index, Index>{i, j >= i ? j + 1 : j};
  };
  return squared_distances(points.dim(), pairs, context, pair_of, [&](Index i, Vector& row) {
    points.copy_row(i, row.data());
    row *= scale;
    return row.data();
  });
}

double median_of(std::vector<double>& values) {
  const auto middle = values.begin() + static_cast<Index>(values.size() / 2);
  std::ranges::nth_element(values, middle);
  if (values.size() % 2 == 1) return std::sqrt(*middle);
  return (std::sqrt(*middle) + std::sqrt(*std::max_element(values.begin(), middle))) / 2;
}

}  // namespace

Bandwidth median_distance(DataView points, const Context& context) {
  const Index n = points.n();
  require(n >= 2, ErrorCode::too_few_rows, "a median distance needs at least 2 rows");
  const double scale = power_of_two_scale(points, context);
  Bandwidth width;
  width.exact = n <= kExactRows;
  width.pairs = width.exact ? n * (n - 1) / 2 : kSampledPairs;
  std::vector<double> squared =
      width.exact ? all_squared_distances(points, scale, width.pairs, context)
                  : sampled_squared_distances(points, scale, width.pairs, context);

  double mean = 0, square = 0;
  for (const double s : squared) mean += s / static_cast<double>(width.pairs);
  for (const double s : squared)
    square += (s - mean) * (s - mean) / static_cast<double>(width.pairs);
  width.variation = mean > 0 ? std::sqrt(square) / mean : 0;

  const auto zeros = std::erase(squared, 0.0);
  if (squared.empty())
    throw Error(ErrorCode::all_rows_equal,
                fmt::format("all {} rows are identical: nothing to find", n),
                "check that the right columns were read");
  if (static_cast<Index>(zeros) > width.pairs / 2)
    width.warnings.push_back(
        {WarningCode::many_duplicates,
         fmt::format("{:.0f} % of the distances are zero; the width is the median of the others",
                     100.0 * static_cast<double>(zeros) / static_cast<double>(width.pairs))});
  if (width.variation < 0.1 && n >= kFewRows)
    width.warnings.push_back(
        {WarningCode::distances_concentrate,
         fmt::format("squared distances vary by {:.1f} % only: a smaller width may show more",
                     100 * width.variation)});
  width.median = median_of(squared) / scale;
  return width;
}

}  // namespace mercer
