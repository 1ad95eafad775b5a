// Covariances and Gram matrices of a table, by matrix products on tiles: rows are turned into
// doubles a panel at a time, never all of them.
#pragma once

#include "mercer/core/budget.h"
#include "mercer/core/types.h"
#include "mercer/data/view.h"

namespace mercer::detail {

/// How rows are moved and scaled first: (x - shift) * factor, by column.
struct ColumnFrame {
  Vector shift, factor;
};

/// The mean, and one factor for all columns: the largest deviation is 1.
ColumnFrame centred_frame(DataView rows, const Context& context);

/// X'X / n of the rows as the frame leaves them.
Block covariance_of(DataView rows, const ColumnFrame& frame, const Context& context);

/// Eigenvalues of that matrix, descending, from the smaller side: as many as the table has rows or
/// columns, whichever are fewer.
Vector spectrum_of(DataView rows, const ColumnFrame& frame, const Context& context);

/// Eigenvalues of the symmetric matrix, descending, none below 0; it is overwritten.
Vector values_of(Block& matrix, const Context& context);

/// out += p p', both triangles.
void add_products(ConstBlockRef p, BlockRef out, const Context& context);

}  // namespace mercer::detail
