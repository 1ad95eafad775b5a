#include "mercer/io/detail/csv_tally.h"

#include <algorithm>

namespace mercer::detail {

ColumnTally& Tallies::at(std::size_t column) {
  if (of_[column] < 0) {
    of_[column] = static_cast<std::int32_t>(tallies_.size());
    columns_.push_back(column);
    tallies_.emplace_back();
  }
  return tallies_[static_cast<std::size_t>(of_[column])];
}

void Tallies::note(std::size_t column, CellKind kind, std::string_view text, Index line) {
  Tally& tally = at(column).kinds[static_cast<std::size_t>(kind)];
  if (tally.count == 0) tally.first = text;
  if (tally.count < static_cast<Index>(tally.lines.size()))
    tally.lines[static_cast<std::size_t>(tally.count)] = line;
  ++tally.count;
}

void Tallies::add(const Tallies& next, Index line) {
  for (const std::size_t column : next.columns_) {
    const ColumnTally& more = next[column];
    ColumnTally& sum = at(column);
    for (std::size_t kind = 0; kind < kCellKinds; ++kind) {
      Tally& to = sum.kinds[kind];
      const Tally& from = more.kinds[kind];
      if (to.count == 0) to.first = from.first;
      const auto most = static_cast<Index>(to.lines.size());
      for (Index i = 0; i < std::min(from.count, most) && to.count + i < most; ++i)
        to.lines[static_cast<std::size_t>(to.count + i)] =
            line + from.lines[static_cast<std::size_t>(i)];
      to.count += from.count;
    }
  }
}

const ColumnTally& Tallies::operator[](std::size_t column) const {
  static const ColumnTally kNone;
  return of_[column] < 0 ? kNone : tallies_[static_cast<std::size_t>(of_[column])];
}

}  // namespace mercer::detail
