#include "mercer/data/observed.h"

#include "mercer/core/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <unordered_map>

namespace mercer {
namespace {

constexpr Index kAsk = 4096;  // rows after which the context is asked

[[noreturn]] void refuse_infinite(DataView points, Index row, Index column) {
  throw Error(ErrorCode::missing_values,
              fmt::format("row {}, column {} is infinite", points.number_of(row), column + 1),
              "infinite values are never filled in; correct them or leave the column out");
}

// Calls visit(i, row) for every row as doubles.
template <class Visit>
void each_row(DataView points, const Context& context, const Visit& visit) {
  Vector row(points.dim());
  for (Index i = 0; i < points.n(); ++i) {
    if (i % kAsk == 0) context.check_cancelled();
    points.copy_row(i, row.data());
    visit(i, row);
  }
}

struct Extremes {
  Vector minimum, maximum, counts;
};

Extremes extremes_of(DataView points, const Context& context) {
  constexpr double kFar = std::numeric_limits<double>::infinity();
  Extremes found{Vector::Constant(points.dim(), kFar), Vector::Constant(points.dim(), -kFar),
                 Vector::Zero(points.dim())};
  each_row(points, context, [&](Index i, const Vector& row) {
    Index here = 0;
    for (Index j = 0; j < row.size(); ++j) {
      if (std::isnan(row[j])) continue;
      if (std::isinf(row[j])) refuse_infinite(points, i, j);
      found.minimum[j] = std::min(found.minimum[j], row[j]);
      found.maximum[j] = std::max(found.maximum[j], row[j]);
      found.counts[j] += 1;
      ++here;
    }
    if (here == 0)
      throw Error(ErrorCode::missing_values,
                  fmt::format("row {} has no value at all: there is nothing to learn from it",
                              points.number_of(i)),
                  "leave such rows out of the table");
  });
  for (Index j = 0; j < points.dim(); ++j)
    if (found.counts[j] == 0)
      throw Error(ErrorCode::missing_values,
                  fmt::format("column {} has no value at all: nothing can be learnt of it", j + 1),
                  fmt::format("leave the column out: --drop {}", j + 1));
  return found;
}

}  // namespace

bool has_gaps(DataView points, const Context& context) {
  if (points.type() == Scalar::u8) return false;
  bool gaps = false;
  each_row(points, context, [&](Index i, const Vector& row) {
    if (row.allFinite()) return;
    for (Index j = 0; j < row.size(); ++j)
      if (std::isinf(row[j])) refuse_infinite(points, i, j);
    gaps = true;
  });
  return gaps;
}

// Sums are taken about the middle of each column's range and in units of its width, so that
// neither an offset nor a scale costs digits.
Observed summarize_observed(DataView points, const Context& context) {
  const Extremes found = extremes_of(points, context);
  const Vector middle = 0.5 * found.minimum + 0.5 * found.maximum;
  const Vector width = (0.5 * found.maximum - 0.5 * found.minimum).unaryExpr([](double half) {
    return half > 0 ? half : 1.0;
  });
  const Index dim = points.dim();
  Vector sum = Vector::Zero(dim), square = Vector::Zero(dim);
  each_row(points, context, [&](Index, const Vector& row) {
    for (Index j = 0; j < dim; ++j) {
      if (std::isnan(row[j])) continue;
      const double x = (row[j] - middle[j]) / width[j];
      sum[j] += x;
      square[j] += x * x;
    }
  });
  const Vector mean = sum.cwiseQuotient(found.counts);
  const Vector spread =
      (square.cwiseQuotient(found.counts) - mean.cwiseAbs2()).cwiseMax(0).cwiseSqrt();
  Observed observed;
  Summary& summary = observed.summary;
  summary.minimum = found.minimum;
  summary.maximum = found.maximum;
  summary.mean = middle + width.cwiseProduct(mean);
  summary.deviation = Vector::Zero(dim);
  for (Index j = 0; j < dim; ++j)
    if (found.minimum[j] < found.maximum[j])
      summary.deviation[j] = width[j] * spread[j];
    else
      ++summary.constant_columns;
  observed.counts = found.counts;
  observed.cells = static_cast<Index>(found.counts.sum());
  return observed;
}

std::vector<Pattern> patterns_of(DataView points, const Context& context) {
  std::vector<Pattern> patterns;
  std::unordered_map<std::string, std::size_t> number;
  std::string key(static_cast<std::size_t>(points.dim() + 7) / 8, '\0');
  each_row(points, context, [&](Index i, const Vector& row) {
    std::fill(key.begin(), key.end(), '\0');
    bool whole = true;
    for (Index j = 0; j < row.size(); ++j) {
      if (!std::isnan(row[j])) continue;
      whole = false;
      char& byte = key[static_cast<std::size_t>(j) / 8];
      byte = static_cast<char>(byte | 1 << (j % 8));
    }
    const auto [place, added] = number.emplace(key, patterns.size());
    if (added) patterns.push_back({i, {}, whole});
    patterns[place->second].rows.push_back(i);
  });
  return patterns;
}

}  // namespace mercer
