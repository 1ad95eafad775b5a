#include "mercer/io/detail/csv/tally.h"

#include <algorithm>

namespace mercer::detail {

Tally& Tallies::at(std::size_t column, CellKind kind) {
  for (std::int32_t i = of_[column]; i >= 0; i = entries_[static_cast<std::size_t>(i)].next)
    if (entries_[static_cast<std::size_t>(i)].kind == kind)
      return entries_[static_cast<std::size_t>(i)].tally;
  if (of_[column] < 0) columns_.push_back(column);
  entries_.push_back({{}, of_[column], kind});
  of_[column] = static_cast<std::int32_t>(entries_.size() - 1);
  return entries_.back().tally;
}

void Tallies::note(std::size_t column, CellKind kind, std::string_view text, Index line) {
  Tally& tally = at(column, kind);
  if (tally.count == 0) tally.first = text;
  if (tally.count < static_cast<Index>(tally.lines.size()))
    tally.lines[static_cast<std::size_t>(tally.count)] = line;
  ++tally.count;
}

void Tallies::add(const Tallies& next, Index line) {
  for (const std::size_t column : next.columns_)
    for (std::int32_t k = next.of_[column]; k >= 0;
         k = next.entries_[static_cast<std::size_t>(k)].next) {
      const Entry& entry = next.entries_[static_cast<std::size_t>(k)];
      const Tally& from = entry.tally;
      Tally& to = at(column, entry.kind);
      if (to.count == 0) to.first = from.first;
      const auto most = static_cast<Index>(to.lines.size());
      for (Index i = 0; i < std::min(from.count, most) && to.count + i < most; ++i)
        to.lines[static_cast<std::size_t>(to.count + i)] =
            line + from.lines[static_cast<std::size_t>(i)];
      to.count += from.count;
    }
}

ColumnTally Tallies::operator[](std::size_t column) const {
  ColumnTally found;
  for (std::int32_t i = of_[column]; i >= 0; i = entries_[static_cast<std::size_t>(i)].next) {
    const Entry& entry = entries_[static_cast<std::size_t>(i)];
    found.kinds[static_cast<std::size_t>(entry.kind)] = &entry.tally;
  }
  return found;
}

}  // namespace mercer::detail
