#include "mercer/data/missing.h"

#include "mercer/core/error.h"
#include "mercer/core/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <numeric>
#include <vector>

namespace mercer {
namespace {

std::string column_text(const Dataset& data, Index column) {
  if (data.column_names.empty()) return fmt::format("column {}", column + 1);
  return fmt::format("column \"{}\"",
                     printable(data.column_names[static_cast<std::size_t>(column)]));
}

std::string place_text(const Dataset& data, Index row, Index column) {
  return fmt::format("row {}, {}", row + 1, column_text(data, column));
}

// The NaN cells of a table: which rows have some, how many there are, the first one.
struct Gaps {
  std::vector<Index> whole_rows;
  Index rows = 0, cells = 0;
  Index first_row = 0, first_column = 0;
};

template <class T>
void scan_row(const Dataset& data, const T* x, Index row, Gaps& gaps) {
  const Index before = gaps.cells;
  for (Index j = 0; j < data.dim(); ++j) {
    if (std::isinf(x[j]))
      throw Error(ErrorCode::missing_values,
                  fmt::format("{} is infinite", place_text(data, row, j)),
                  "infinite values are never filled in; correct them or leave the column out");
    if (!std::isnan(x[j])) continue;
    if (gaps.cells++ > 0) continue;
    gaps.first_row = row;
    gaps.first_column = j;
  }
  if (gaps.cells == before)
    gaps.whole_rows.push_back(row);
  else
    ++gaps.rows;
}

// Almost every row passes this cheap test.
template <class T>
bool all_finite(const T* x, Index count) {
  // x - x is 0 for finite x and NaN otherwise.
  T sum = 0;
  for (Index i = 0; i < count; ++i) sum += x[i] - x[i];
  return sum == T(0);
}

template <class T>
Gaps find_gaps(const Dataset& data, const T* x) {
  Gaps gaps;
  for (Index i = 0; i < data.n(); ++i) {
    const T* row = x + i * data.dim();
    if (all_finite(row, data.dim()))
      gaps.whole_rows.push_back(i);
    else
      scan_row(data, row, i, gaps);
  }
  return gaps;
}

double mean_of(const std::vector<double>& values) {
  // Divided first, so that the sum of large values does not overflow.
  const auto count = static_cast<double>(values.size());
  double mean = 0;
  for (const double value : values) mean += value / count;
  return mean;
}

double median_of(std::vector<double>& values) {
  const auto middle = values.begin() + static_cast<Index>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  if (values.size() % 2 == 1) return *middle;
  const double below = *std::max_element(values.begin(), middle);
  return std::midpoint(below, *middle);
}

// Walks column by column; only columns with gaps cost more than a look at each cell.
template <class T>
void fill(const Dataset& data, T* x, Missing policy) {
  std::vector<double> values;
  for (Index j = 0; j < data.dim(); ++j) {
    values.clear();
    for (Index i = 0; i < data.n(); ++i) {
      const T value = x[i * data.dim() + j];
      if (!std::isnan(value)) values.push_back(static_cast<double>(value));
    }
    if (static_cast<Index>(values.size()) == data.n()) continue;
    if (values.empty())
      throw Error(
          ErrorCode::missing_values,
          fmt::format("{} has no value at all, so nothing can be filled in", column_text(data, j)),
          "leave the column out");
    const auto filler =
        static_cast<T>(policy == Missing::mean ? mean_of(values) : median_of(values));
    for (Index i = 0; i < data.n(); ++i)
      if (T& value = x[i * data.dim() + j]; std::isnan(value)) value = filler;
  }
}

template <class T>
WithoutMissing treat(Dataset data, Missing policy) {
  const Gaps gaps = find_gaps(data, static_cast<const T*>(data.view().data()));
  if (gaps.cells == 0) return {.data = std::move(data)};
  if (policy == Missing::error)
    throw Error(
        ErrorCode::missing_values,
        fmt::format("{} missing value{} in {} of {} rows, the first in {}", grouped(gaps.cells),
                    gaps.cells == 1 ? "" : "s", grouped(gaps.rows), grouped(data.n()),
                    place_text(data, gaps.first_row, gaps.first_column)),
        "skip those rows with --missing drop, or fill them in with --missing mean or median");
  if (policy == Missing::drop) {
    if (gaps.whole_rows.empty())
      throw Error(
          ErrorCode::missing_values,
          fmt::format("all {} rows have missing values, none would be left", grouped(data.n())),
          "fill them in with --missing mean or median, or leave columns out");
    return {.data = data.rows(gaps.whole_rows), .rows_dropped = gaps.rows};
  }
  std::vector<std::byte> bytes(static_cast<std::size_t>(data.n() * data.dim()) * sizeof(T));
  std::memcpy(bytes.data(), data.view().data(), bytes.size());
  fill(data, reinterpret_cast<T*>(bytes.data()), policy);
  Dataset filled(std::move(bytes), data.type(), data.n(), data.dim());
  filled.column_names = std::move(data.column_names);
  filled.labels = std::move(data.labels);
  filled.ids = std::move(data.ids);
  return {.data = std::move(filled), .cells_filled = gaps.cells};
}

}  // namespace

Missing missing_policy(std::string_view name) {
  constexpr std::array<std::string_view, 4> kNames = {"error", "drop", "mean", "median"};
  const auto found = std::find(kNames.begin(), kNames.end(), name);
  if (found != kNames.end()) return static_cast<Missing>(found - kNames.begin());
  throw Error(ErrorCode::bad_option_value,
              fmt::format("\"{}\" is no way to treat missing values", printable(name)),
              "it must be error, drop, mean or median");
}

WithoutMissing treat_missing(Dataset data, Missing policy) {
  switch (data.type()) {
    case Scalar::f64:
      return treat<double>(std::move(data), policy);
    case Scalar::f32:
      return treat<float>(std::move(data), policy);
    case Scalar::u8:
      break;
  }
  return {.data = std::move(data)};
}

}  // namespace mercer
