// What is not a plain number in each column: how many cells of each kind, and where the first ones
// stand. Nothing is refused here: whether a text is a mistake depends on the whole column.
#pragma once

#include "mercer/core/types.h"
#include "mercer/io/detail/csv_number.h"

#include <array>
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

struct ColumnTally {
  std::array<Tally, kCellKinds> kinds;
  const Tally& operator[](CellKind kind) const { return kinds[static_cast<std::size_t>(kind)]; }
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
  const ColumnTally& operator[](std::size_t column) const;
  /// The columns that have any.
  const std::vector<std::size_t>& columns() const { return columns_; }

 private:
  ColumnTally& at(std::size_t column);

  // Few columns of a wide table have other cells than numbers.
  std::vector<std::int32_t> of_;
  std::vector<std::size_t> columns_;
  std::vector<ColumnTally> tallies_;
};

}  // namespace mercer::detail
