#include "mercer/kernels/nearest_distance.h"

#include "mercer/core/check.h"
#include "mercer/core/parallel.h"
#include "mercer/core/random.h"
#include "mercer/data/summary.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <vector>

namespace mercer {
namespace {

constexpr Index kAllAsked = 2000;    // of so many rows every one is asked for its nearest
constexpr Index kMost = 1000;        // of more rows so many, which errs by a few hundredths
constexpr Index kFewest = 200;       // also of rows so wide that each takes long
constexpr double kNumbers = 2e10;    // that are subtracted at most: seconds
constexpr Index kRowsTogether = 32;  // rows that walk through the table together
constexpr double kNone = std::numeric_limits<double>::infinity();

// The rows that are asked: all, or some of a fixed random order.
std::vector<Index> asked_rows(DataView points) {
  const Index n = points.n();
  std::vector<Index> rows(static_cast<std::size_t>(n));
  std::iota(rows.begin(), rows.end(), Index{0});
  if (n <= kAllAsked) return rows;
  const double each =
      static_cast<double>(n) * static_cast<double>(std::max<Index>(points.dim(), 1));
  const auto count =
      static_cast<Index>(std::clamp(kNumbers / each, double{kFewest}, double{kMost}));
  const Random random(0x6e656172657374ULL);
  for (Index i = 0; i < count; ++i) {
    const auto left = static_cast<std::uint64_t>(n - i);
    const Index other = i + static_cast<Index>(random.below(left, static_cast<std::uint64_t>(i)));
    std::swap(rows[static_cast<std::size_t>(i)], rows[static_cast<std::size_t>(other)]);
  }
  rows.resize(static_cast<std::size_t>(count));
  return rows;
}

// Squared distances of some rows to the nearest that differs, infinite where none does.
void nearest_of(DataView points, double scale, Metric metric, const Index* rows, Index count,
                double* nearest) {
  std::fill_n(nearest, count, kNone);
  const auto keep_smaller = [&](Index row, double squared) {
    if (squared > 0 && squared < nearest[row]) nearest[row] = squared;
  };
  if (points.sparse()) {
    for (Index j = 0; j < points.n(); ++j)
      for (Index r = 0; r < count; ++r)
        keep_smaller(r, sparse_squared_distance(points.sparse_row(rows[r]), points.sparse_row(j),
                                                scale, metric));
    return;
  }
  Points own(count, points.dim());
  for (Index r = 0; r < count; ++r) points.copy_row(rows[r], own.row(r).data());
  own *= scale;
  Eigen::RowVectorXd other(points.dim());
  for (Index j = 0; j < points.n(); ++j) {
    points.copy_row(j, other.data());
    other *= scale;
    for (Index r = 0; r < count; ++r) keep_smaller(r, squared_size(own.row(r) - other, metric));
  }
}

}  // namespace

double mean_nearest_distance(DataView points, const Context& context, Metric metric) {
  require(points.n() >= 2, ErrorCode::too_few_rows, "a nearest distance needs at least 2 rows");
  const double scale = power_of_two_scale(points, context);
  const std::vector<Index> rows = asked_rows(points);
  std::vector<double> nearest(rows.size());
  const std::vector<Range> tiles = tiles_of(static_cast<Index>(rows.size()), kRowsTogether);
  parallel_for(context, static_cast<Index>(tiles.size()), [&](Index task) {
    const Range tile = tiles[static_cast<std::size_t>(task)];
    nearest_of(points, scale, metric, rows.data() + tile.begin, tile.end - tile.begin,
               nearest.data() + tile.begin);
  });
  if (nearest.front() == kNone)
    throw Error(ErrorCode::all_rows_equal,
                fmt::format("all {} rows are identical: nothing to find", points.n()),
                "check that the right columns were read");
  double mean = 0;
  for (const double squared : nearest)
    mean += std::sqrt(squared) / static_cast<double>(nearest.size());
  return mean / scale;
}

}  // namespace mercer
