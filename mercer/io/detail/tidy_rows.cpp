#include "mercer/io/detail/tidy_rows.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace mercer::detail {
namespace {

using Cells = std::vector<std::pair<std::int32_t, double>>;

// Columns rising, each once: entries of the same place are added up, as assembled matrices want
// it. Returns how many were.
Index tidy_row(Cells& cells) {
  const auto before = [](const auto& a, const auto& b) { return a.first < b.first; };
  if (!std::is_sorted(cells.begin(), cells.end(), before))
    std::stable_sort(cells.begin(), cells.end(), before);
  std::size_t kept = 0;
  for (std::size_t k = 0; k < cells.size(); ++k) {
    if (kept > 0 && cells[kept - 1].first == cells[k].first)
      cells[kept - 1].second += cells[k].second;
    else
      cells[kept++] = cells[k];
  }
  const auto added = static_cast<Index>(cells.size() - kept);
  cells.resize(kept);
  return added;
}

}  // namespace

Index tidy(SparseRows& rows) {
  Index added = 0;
  std::size_t kept = 0;
  Cells cells;
  for (std::size_t i = 0; i + 1 < rows.starts.size(); ++i) {
    cells.clear();
    for (Index k = rows.starts[i]; k < rows.starts[i + 1]; ++k)
      cells.emplace_back(rows.columns[static_cast<std::size_t>(k)],
                         rows.values[static_cast<std::size_t>(k)]);
    added += tidy_row(cells);
    rows.starts[i] = static_cast<Index>(kept);
    for (const auto& [column, value] : cells) {
      if (value == 0) continue;
      rows.columns[kept] = column;
      rows.values[kept++] = value;
    }
  }
  rows.starts.back() = static_cast<Index>(kept);
  rows.columns.resize(kept);
  rows.values.resize(kept);
  return added;
}

std::uint64_t bytes_to_tidy(const SparseRows& rows) {
  Index longest = 0;
  for (std::size_t i = 1; i < rows.starts.size(); ++i)
    longest = std::max(longest, rows.starts[i] - rows.starts[i - 1]);
  return static_cast<std::uint64_t>(longest) * 3 * sizeof(Cells::value_type) +
         rows.values.size() * (sizeof(double) + sizeof(std::int32_t)) +
         rows.starts.size() * sizeof(Index);
}

}  // namespace mercer::detail
