// The inner loops of a nonuniform transform: one point against w0 x w1 rows of a box of cells. A
// row holds w2 cells of `lanes` complex numbers, adjacent in memory.
#pragma once

#include "mercer/core/index.h"

namespace mercer {

/// Rows are worked through in steps of this many doubles: boxes and rows have room beyond their
/// end.
constexpr Index kSpreadStep = 8;

/// A point among the cells of a box.
struct SpreadPoint {
  double* first = nullptr;         // its first cell
  Index stride0 = 0, stride1 = 0;  // doubles from cell to cell
  Index width0 = 1, width1 = 1;
  const double* weights0 = nullptr;
  const double* weights1 = nullptr;
  Index length = 0;  // doubles of a row, a multiple of kSpreadStep
};

struct SpreadLoops {
  /// Cell rows += weight * row; beyond the point's cells the row holds zeros.
  void (*add)(const SpreadPoint&, const double* row);
  /// row = sum of weight * cell rows.
  void (*take)(const SpreadPoint&, double* row);
};

/// Those of this machine. Products and sums are rounded apart: all machines get the same numbers.
const SpreadLoops& spread_loops();

}  // namespace mercer
