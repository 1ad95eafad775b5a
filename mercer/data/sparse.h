// A copy of sparse rows that can be changed: a view may be a part of somebody else's, so that its
// first row need not stand at the beginning of the arrays.
#pragma once

#include "mercer/data/dataset.h"
#include "mercer/data/view.h"

namespace mercer {

/// The rows of a sparse view; cost and memory are those of its non-zeros.
inline SparseRows sparse_copy(DataView rows) {
  SparseRows copy;
  copy.starts.reserve(static_cast<std::size_t>(rows.n()) + 1);
  if (rows.n() == 0) return copy;
  const SparseRow first = rows.sparse_row(0);
  for (Index i = 0; i < rows.n(); ++i)
    copy.starts.push_back(copy.starts.back() + rows.sparse_row(i).count);
  copy.columns.assign(first.columns, first.columns + rows.stored());
  copy.values.assign(first.values, first.values + rows.stored());
  return copy;
}

}  // namespace mercer
