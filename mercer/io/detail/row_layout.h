// Where the rows of a table stand in its file, for formats that keep them one after the other,
// uncompressed, as numbers of one type.
#pragma once

#include "mercer/io/detail/numpy/npy_header.h"

#include <cstdint>
#include <string>
#include <vector>

namespace mercer::detail {

struct RowLayout {
  NpyType type;
  Index n = 0, dim = 0;
  std::uint64_t offset = 0;  // of the first number, in bytes
  bool fortran_order = false;
  std::vector<Index> image_shape = {};  // as in Table
};

}  // namespace mercer::detail
