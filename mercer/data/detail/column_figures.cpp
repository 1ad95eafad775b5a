#include "mercer/data/detail/column_figures.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

namespace mercer::detail {
namespace {

// What a column holds besides its gaps: these values, and so many zeros that are not stored.
struct Present {
  std::vector<double> values;
  Index zeros = 0;
  Index count() const { return static_cast<Index>(values.size()) + zeros; }
};

double mean_of(const Present& column) {
  // Divided first, so that the sum of large values does not overflow; halves, so that no difference
  // does. The second pass takes up the rounding of the first: a constant column's mean is exact.
  const auto count = static_cast<double>(column.count());
  double mean = 0, rest = 0;
  for (const double value : column.values) mean += value / count;
  for (const double value : column.values) rest += (value / 2 - mean / 2) / count;
  rest -= mean / 2 * (static_cast<double>(column.zeros) / count);
  return mean + 2 * rest;
}

// The value of this rank, zeros between the negative and the other values.
double ranked(Present& column, Index negative, Index rank) {
  if (rank >= negative && rank < negative + column.zeros) return 0;
  const auto place = column.values.begin() + (rank < negative ? rank : rank - column.zeros);
  std::nth_element(column.values.begin(), place, column.values.end());
  return *place;
}

double median_of(Present& column) {
  const Index negative = std::count_if(column.values.begin(), column.values.end(),
                                       [](double value) { return value < 0; });
  const Index middle = column.count() / 2;
  const double above = ranked(column, negative, middle);
  if (column.count() % 2 == 1) return above;
  return std::midpoint(ranked(column, negative, middle - 1), above);
}

// Row numbers cost nothing here: the values of each column, one column after the other.
struct ByColumn {
  std::vector<Index> starts;
  std::vector<double> values;
};

ByColumn by_column(DataView rows) {
  ByColumn result;
  result.starts.assign(static_cast<std::size_t>(rows.dim()) + 1, 0);
  result.values.resize(static_cast<std::size_t>(rows.stored()));
  if (rows.n() == 0) return result;
  const SparseRow all{rows.sparse_row(0).columns, rows.sparse_row(0).values, rows.stored()};
  for (Index k = 0; k < all.count; ++k)
    ++result.starts[static_cast<std::size_t>(all.columns[k]) + 1];
  std::partial_sum(result.starts.begin(), result.starts.end(), result.starts.begin());
  std::vector<Index> next = result.starts;
  for (Index k = 0; k < all.count; ++k) {
    const Index place = next[static_cast<std::size_t>(all.columns[k])]++;
    result.values[static_cast<std::size_t>(place)] = all.values[k];
  }
  return result;
}

// Calls visit(column, present) for every column in order; `present` is reused.
template <class Visit>
void each_column(DataView rows, Visit&& visit) {
  Present present;
  const auto add = [&](double value) {
    if (!std::isnan(value)) present.values.push_back(value);
  };
  const ByColumn sparse = rows.sparse() ? by_column(rows) : ByColumn();
  for (Index j = 0; j < rows.dim(); ++j) {
    present.values.clear();
    if (rows.sparse()) {
      const Index begin = sparse.starts[static_cast<std::size_t>(j)];
      const Index end = sparse.starts[static_cast<std::size_t>(j) + 1];
      std::for_each(sparse.values.begin() + begin, sparse.values.begin() + end, add);
      present.zeros = rows.n() - (end - begin);
    } else {
      rows.visit([&](const auto* x) {
        for (Index i = 0; i < rows.n(); ++i) add(static_cast<double>(x[i * rows.dim() + j]));
      });
    }
    visit(j, present);
  }
}

// NaN for columns of nothing but NaN.
template <class Figure>
Vector figures_of(DataView rows, Figure&& figure) {
  Vector figures(rows.dim());
  each_column(rows, [&](Index column, Present& present) {
    figures[column] =
        present.count() > 0 ? figure(present) : std::numeric_limits<double>::quiet_NaN();
  });
  return figures;
}

}  // namespace

Vector column_means(DataView rows) {
  return figures_of(rows, [](Present& column) { return mean_of(column); });
}

Vector column_medians(DataView rows) {
  return figures_of(rows, [](Present& column) { return median_of(column); });
}

}  // namespace mercer::detail
