// A table as compressed rows: its non-zeros.
#pragma once

#include "mercer/data/dataset.h"

namespace mercer::test {

inline Dataset sparse_rows(const Points& x) {
  SparseRows rows;
  for (Index i = 0; i < x.rows(); ++i) {
    for (Index j = 0; j < x.cols(); ++j) {
      if (x(i, j) == 0) continue;
      rows.columns.push_back(static_cast<std::int32_t>(j));
      rows.values.push_back(x(i, j));
    }
    rows.starts.push_back(static_cast<Index>(rows.columns.size()));
  }
  return {rows, x.cols()};
}

}  // namespace mercer::test
