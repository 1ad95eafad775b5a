#include "mercer/data/summary.h"

#include "mercer/core/parallel.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <utility>
#include <vector>

namespace mercer {
namespace {

constexpr Index kRows = 1024;            // per task
constexpr Index kSummaryColumns = 8192;  // at a time, where their figures are not kept

void check_finite(double value, Index row, Index column) {
  if (std::isfinite(value)) return;
  throw Error(ErrorCode::missing_values,
              fmt::format("the value is {}", std::isnan(value) ? "NaN" : "infinite"),
              "remove the row, or fill the value in",
              fmt::format("row {}, column {}", row + 1, column + 1));
}

// The power of two that brings this magnitude into [1/2, 1]; 1 for 0.
double inverse_power_of_two(double magnitude) {
  if (magnitude == 0) return 1;
  int exponent = 0;
  std::frexp(magnitude, &exponent);
  // 2^1074 itself is not a double: denormal data are scaled as far as the range of exponents goes.
  return std::ldexp(1.0, std::min(-exponent, 1000));
}

struct Extent {
  Vector minimum, maximum;

  explicit Extent(Index dim)
      : minimum(Vector::Constant(dim, HUGE_VAL)), maximum(Vector::Constant(dim, -HUGE_VAL)) {}
  void include(const Extent& other) {
    minimum = minimum.cwiseMin(other.minimum);
    maximum = maximum.cwiseMax(other.maximum);
  }
};

Extent extent_of_rows(DataView points, Range rows, Index first_column) {
  const Index dim = points.dim();
  Extent extent(dim);
  Vector row(dim);
  for (Index i = rows.begin; i < rows.end; ++i) {
    points.copy_row(i, row.data());
    if (!row.allFinite())
      for (Index j = 0; j < dim; ++j)
        check_finite(row[j], points.number_of(i) - 1, first_column + j);
    extent.minimum = extent.minimum.cwiseMin(row);
    extent.maximum = extent.maximum.cwiseMax(row);
  }
  return extent;
}

Extent dense_extent(DataView points, const Context& context, Index first_column = 0) {
  const std::vector<Range> chunks = tiles_of(points.n(), kRows);
  std::vector<Extent> parts(chunks.size(), Extent(0));
  parallel_for(context, static_cast<Index>(chunks.size()), [&](Index t) {
    parts[static_cast<std::size_t>(t)] =
        extent_of_rows(points, chunks[static_cast<std::size_t>(t)], first_column);
  });
  Extent extent(points.dim());
  for (const Extent& part : parts) extent.include(part);
  return extent;
}

// Calls visit(column, value) for every value that is stored; throws M212.
template <class Visit>
void each_stored(DataView points, Visit&& visit) {
  for (Index i = 0; i < points.n(); ++i) {
    const SparseRow row = points.sparse_row(i);
    for (Index k = 0; k < row.count; ++k) {
      check_finite(row.values[k], i, row.columns[k]);
      visit(Index{row.columns[k]}, row.values[k]);
    }
  }
}

// Not cut into tasks: each would need figures of all columns, which may be more than the non-zeros.
Extent sparse_extent(DataView points, Vector& zeros) {
  Extent extent(points.dim());
  zeros.setConstant(points.dim(), static_cast<double>(points.n()));
  each_stored(points, [&](Index j, double value) {
    extent.minimum[j] = std::min(extent.minimum[j], value);
    extent.maximum[j] = std::max(extent.maximum[j], value);
    zeros[j] -= 1;
  });
  for (Index j = 0; j < points.dim(); ++j) {
    if (zeros[j] == 0) continue;
    extent.minimum[j] = std::min(extent.minimum[j], 0.0);
    extent.maximum[j] = std::max(extent.maximum[j], 0.0);
  }
  return extent;
}

// Sums of x * scale - middle and of its square, per column.
struct Sums {
  Vector sum, square;
};

Sums dense_sums(DataView points, const Vector& scale, const Vector& middle) {
  const Index dim = points.dim();
  Sums sums{Vector::Zero(dim), Vector::Zero(dim)};
  Vector row(dim);
  for (Index i = 0; i < points.n(); ++i) {
    points.copy_row(i, row.data());
    row = row.cwiseProduct(scale) - middle;
    sums.sum += row;
    sums.square += row.cwiseProduct(row);
  }
  return sums;
}

Sums sparse_sums(DataView points, const Vector& scale, const Vector& middle, const Vector& zeros) {
  // The zeros that are not stored come first, all at once.
  Sums sums{-zeros.cwiseProduct(middle), zeros.cwiseProduct(middle.cwiseAbs2())};
  each_stored(points, [&](Index j, double value) {
    const double moved = value * scale[j] - middle[j];
    sums.sum[j] += moved;
    sums.square[j] += moved * moved;
  });
  return sums;
}

}  // namespace

double power_of_two_scale(DataView points, const Context& context) {
  double largest = 0;
  if (points.sparse()) {
    each_stored(points, [&](Index, double value) { largest = std::max(largest, std::abs(value)); });
  } else if (points.n() > 0) {
    for (const Range columns : tiles_of(points.dim(), kSummaryColumns)) {
      const Extent extent = dense_extent(points.columns(columns), context, columns.begin);
      largest = std::max(
          {largest, extent.minimum.cwiseAbs().maxCoeff(), extent.maximum.cwiseAbs().maxCoeff()});
    }
  }
  return inverse_power_of_two(largest);
}

namespace {

// The figures while they are made, and the extents of the rows of each task.
std::uint64_t bytes_of_figures(DataView points, const Context& context) {
  constexpr Index kVectors = 12;  // one number per column each, as long as the summary is made
  const Index tasks = points.sparse() ? 0 : 2 * ((points.n() + kRows - 1) / kRows);
  return static_cast<std::uint64_t>(points.dim() *
                                    (kVectors + tasks + thread_count(context.budget))) *
         sizeof(double);
}

}  // namespace

Summary summarize(DataView points, const Context& context) {
  const auto hold = context.hold(bytes_of_figures(points, context), "the figures of the columns");
  const Index dim = points.dim();
  Vector zeros;
  Extent extent = points.sparse() ? sparse_extent(points, zeros) : dense_extent(points, context);
  // Means and deviations about the middle of the range, in scaled values: no overflow, no
  // cancellation. Each column has its own scale, or a huge one would make the others vanish.
  const Vector scale = extent.minimum.cwiseAbs()
                           .cwiseMax(extent.maximum.cwiseAbs())
                           .unaryExpr(&inverse_power_of_two);
  const Vector middle =
      extent.minimum.cwiseProduct(scale) / 2 + extent.maximum.cwiseProduct(scale) / 2;
  const Sums sums = points.sparse() ? sparse_sums(points, scale, middle, zeros)
                                    : dense_sums(points, scale, middle);
  const double count = static_cast<double>(std::max<Index>(points.n(), 1));
  const Vector offset = sums.sum / count;
  Summary summary{
      std::move(extent.minimum), std::move(extent.maximum), (middle + offset).cwiseQuotient(scale),
      (sums.square / count - offset.cwiseAbs2()).cwiseMax(0).cwiseSqrt().cwiseQuotient(scale)};
  for (Index j = 0; j < dim; ++j) {
    const bool constant = summary.minimum[j] == summary.maximum[j];
    if (constant) ++summary.constant_columns;
    // A denormal spread may round to nothing, but the column varies.
    summary.deviation[j] =
        constant ? 0 : std::max(summary.deviation[j], std::numeric_limits<double>::denorm_min());
  }
  summary.all_rows_equal = points.n() > 0 && summary.constant_columns == dim;
  return summary;
}

}  // namespace mercer
