// The affine functions (1, x) of a table's rows, as an orthonormal basis of their values. Columns
// may be constant, nearly equal, or far from the origin against their spread: every step that could
// cancel is made in twice the precision, so that the span is that of the data to the last digits.
// A column is left out where the values themselves cannot tell it from an affine function of the
// others: where what is left of it, row by row, is at most four units of rounding of the numbers
// that it is the difference of.
#pragma once

#include "mercer/core/budget.h"
#include "mercer/data/view.h"
#include "mercer/linalg/twofold.h"

#include <vector>

namespace mercer {

struct AffineBasis {
  Block q;            // n x rank, orthonormal: the functions' values on the rows
  TwofoldBlock back;  // (dim + 1) x rank: q = [1, scale X] back; of all that do so on these rows
                      // the functions that a step away from their plane does not change
  std::vector<Index> dependent;  // columns that were left out, rising
  double error = 0;              // sine of the angle between q and the exact span, at most

  AffineBasis() = default;
  /// `scale`: a power of two that rows are multiplied by.
  AffineBasis(DataView rows, double scale, const Context& context);
};

/// Affine functions of rows in the coordinates of a frame, one column each: [1, scale x - centre]
/// times a table of coefficients.
class AffineFunctions {
 public:
  AffineFunctions() = default;
  AffineFunctions(Block high, Block low) {
    table_.high = std::move(high), table_.low = std::move(low);
  }
  /// The combinations q weights of a basis; `centre` may be empty.
  AffineFunctions(const AffineBasis& basis, const Block& weights, const Vector& centre);

  /// Adds a number to each.
  void add(const Vector& constants);
  bool empty() const { return table_.high.size() == 0; }
  const TwofoldBlock& table() const { return table_; }
  /// Takes their values at each row out of that row of a block.
  void remove(DataView rows, double scale, const Vector& centre, BlockRef block) const;

 private:
  TwofoldBlock table_;  // (dim + 1) x functions
};

}  // namespace mercer
