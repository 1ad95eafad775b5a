// What is not a plain number in each column: how many cells of each kind, and where the first ones
// stand. Nothing is refused here: whether a text is a mistake depends on the whole column.
#pragma once

#include "mercer/core/index.h"
#include "mercer/io/detail/csv/number.h"

#include <array>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

namespace mercer::detail {

/// The cells of one kind in one column.
struct Tally {
  Index count = 0;
  std::array<Index, 5> lines = {};  // of the first ones
  std::string first;                // text of the first one
};

/// Those of one column; valid as long as the Tallies are.
struct ColumnTally {
  std::array<const Tally*, kCellKinds> kinds = {};
  const Tally& operator[](CellKind kind) const {
    static const Tally kNone;
    const Tally* found = kinds[static_cast<std::size_t>(kind)];
    return found == nullptr ? kNone : *found;
  }
  /// Cells that were meant as numbers, readable or not.
  Index numeric(Index rows) const {
    return rows - (*this)[CellKind::missing].count - (*this)[CellKind::text].count;
  }
};

class Tallies {
 public:
  Tallies() = default;
  explicit Tallies(std::size_t columns) : of_(columns, -1) {}

  void note(std::size_t column, CellKind kind, std::string_view text, Index line);
  /// Those of the rows that follow, whose lines are counted from `line`.
  void add(const Tallies& next, Index line);
  ColumnTally operator[](std::size_t column) const;
  /// The columns that have any.
  const std::vector<std::size_t>& columns() const { return columns_; }
  /// Bytes beyond some for each column, about.
  std::uint64_t bytes() const { return entries_.size() * (sizeof(Entry) + 2 * sizeof(Index)); }

 private:
  // One kind of one column, chained to the column's other kinds.
  struct Entry {
    Tally tally;
    std::int32_t next;
    CellKind kind;
  };
  Tally& at(std::size_t column, CellKind kind);

  // Few columns of a wide table have other cells than numbers, and those mostly of one kind.
  std::vector<std::int32_t> of_;
  std::vector<std::size_t> columns_;
  std::deque<Entry> entries_;
};

}  // namespace mercer::detail
