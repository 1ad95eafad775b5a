// All columns of a table at a glance, whose memory does not grow with their number: dense columns
// are summarised some at a time, and of sparse rows only columns that hold anything.
#include "mercer/data/summary.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>

namespace mercer {
namespace {

constexpr Index kColumns = 8192;    // at a time
constexpr std::size_t kListed = 4;  // constant columns that are named

// Adds columns whose figures these are; place(j) is where column j of them stands in the table.
template <class Place>
void add(const Summary& summary, Overview& overview, Place place) {
  overview.constant_columns += summary.constant_columns;
  for (Index j = 0; j < summary.deviation.size(); ++j) {
    const double deviation = summary.deviation[j];
    if (deviation == 0) {
      if (overview.first_constant.size() < kListed) overview.first_constant.push_back(place(j));
      continue;
    }
    overview.widest = std::max(overview.widest, deviation);
    overview.narrowest = std::min(overview.narrowest, deviation);
    overview.largest_offset =
        std::max(overview.largest_offset,
                 std::max(std::abs(summary.minimum[j]), std::abs(summary.maximum[j])) / deviation);
  }
}

Overview over_dense(DataView points, const Context& context) {
  // Throws for what is not finite, by the column's own number.
  if (points.dim() > kColumns) static_cast<void>(power_of_two_scale(points, context));
  Overview overview;
  for (Index begin = 0; begin < points.dim(); begin += kColumns) {
    const Range columns{begin, std::min(begin + kColumns, points.dim())};
    add(summarize(points.columns(columns), context), overview, [&](Index j) { return begin + j; });
  }
  return overview;
}

// The columns in use, a bit for each, and how many of them come before each word of bits.
class UsedColumns {
 public:
  explicit UsedColumns(DataView points)
      : words_(static_cast<std::size_t>(points.dim()) / 64 + 1, 0), before_(words_.size(), 0) {
    for (Index i = 0; i < points.n(); ++i) {
      const SparseRow row = points.sparse_row(i);
      for (Index k = 0; k < row.count; ++k) word_of(row.columns[k]) |= bit_of(row.columns[k]);
    }
    for (std::size_t w = 1; w < words_.size(); ++w)
      before_[w] = before_[w - 1] + std::popcount(words_[w - 1]);
  }
  static std::uint64_t bytes(Index dim) { return static_cast<std::uint64_t>(dim) / 5 + 16; }

  Index count() const { return before_.back() + std::popcount(words_.back()); }
  bool holds(Index column) const {
    return (words_[static_cast<std::size_t>(column) / 64] & bit_of(column)) != 0;
  }
  /// How many columns in use stand before this one.
  std::int32_t rank(Index column) const {
    const auto word = static_cast<std::size_t>(column) / 64;
    return before_[word] + std::popcount(words_[word] & (bit_of(column) - 1));
  }

 private:
  static std::uint64_t bit_of(Index column) { return std::uint64_t{1} << (column % 64); }
  std::uint64_t& word_of(Index column) { return words_[static_cast<std::size_t>(column) / 64]; }

  std::vector<std::uint64_t> words_;
  std::vector<std::int32_t> before_;
};

// Columns that nobody uses are constant: zero.
Overview over_sparse(DataView points, const Context& context) {
  // Throws for what is not finite, by the column's own number.
  static_cast<void>(power_of_two_scale(points, context));
  const auto n = static_cast<std::size_t>(points.n());
  const auto stored = static_cast<std::size_t>(points.stored());
  const auto hold = context.hold(
      UsedColumns::bytes(points.dim()) + (n + 1) * sizeof(Index) + stored * sizeof(std::int32_t),
      "the columns in use");
  const UsedColumns used(points);
  std::vector<Index> starts = {0};
  starts.reserve(n + 1);
  std::vector<std::int32_t> columns;
  columns.reserve(stored);
  for (Index i = 0; i < points.n(); ++i) {
    const SparseRow row = points.sparse_row(i);
    std::transform(row.columns, row.columns + row.count, std::back_inserter(columns),
                   [&](std::int32_t column) { return used.rank(column); });
    starts.push_back(static_cast<Index>(columns.size()));
  }
  const double* values = points.n() > 0 ? points.sparse_row(0).values : nullptr;
  const Summary summary =
      summarize(DataView(starts.data(), columns.data(), values, points.n(), used.count()), context);
  Overview overview;
  add(summary, overview, [](Index) { return Index{0}; });
  overview.constant_columns += points.dim() - used.count();
  overview.first_constant.clear();
  for (Index j = 0; j < points.dim() && overview.first_constant.size() < kListed; ++j)
    if (!used.holds(j) || summary.deviation[used.rank(j)] == 0)
      overview.first_constant.push_back(j);
  return overview;
}

}  // namespace

Overview look_over(DataView points, const Context& context) {
  Overview overview = points.sparse() ? over_sparse(points, context) : over_dense(points, context);
  overview.all_rows_equal = points.n() > 0 && overview.constant_columns == points.dim();
  return overview;
}

Warnings warnings_about(const Overview& overview, Scalar type) {
  Warnings warnings;
  const double unit = type == Scalar::f32 ? 0x1p-24 : 0x1p-53;
  const double worst = overview.largest_offset;
  const double too_coarse =
      type == Scalar::f32 ? 1e-4 : 1e-10;  // digits float32 never had are not lost
  if (worst * unit > too_coarse && type != Scalar::u8)
    warnings.push_back(
        {WarningCode::digits_lost,
         fmt::format("values are up to {:.1g} times their spread: about {:.0f} digits of the "
                     "variation are left",
                     worst, std::max(0.0, -std::log10(worst * unit)))});
  return warnings;
}

}  // namespace mercer
