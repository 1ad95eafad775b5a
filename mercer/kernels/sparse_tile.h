// Tiles of sparse rows. The products of all pairs are found column by column: each non-zero of a
// row meets the non-zeros that the tile's other rows have in its column, so that the work is the
// number of meetings, not rows x cols x dim. Sums run over the columns in order.
#pragma once

#include "mercer/core/types.h"

#include <cstdint>
#include <vector>

namespace mercer {

/// Rows in compressed form: the non-zeros of row i stand at [starts[i], starts[i + 1]).
template <class T>
struct CompressedRows {
  const Index* starts = nullptr;
  const std::int32_t* columns = nullptr;
  const T* values = nullptr;
};

/// Work space of one thread.
template <class T>
struct SparseScratch {
  std::vector<std::int32_t> heads;  // per column: 1 + its place in `begins`, 0 where it is empty
  std::vector<std::int32_t> touched, begins, ends, rows;
  std::vector<T> values;
};

/// out(i, j) = a_i . b_j, row-major.
template <class T>
void sparse_products(CompressedRows<T> a, Range rows, CompressedRows<T> b, Range cols, Index dim,
                     T* out, Index ldo, SparseScratch<T>& scratch);

/// out(i, j) = |a_i - b_j|^2 by summed differences, for rows whose products would cost digits.
template <class T>
void sparse_distances(CompressedRows<T> a, Range rows, CompressedRows<T> b, Range cols, T* out,
                      Index ldo);

extern template struct SparseScratch<float>;
extern template struct SparseScratch<double>;

}  // namespace mercer
