#include "mercer/kernels/sparse_tile.h"

#include <algorithm>

namespace mercer {
namespace {

// Of more columns no table is kept, 16 MB per thread: those that occur are sorted and searched.
constexpr Index kMostInTable = Index{1} << 22;

// 1 + the place of a column in `begins`, 0 where no row has it.
template <class T>
std::int32_t head_of(const SparseScratch<T>& s, std::int32_t column, Index dim) {
  if (dim <= kMostInTable) return s.heads[static_cast<std::size_t>(column)];
  const auto found = std::lower_bound(s.touched.begin(), s.touched.end(), column);
  if (found == s.touched.end() || *found != column) return 0;
  return static_cast<std::int32_t>(found - s.touched.begin()) + 1;
}

// The columns that occur in some rows, and how often each does: in `touched` and `ends`.
template <class T>
void find_columns(CompressedRows<T> b, Index first, Index last, Index dim, SparseScratch<T>& s) {
  for (const std::int32_t column : s.touched)
    if (static_cast<std::size_t>(column) < s.heads.size())
      s.heads[static_cast<std::size_t>(column)] = 0;
  s.touched.clear();
  s.ends.clear();
  if (dim > kMostInTable) {
    s.touched.assign(b.columns + first, b.columns + last);
    std::sort(s.touched.begin(), s.touched.end());
    s.touched.erase(std::unique(s.touched.begin(), s.touched.end()), s.touched.end());
    s.ends.assign(s.touched.size(), 0);
    for (Index k = first; k < last; ++k)
      ++s.ends[static_cast<std::size_t>(head_of(s, b.columns[k], dim) - 1)];
    return;
  }
  s.heads.resize(std::max(s.heads.size(), static_cast<std::size_t>(dim)), 0);
  for (Index k = first; k < last; ++k) {
    std::int32_t& head = s.heads[static_cast<std::size_t>(b.columns[k])];
    if (head == 0) {
      s.touched.push_back(b.columns[k]);
      s.ends.push_back(0);
      head = static_cast<std::int32_t>(s.touched.size());
    }
    ++s.ends[static_cast<std::size_t>(head - 1)];
  }
}

// The non-zeros of some rows, ordered by column: those of touched column c stand at [begins, ends)
// of the place that head_of(c) names.
template <class T>
void gather_columns(CompressedRows<T> b, Range cols, Index dim, SparseScratch<T>& s) {
  const Index first = b.starts[cols.begin], last = b.starts[cols.end];
  find_columns(b, first, last, dim, s);
  s.begins.resize(s.ends.size());
  std::int32_t place = 0;
  for (std::size_t c = 0; c < s.ends.size(); ++c) {
    s.begins[c] = place;
    place += s.ends[c];
    s.ends[c] = s.begins[c];
  }
  s.rows.resize(static_cast<std::size_t>(last - first));
  s.values.resize(static_cast<std::size_t>(last - first));
  for (Index j = cols.begin; j < cols.end; ++j)
    for (Index k = b.starts[j]; k < b.starts[j + 1]; ++k) {
      const std::int32_t head = head_of(s, b.columns[k], dim);
      const auto at = static_cast<std::size_t>(s.ends[static_cast<std::size_t>(head - 1)]++);
      s.rows[at] = static_cast<std::int32_t>(j - cols.begin);
      s.values[at] = b.values[k];
    }
}

template <class T>
T squared_distance(CompressedRows<T> a, Index i, CompressedRows<T> b, Index j) {
  T total = 0;
  Index p = a.starts[i], q = b.starts[j];
  const Index p_end = a.starts[i + 1], q_end = b.starts[j + 1];
  while (p < p_end || q < q_end) {
    const bool left = q == q_end || (p < p_end && a.columns[p] <= b.columns[q]);
    const bool right = p == p_end || (q < q_end && b.columns[q] <= a.columns[p]);
    const T difference = (left ? a.values[p] : T(0)) - (right ? b.values[q] : T(0));
    total += difference * difference;
    p += left ? 1 : 0;
    q += right ? 1 : 0;
  }
  return total;
}

}  // namespace

template <class T>
void sparse_products(CompressedRows<T> a, Range rows, CompressedRows<T> b, Range cols, Index dim,
                     T* out, Index ldo, SparseScratch<T>& scratch) {
  gather_columns(b, cols, dim, scratch);
  for (Index i = rows.begin; i < rows.end; ++i) {
    T* row = out + (i - rows.begin) * ldo;
    std::fill(row, row + cols.size(), T(0));
    for (Index k = a.starts[i]; k < a.starts[i + 1]; ++k) {
      const std::int32_t head = head_of(scratch, a.columns[k], dim);
      if (head == 0) continue;
      const auto column = static_cast<std::size_t>(head - 1);
      const T value = a.values[k];
      for (auto at = static_cast<std::size_t>(scratch.begins[column]);
           at < static_cast<std::size_t>(scratch.ends[column]); ++at)
        row[scratch.rows[at]] += value * scratch.values[at];
    }
  }
}

template <class T>
void sparse_distances(CompressedRows<T> a, Range rows, CompressedRows<T> b, Range cols, T* out,
                      Index ldo) {
  for (Index i = 0; i < rows.size(); ++i)
    for (Index j = 0; j < cols.size(); ++j)
      out[i * ldo + j] = squared_distance(a, rows.begin + i, b, cols.begin + j);
}

template struct SparseScratch<float>;
template struct SparseScratch<double>;
template void sparse_products(CompressedRows<float>, Range, CompressedRows<float>, Range, Index,
                              float*, Index, SparseScratch<float>&);
template void sparse_products(CompressedRows<double>, Range, CompressedRows<double>, Range, Index,
                              double*, Index, SparseScratch<double>&);
template void sparse_distances(CompressedRows<float>, Range, CompressedRows<float>, Range, float*,
                               Index);
template void sparse_distances(CompressedRows<double>, Range, CompressedRows<double>, Range,
                               double*, Index);

}  // namespace mercer
