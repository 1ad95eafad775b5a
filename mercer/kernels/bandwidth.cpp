#include "mercer/kernels/bandwidth.h"

#include "mercer/core/check.h"
#include "mercer/core/parallel.h"
#include "mercer/core/random.h"
#include "mercer/data/summary.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

namespace mercer {
namespace {

// Of so many rows all pairs are taken, two million at most; of more rows a million random pairs,
// whose median is that of all to about a thousandth.
constexpr Index kExactRows = 2000;
constexpr Index kSampledPairs = 1'000'000;
constexpr Index kFewRows = 10;  // of fewer rows the distances are too few to tell how they vary
constexpr Index kChunk = 4096;  // pairs per task

// Squared distances of pairs (i, j) given by their number. pair_of is asked for rows, make_distance
// for a function of two rows that may keep work space of its own.
template <class PairOf, class MakeDistance>
std::vector<double> squared_distances(Index pairs, const Context& context, PairOf&& pair_of,
                                      MakeDistance&& make_distance) {
  std::vector<double> squared(static_cast<std::size_t>(pairs));
  const std::vector<Range> chunks = tiles_of(pairs, kChunk);
  parallel_for(context, static_cast<Index>(chunks.size()), [&](Index task) {
    auto distance = make_distance();
    const Range chunk = chunks[static_cast<std::size_t>(task)];
    for (Index p = chunk.begin; p < chunk.end; ++p) {
      const std::pair<Index, Index> pair = pair_of(p);
      squared[static_cast<std::size_t>(p)] = distance(pair.first, pair.second);
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

// Of more numbers than these a copy would count as memory.
bool worth_copying(DataView points) { return points.n() * points.dim() <= Index{1} << 22; }

// Between rows of a copy, which need not be fetched for each pair.
template <class PairOf>
std::vector<double> copied_squared_distances(DataView points, double scale, Metric metric,
                                             Index pairs, const Context& context,
                                             PairOf&& pair_of) {
  Points scaled = points.to_points();
  scaled *= scale;
  return squared_distances(pairs, context, pair_of, [&] {
    return [&](Index i, Index j) { return squared_size(scaled.row(i) - scaled.row(j), metric); };
  });
}

std::vector<double> all_squared_distances(DataView points, double scale, Metric metric, Index pairs,
                                          const Context& context) {
  if (worth_copying(points))
    return copied_squared_distances(points, scale, metric, pairs, context, triangle_pair);
  return squared_distances(pairs, context, triangle_pair, [&] {
    return [&, first = Vector(points.dim()), second = Vector(points.dim()), at = Index{-1}](
               Index i, Index j) mutable {
      if (i != at) points.copy_row(i, first.data()), first *= scale;
      at = i;
      points.copy_row(j, second.data());
      second *= scale;
      return squared_size(first - second, metric);
    };
  });
}

// Pair number p of a fixed random sequence: the width of a data set is a property of it.
auto random_pairs(Index n) {
  return [random = Random(0x6d656469616eULL), rows = static_cast<std::uint64_t>(n)](Index p) {
    const auto draw = static_cast<std::uint64_t>(p);
    const auto i = static_cast<Index>(random.below(rows, 2 * draw));
    const auto j = static_cast<Index>(random.below(rows - 1, 2 * draw + 1));
    return std::pair<Index, Index>{i, j >= i ? j + 1 : j};
  };
}

// Bytes: the same numbers from whole ones, several times faster.
double byte_distance(const unsigned char* x, const unsigned char* y, Index dim, double scale) {
  constexpr Index kPart = 32768;  // 255^2 times this is less than 2^31
  double total = 0;
  for (Index begin = 0; begin < dim; begin += kPart) {
    const Index end = std::min(dim, begin + kPart);
    std::int32_t sum = 0;
    for (Index k = begin; k < end; ++k) {
      const std::int32_t difference = std::int32_t{x[k]} - std::int32_t{y[k]};
      sum += difference * difference;
    }
    total += sum;
  }
  return total * scale * scale;
}

std::vector<double> sampled_squared_distances(DataView points, double scale, Metric metric,
                                              Index pairs, const Context& context) {
  const Index dim = points.dim();
  if (points.contiguous_rows() && metric == Metric::euclidean && points.type() == Scalar::u8) {
    const auto* bytes = static_cast<const unsigned char*>(points.data());
    return squared_distances(pairs, context, random_pairs(points.n()), [&] {
      return [&](Index i, Index j) {
        return byte_distance(bytes + i * dim, bytes + j * dim, dim, scale);
      };
    });
  }
  if (worth_copying(points))
    return copied_squared_distances(points, scale, metric, pairs, context,
                                    random_pairs(points.n()));
  return squared_distances(pairs, context, random_pairs(points.n()), [&] {
    return
        [&, first = Vector(points.dim()), second = Vector(points.dim())](Index i, Index j) mutable {
          points.copy_row(i, first.data());
          points.copy_row(j, second.data());
          first = first * scale - second * scale;
          return squared_size(first, metric);
        };
  });
}

std::vector<double> sparse_squared_distances(DataView points, double scale, Metric metric,
                                             bool exact, Index pairs, const Context& context) {
  const auto distance = [&] {
    return [&](Index i, Index j) {
      return sparse_squared_distance(points.sparse_row(i), points.sparse_row(j), scale, metric);
    };
  };
  if (exact) return squared_distances(pairs, context, triangle_pair, distance);
  return squared_distances(pairs, context, random_pairs(points.n()), distance);
}

double median_of(std::vector<double>& values) {
  const auto middle = values.begin() + static_cast<Index>(values.size() / 2);
  std::ranges::nth_element(values, middle);
  if (values.size() % 2 == 1) return std::sqrt(*middle);
  return (std::sqrt(*middle) + std::sqrt(*std::max_element(values.begin(), middle))) / 2;
}

// What is looked at of so many rows.
Bandwidth width_of_rows(Index n) {
  require(n >= 2, ErrorCode::too_few_rows, "a median distance needs at least 2 rows");
  Bandwidth width;
  width.exact = n <= kExactRows;
  width.pairs = width.exact ? n * (n - 1) / 2 : kSampledPairs;
  return width;
}

Bandwidth with_figures(Bandwidth width, std::vector<double> squared, Index n, double scale);

}  // namespace

Bandwidth median_distance(DataView points, const Context& context, Metric metric) {
  const Index n = points.n();
  Bandwidth width = width_of_rows(n);
  const double scale = power_of_two_scale(points, context);
  std::vector<double> squared =
      points.sparse()
          ? sparse_squared_distances(points, scale, metric, width.exact, width.pairs, context)
      : width.exact ? all_squared_distances(points, scale, metric, width.pairs, context)
                    : sampled_squared_distances(points, scale, metric, width.pairs, context);
  return with_figures(std::move(width), std::move(squared), n, scale);
}

Bandwidth median_distance(Index n, const std::function<double(Index, Index)>& squared,
                          const Context& context) {
  Bandwidth width = width_of_rows(n);
  const auto distance = [&] { return std::cref(squared); };
  std::vector<double> all =
      width.exact ? squared_distances(width.pairs, context, triangle_pair, distance)
                  : squared_distances(width.pairs, context, random_pairs(n), distance);
  return with_figures(std::move(width), std::move(all), n, 1);
}

namespace {

Bandwidth with_figures(Bandwidth width, std::vector<double> squared, Index n, double scale) {
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

}  // namespace

}  // namespace mercer
