#include "mercer/data/missing.h"

#include "mercer/core/check.h"
#include "mercer/core/error.h"
#include "mercer/core/text.h"
#include "mercer/data/detail/column_figures.h"
#include "mercer/data/sparse.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cfloat>
#include <cmath>
#include <cstring>
#include <numeric>
#include <type_traits>
#include <utility>
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

// The stored cells of one row: all of a dense one, the non-zeros of a sparse one.
template <class T>
struct Cells {
  const T* values;
  Index count;
  const std::int32_t* columns;  // null: all of them, in order
  Index column(Index k) const { return columns ? Index{columns[k]} : k; }
};

template <class T>
Cells<T> cells_of(DataView rows, Index row) {
  if constexpr (std::is_same_v<T, double>) {
    if (rows.sparse()) {
      const SparseRow sparse = rows.sparse_row(row);
      return {sparse.values, sparse.count, sparse.columns};
    }
  }
  return {static_cast<const T*>(rows.data()) + row * rows.dim(), rows.dim(), nullptr};
}

// The NaN cells of a table: how many there are, in how many rows, the first one.
struct Gaps {
  Index rows = 0, cells = 0;
  Index first_row = 0, first_column = 0;
};

template <class T>
void scan_row(const Dataset& data, const Cells<T>& cells, Index row, Gaps& gaps) {
  const Index before = gaps.cells;
  for (Index k = 0; k < cells.count; ++k) {
    if (std::isinf(cells.values[k]))
      throw Error(ErrorCode::missing_values,
                  fmt::format("{} is infinite", place_text(data, row, cells.column(k))),
                  "infinite values are never filled in; correct them or leave the column out");
    if (!std::isnan(cells.values[k])) continue;
    if (gaps.cells++ > 0) continue;
    gaps.first_row = row;
    gaps.first_column = cells.column(k);
  }
  if (gaps.cells > before) ++gaps.rows;
}

// Almost every row passes this cheap test.
template <class T>
bool all_finite(const Cells<T>& cells) {
  // x - x is 0 for finite x and NaN otherwise.
  T sum = 0;
  for (Index k = 0; k < cells.count; ++k) sum += cells.values[k] - cells.values[k];
  return sum == T(0);
}

template <class T>
Gaps find_gaps(const Dataset& data, const Context& context) {
  Gaps gaps;
  const DataView rows = data;
  for (Index i = 0; i < data.n(); ++i) {
    if (i % 4096 == 0) context.check_cancelled();
    const Cells<T> cells = cells_of<T>(rows, i);
    if (!all_finite(cells)) scan_row(data, cells, i, gaps);
  }
  return gaps;
}

// The rows without gaps; infinite values are refused already.
template <class T>
std::vector<Index> whole_rows(const Dataset& data, Index count) {
  std::vector<Index> rows;
  rows.reserve(static_cast<std::size_t>(count));
  for (Index i = 0; i < data.n(); ++i)
    if (all_finite(cells_of<T>(data, i))) rows.push_back(i);
  return rows;
}

std::vector<Index> whole_rows_of(const Dataset& data, Index count) {
  return data.type() == Scalar::f32 ? whole_rows<float>(data, count)
                                    : whole_rows<double>(data, count);
}

Vector figures_of(const Dataset& data, Missing policy) {
  if (data.n() == 0) return {};
  Vector figures =
      policy == Missing::mean ? detail::column_means(data) : detail::column_medians(data);
  for (Index j = 0; j < data.dim(); ++j)
    if (std::isnan(figures[j]))
      throw Error(
          ErrorCode::missing_values,
          fmt::format("{} has no value at all, so nothing can be filled in", column_text(data, j)),
          "leave the column out");
  return figures;
}

template <class T>
Index fill_values(T* values, Index count, const Vector& figures,
                  const std::vector<std::int32_t>* columns) {
  Index filled = 0;
  for (Index k = 0; k < count; ++k) {
    if (!std::isnan(values[k])) continue;
    const Index column =
        columns ? Index{(*columns)[static_cast<std::size_t>(k)]} : k % figures.size();
    values[k] = static_cast<T>(figures[column]);
    ++filled;
  }
  return filled;
}

template <class T>
WithoutMissing fill_dense(const Dataset& data, Vector figures) {
  const Index count = data.n() * data.dim();
  std::vector<std::byte> bytes(static_cast<std::size_t>(count) * sizeof(T));
  if (count > 0) std::memcpy(bytes.data(), data.view().data(), bytes.size());
  const Index filled = fill_values(reinterpret_cast<T*>(bytes.data()), count, figures, nullptr);
  return {.data = data.with_numbers({std::move(bytes), data.type(), data.n(), data.dim()}),
          .cells_filled = filled,
          .figures = std::move(figures)};
}

WithoutMissing fill_sparse(const Dataset& data, Vector figures) {
  SparseRows rows = sparse_copy(data);
  const Index filled = fill_values(rows.values.data(), static_cast<Index>(rows.values.size()),
                                   figures, &rows.columns);
  return {.data = data.with_numbers(Dataset(std::move(rows), data.dim())),
          .cells_filled = filled,
          .figures = std::move(figures)};
}

