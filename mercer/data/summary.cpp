#include "mercer/data/summary.h"

#include "mercer/core/parallel.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace mercer {
namespace {

constexpr Index kRows = 1024;  // per task

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

// Per-column figures of one run of rows.
struct Part {
  Vector minimum, maximum, sum;
};

Part part_of(DataView points, Range rows) {
  const Index dim = points.dim();
  Vector row(dim), carry = Vector::Zero(dim);
  Part part{Vector::Constant(dim, HUGE_VAL), Vector::Constant(dim, -HUGE_VAL), Vector::Zero(dim)};
  for (Index i = rows.begin; i < rows.end; ++i) {
    points.copy_row(i, row.data());
    if (!row.allFinite())
      for (Index j = 0; j < dim; ++j) check_finite(row[j], i, j);
    part.minimum = part.minimum.cwiseMin(row);
    part.maximum = part.maximum.cwiseMax(row);
    // Kahan: the carry holds what the sum could not take.
    const Vector corrected = row - carry;
    const Vector sum = part.sum + corrected;
    carry = (sum - part.sum) - corrected;
    part.sum = sum;
  }
  return part;
}

std::vector<Part> parts_of(DataView points, const Context& context) {
  const std::vector<Range> chunks = tiles_of(points.n(), kRows);
  std::vector<Part> parts(chunks.size());
  parallel_for(context, static_cast<Index>(chunks.size()), [&](Index t) {
    parts[static_cast<std::size_t>(t)] = part_of(points, chunks[static_cast<std::size_t>(t)]);
  });
  return parts;
}

}  // namespace

double power_of_two_scale(DataView points, const Context& context) {
  double largest = 0;
  for (const Part& part : parts_of(points, context))
    if (points.dim() > 0)
      largest = std::max({largest, std::abs(part.minimum.minCoeff()),
                          part.maximum.cwiseAbs().maxCoeff(), part.minimum.cwiseAbs().maxCoeff()});
  return inverse_power_of_two(largest);
}

Summary summarize(DataView points, const Context& context) {
  const Index n = points.n(), dim = points.dim();
  Summary summary{Vector::Constant(dim, HUGE_VAL), Vector::Constant(dim, -HUGE_VAL),
                  Vector::Zero(dim), Vector::Zero(dim)};
  for (const Part& part : parts_of(points, context)) {
    summary.minimum = summary.minimum.cwiseMin(part.minimum);
    summary.maximum = summary.maximum.cwiseMax(part.maximum);
  }
  // Means and deviations about the middle of the range, in scaled values: no overflow, no
  // cancellation. Each column has its own scale, or a huge one would make the others vanish.
  const Vector scale = summary.minimum.cwiseAbs()
                           .cwiseMax(summary.maximum.cwiseAbs())
                           .unaryExpr(&inverse_power_of_two);
  const Vector middle =
      summary.minimum.cwiseProduct(scale) / 2 + summary.maximum.cwiseProduct(scale) / 2;
  Vector row(dim), sum = Vector::Zero(dim), square = Vector::Zero(dim);
  for (Index i = 0; i < n; ++i) {
    points.copy_row(i, row.data());
    row = row.cwiseProduct(scale) - middle;
    sum += row;
    square += row.cwiseProduct(row);
  }
  const double count = static_cast<double>(std::max<Index>(n, 1));
  summary.mean = (middle + sum / count).cwiseQuotient(scale);
  summary.deviation =
      (square / count - (sum / count).cwiseAbs2()).cwiseMax(0).cwiseSqrt().cwiseQuotient(scale);
  for (Index j = 0; j < dim; ++j) {
    if (summary.minimum[j] != summary.maximum[j]) continue;
    ++summary.constant_columns;
    summary.deviation[j] = 0;
  }
  summary.all_rows_equal = n > 0 && summary.constant_columns == dim;
  return summary;
}

Warnings warnings_about(const Summary& summary, Scalar type) {
  Warnings warnings;
  double widest = 0, narrowest = HUGE_VAL, worst = 0;
  for (Index j = 0; j < summary.deviation.size(); ++j) {
    const double deviation = summary.deviation[j];
    if (deviation == 0) continue;
    widest = std::max(widest, deviation);
    narrowest = std::min(narrowest, deviation);
    worst = std::max(
        worst, std::max(std::abs(summary.minimum[j]), std::abs(summary.maximum[j])) / deviation);
  }
  const double unit = type == Scalar::f32 ? 0x1p-24 : 0x1p-53;
  const double too_coarse =
      type == Scalar::f32 ? 1e-4 : 1e-10;  // digits float32 never had are not lost
  if (worst * unit > too_coarse && type != Scalar::u8)
    warnings.push_back(
        {WarningCode::digits_lost,
         fmt::format("values are up to {:.1g} times their spread: about {:.0f} digits of the "
                     "variation are left",
                     worst, std::max(0.0, -std::log10(worst * unit)))});
  if (widest > 1e4 * narrowest && widest > 0)
    warnings.push_back(
        {WarningCode::scales_differ,
         fmt::format("the widest column varies {:.1g} times as much as the narrowest; consider "
                     "scaling the columns (--scale standard)",
                     widest / narrowest)});
  return warnings;
}

}  // namespace mercer
