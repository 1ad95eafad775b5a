// The texts of one column, each different one stored once: a column of classes takes one number per
// row. A column whose first text appears late was taken for numbers until then; those rows get
// their numbers' shortest spelling.
#pragma once

#include "mercer/io/detail/csv/cells.h"

#include <deque>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace mercer::detail {

class TextColumn {
 public:
  /// `first_row`: how many rows came before the first one that is added.
  explicit TextColumn(Index column = 0, Index first_row = 0)
      : column_(column), first_row_(first_row) {}
  ~TextColumn() = default;
  TextColumn(TextColumn&&) = default;
  TextColumn& operator=(TextColumn&&) = default;
  TextColumn(const TextColumn&) = delete;  // the map of a copy would look into the original
  TextColumn& operator=(const TextColumn&) = delete;

  Index column() const { return column_; }
  Index first_row() const { return first_row_; }
  /// Whether some text other than the empty one is there twice.
  bool repeats() const { return repeats_; }
  /// Bytes it takes, roughly.
  std::uint64_t bytes() const;

  void add(const Cell& cell);
  /// Gives up the different texts; the rows say which one each has. Nothing can be added after.
  std::vector<std::string> take_different();
  /// Puts texts for the rows before the first one in front.
  void prepend(const std::vector<std::string>& before);
  /// Only the rows with a true mark.
  void keep_rows(const std::vector<bool>& kept);

  /// Each different text, in the order of first appearance, and for each row which one it is.
  const std::deque<std::string>& different() const { return different_; }
  const std::vector<Index>& rows() const { return rows_; }
  const std::string& text(Index row) const {
    return different_[static_cast<std::size_t>(rows_[static_cast<std::size_t>(row - first_row_)])];
  }

 private:
  void add_text(std::string_view text);

  Index column_, first_row_;
  bool repeats_ = false;
  std::uint64_t text_bytes_ = 0;
  std::deque<std::string> different_;  // never moved: the map looks into it
  std::unordered_map<std::string_view, Index> place_;
  std::vector<Index> rows_;
};

}  // namespace mercer::detail
