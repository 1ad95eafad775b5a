// The first walk over a text table: the numbers of the kept columns, row-major, and for every
// column that has other cells what they were and where. Nothing is refused here: whether a text is
// a mistake depends on the whole column.
#pragma once

#include "mercer/io/detail/csv_rows.h"

#include <array>
#include <cstddef>
#include <string_view>
#include <vector>

namespace mercer::detail {

/// The cells of one kind in one column.
struct Tally {
  Index count = 0;
  std::array<Index, 5> lines = {};  // of the first ones
  std::string_view first;           // text of the first one
};

struct ColumnTally {
  std::array<Tally, kCellKinds> kinds;
  const Tally& operator[](CellKind kind) const { return kinds[static_cast<std::size_t>(kind)]; }
  /// Cells that were meant as numbers, readable or not.
  Index numeric(Index rows) const {
    return rows - (*this)[CellKind::missing].count - (*this)[CellKind::text].count;
  }
};

class CsvValues {
 public:
  /// Reads the columns with these numbers. Throws M301 when text and numbers exceed the memory
  /// budget.
  CsvValues(const TextTable& table, std::vector<Index> columns, const Context& context);

  Index rows() const { return rows_; }
  const std::vector<Index>& columns() const { return columns_; }
  /// What is not a plain number in the column at this place of columns().
  const ColumnTally& tally(std::size_t slot) const;
  double at(Index row, std::size_t slot) const;

  /// Gives up the numbers of the chosen places, n x slots.size(), row-major.
  std::vector<std::byte> take(const std::vector<std::size_t>& slots);

 private:
  void add_row(const std::vector<Cell>& cells, Index line, const NumberStyle& style);
  void note(std::size_t slot, CellKind kind, std::string_view text, Index line);

  std::vector<Index> columns_;
  std::vector<std::byte> bytes_;
  Index rows_ = 0;
  // Few columns of a wide table have other cells than numbers.
  std::vector<Index> tally_of_;
  std::vector<ColumnTally> tallies_;
};

}  // namespace mercer::detail
