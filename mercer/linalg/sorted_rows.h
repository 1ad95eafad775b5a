// Rows of few columns in an order in which near rows stand together, so that what is spread from
// them onto a grid, or read from it, stays in the cache.
#pragma once

#include "mercer/core/budget.h"
#include "mercer/core/types.h"

#include <cstdint>
#include <functional>
#include <vector>

namespace mercer {

class SortedRows {
 public:
  /// Writes the rows of a range, row-major.
  using Source = std::function<void(Range, double*)>;

  /// Rows lie in the box |x_i| <= reach_i, for the order's sake only. The source is asked twice
  /// for every row, from several threads.
  SortedRows(Index n, const Vector& reach, const Source& source, const Context& context);

  Index n() const { return rows_.rows(); }
  Index dim() const { return rows_.cols(); }
  const Points& rows() const { return rows_; }
  /// Which row of the source stands at this place.
  Index original(Index place) const { return order_[static_cast<std::size_t>(place)]; }

 private:
  Points rows_;
  std::vector<std::uint32_t> order_;
};

}  // namespace mercer