Gaps gaps_of(const Dataset& data, const Context& context) {
  if (data.type() == Scalar::u8) return {};
  return data.type() == Scalar::f32 ? find_gaps<float>(data, context)
                                    : find_gaps<double>(data, context);
}

// Names and labels are copied with the numbers.
MemoryAccount::Hold hold_copy(const Dataset& data, const Context& context) {
  return context.hold(
      data.bytes() + bytes_of(data.column_names) + data.labels.bytes() + bytes_of(data.ids),
      "the rows without missing values");
}

WithoutMissing fill_gaps(Dataset data, Vector figures, const Gaps& gaps, const Context& context) {
  if (gaps.cells == 0) return {.data = std::move(data), .figures = std::move(figures)};
  const MemoryAccount::Hold copy = hold_copy(data, context);
  if (data.sparse()) return fill_sparse(data, std::move(figures));
  return data.type() == Scalar::f32 ? fill_dense<float>(data, std::move(figures))
                                    : fill_dense<double>(data, std::move(figures));
}

[[noreturn]] void refuse_gaps(const Dataset& data, const Gaps& gaps) {
  throw Error(ErrorCode::missing_values,
              fmt::format("{} missing value{} in {} of {} rows, the first in {}",
                          grouped(gaps.cells), gaps.cells == 1 ? "" : "s", grouped(gaps.rows),
                          grouped(data.n()), place_text(data, gaps.first_row, gaps.first_column)),
              "skip those rows with --missing drop, or fill them in with --missing mean or median");
}

WithoutMissing drop_gaps(Dataset data, const Gaps& gaps, const Context& context) {
  if (gaps.rows == 0) return {.data = std::move(data)};
  const Index left = data.n() - gaps.rows;
  if (left == 0)
    throw Error(
        ErrorCode::missing_values,
        fmt::format("all {} rows have missing values, none would be left", grouped(data.n())),
        "fill them in with --missing mean or median, or leave columns out");
  const MemoryAccount::Hold copy = hold_copy(data, context);
  const MemoryAccount::Hold list =
      context.hold(static_cast<std::uint64_t>(left) * sizeof(Index), "the rows that are left");
  WithoutMissing whole{.rows_dropped = gaps.rows};
  whole.rows_left = whole_rows_of(data, left);
  whole.data = data.rows(whole.rows_left);
  return whole;
}

// The figures, and the values by column: all at once of sparse rows, one column of dense ones.
std::uint64_t bytes_of_figures(const Dataset& data) {
  const auto n = static_cast<std::uint64_t>(data.n()), dim = static_cast<std::uint64_t>(data.dim());
  const auto stored = static_cast<std::uint64_t>(data.view().stored());
  return sizeof(double) * (data.sparse() ? 3 * dim + stored + 2 * n : dim + 2 * n);
}

}  // namespace

Missing missing_policy(std::string_view name) {
  constexpr std::array<std::string_view, 6> kNames = {"error",  "drop",  "mean",
                                                      "median", "model", "keep"};
  const auto found = std::find(kNames.begin(), kNames.end(), name);
  if (found != kNames.end()) return static_cast<Missing>(found - kNames.begin());
  throw Error(ErrorCode::bad_option_value,
              fmt::format("\"{}\" is no way to treat missing values", printable(name)),
              "it must be error, drop, keep, mean, median or model");
}

WithoutMissing treat_missing(Dataset data, Missing policy, const Context& context) {
  const Gaps gaps = gaps_of(data, context);
  switch (policy) {
    case Missing::error:
      if (gaps.cells > 0) refuse_gaps(data, gaps);
      break;
    case Missing::drop:
      return drop_gaps(std::move(data), gaps, context);
    case Missing::mean:
    case Missing::median: {
      const auto hold = context.hold(bytes_of_figures(data), "the figures of the columns");
      Vector figures = figures_of(data, policy);
      return fill_gaps(std::move(data), std::move(figures), gaps, context);
    }
    case Missing::model:
    case Missing::keep:
      break;
  }
  return {.data = std::move(data)};
}

std::vector<Index> rows_without_missing(const Dataset& data, const Context& context) {
  const Index left = data.n() - gaps_of(data, context).rows;
  if (left < data.n()) return whole_rows_of(data, left);  // bytes have no gaps
  std::vector<Index> all(static_cast<std::size_t>(left));
  std::iota(all.begin(), all.end(), Index{0});
  return all;
}

WithoutMissing fill_missing(Dataset data, Vector figures, const Context& context) {
  MERCER_ASSERT(figures.size() == data.dim());
  const Gaps gaps = gaps_of(data, context);
  // Figures of doubles need not be floats.
  const auto fits = [](double figure) { return std::abs(figure) <= FLT_MAX; };
  if (gaps.cells > 0 && data.type() == Scalar::f32 &&
      !std::all_of(figures.begin(), figures.end(), fits))
    data = data.with_numbers(Dataset(data.view().to_points()));
  return fill_gaps(std::move(data), std::move(figures), gaps, context);
}

}  // namespace mercer
