// The header of IDX files, in which MNIST came: two zero bytes, one for the element type, one for
// the number of dimensions, then the extents and the elements, all big-endian.
#pragma once

#include "mercer/io/detail/numpy/npy_values.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace mercer::detail {

/// Whether the bytes begin as IDX does, with extents that some file could have.
bool has_idx_magic(std::string_view head);

struct IdxHeader {
  NpyType type;
  std::vector<Index> shape;
  std::size_t start = 0;  // of the data, in bytes
};

/// The header of a file of so many bytes that begins with these. Throws as parse_idx.
IdxHeader parse_idx_header(std::string_view content, std::uint64_t size, const std::string& file);

/// The array of a whole file. Throws M443: another mark, extents whose product is no size, less or
/// more data than the extents need, no dimension of rows.
NpyMatrix parse_idx(std::string_view content, const std::string& file);

}  // namespace mercer::detail
