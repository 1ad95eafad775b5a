// The inner loops of a symmetric matrix times a vector, of which the lower triangle is stored:
// every number of it is read once and serves both its row and its column.
#pragma once

#include "mercer/core/index.h"

namespace mercer {

/// Columns of a symmetric matrix from the diagonal downwards: column-major, `rows` numbers in the
/// first column, one less in each that follows.
struct SymmetricStrip {
  const double* first = nullptr;  // the diagonal entry of its first column
  Index stride = 0;               // from column to column
  Index rows = 0;
  Index columns = 0;
};

/// y += S x, where S is the symmetric matrix whose lower triangle has these columns and zeros
/// elsewhere; x and y begin at the row of the first diagonal entry. Products and sums are rounded
/// apart, in an order of their own on each CPU level.
void add_symmetric_product(const SymmetricStrip& strip, const double* x, double* y);

}  // namespace mercer
