// Rows of a table less their means, times a power of two that brings them into [-1, 1], for linear
// methods: products tile by tile, without a copy of the table, whatever type its numbers have.
#pragma once

#include "mercer/core/budget.h"
#include "mercer/core/types.h"
#include "mercer/data/view.h"

#include <functional>
#include <span>

namespace mercer::detail {

class CentredRows {
 public:
  /// Finds means and the power of two. Views the rows.
  CentredRows(DataView rows, const Context& context);
  /// Less these means and not scaled: new rows of a model.
  CentredRows(DataView rows, Vector mean);

  Index n() const { return rows_.n(); }
  Index dim() const { return rows_.dim(); }
  /// Of the columns, in their own units.
  const Vector& mean() const { return mean_; }
  /// What rows are multiplied by.
  double scale() const { return scale_; }

  /// Sums of the squares of each column, and X'v, in one pass.
  struct Look {
    Vector squares;
    Block products;
  };
  Look look(ConstBlockRef v, const Context& context) const;
  /// X map: a row for each row.
  Block times(ConstBlockRef map, const Context& context) const;
  /// X'v: a row for each column.
  Block transposed_times(ConstBlockRef v, const Context& context) const;
  /// X'X.
  Block gram(const Context& context) const;
  /// X'X, X'v and X'1 of some rows.
  struct Part {
    Block gram, products;
    Vector sums;
  };
  Part part(std::span<const Index> which, ConstBlockRef v, const Context& context) const;
  /// Some rows as the columns of a block.
  Block transposed(std::span<const Index> which) const;

 private:
  using UseTile = std::function<void(Index part, Range rows, Block& tile)>;
  void over_tiles(Index parts, const Context& context, const UseTile& use) const;
  void place(Index row, Block& tile, Index column) const;

  DataView rows_;
  Vector mean_, scaled_mean_;
  double scale_ = 1;
};

}  // namespace mercer::detail
