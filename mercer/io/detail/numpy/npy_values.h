// The elements of an NPY array of any numeric type, byte order and storage order.
#pragma once

#include "mercer/core/budget.h"
#include "mercer/data/view.h"
#include "mercer/io/detail/numpy/npy_header.h"

#include <cstddef>
#include <string_view>
#include <vector>

namespace mercer::detail {

/// An array seen as a matrix: the first extent counts rows, all others together the columns. The
/// data hold exactly as many bytes as the shape says.
struct NpyMatrix {
  std::string_view data;
  NpyType type;
  Index n = 0;
  std::vector<Index> shape;
  bool fortran_order = false;
};

Index columns_of(const NpyMatrix& matrix);

/// The type the numbers have in memory: float and byte arrays of this machine's order stay as they
/// are.
Scalar kept_type(const NpyType& type);

/// One element, whatever its type.
double element(const NpyMatrix& matrix, Index row, Index column);

/// The given columns of all rows in kept_type(), row-major.
std::vector<std::byte> gather(const NpyMatrix& matrix, const std::vector<Index>& columns,
                              const Context& context);

}  // namespace mercer::detail
