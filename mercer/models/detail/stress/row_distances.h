// Euclidean distances between rows, tile by tile:
//   |x - y|^2 = |x - m|^2 + |y - m|^2 - 2 (x - m).(y - m)
// by one matrix product, with m in the middle of the rows. Where little is left of the sums, which
// is where digits are lost, the differences themselves are squared; so equal rows have distance 0.
#pragma once

#include "mercer/core/budget.h"
#include "mercer/core/types.h"
#include "mercer/data/view.h"

namespace mercer::detail {

class RowDistances {
 public:
  /// Distances to some rows, which are viewed; all of them multiplied by `scale`.
  RowDistances(DataView rows, double scale, const Context& context);

  Index n() const { return rows_.n(); }
  double scale() const { return scale_; }
  /// out(i, j) = distance of row `from.begin` + i of `others` from row `to.begin` + j; row-major,
  /// as wide as `to`.
  void fill(DataView others, Range from, Range to, double* out) const;

 private:
  Points moved(DataView rows, Range part, Range columns) const;
  double apart(DataView others, Index i, Index j, Vector& one, Vector& other) const;

  DataView rows_;
  double scale_;
  Vector middle_;
};

}  // namespace mercer::detail
