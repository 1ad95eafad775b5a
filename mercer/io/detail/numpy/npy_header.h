// The header of NumPy's NPY format, versions 1 to 3: magic, version, length, and a dictionary
// literal with the keys descr, fortran_order and shape. The literal is read by a small parser of
// its own: nothing is evaluated, nothing is nested, and no size is believed before it is compared
// with the file.
#pragma once

#include "mercer/core/index.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace mercer::detail {

/// A NumPy element type such as <f8: byte order, kind, bytes.
struct NpyType {
  std::string text;  // as in the file
  char kind = 'f';
  Index size = 8;
  bool big_endian = false;
};

struct NpyHeader {
  NpyType type;
  bool fortran_order = false;
  std::vector<Index> shape;
  std::size_t data_offset = 0;
};

/// Whether the bytes begin with the mark of the format.
bool has_npy_magic(std::string_view head);

/// Throws M420 (not NPY), M422 (damaged), M403 (objects), M423 (records), M424 (complex), M428
/// (dates; text unless it is allowed).
NpyHeader parse_npy_header(std::string_view content, const std::string& file,
                           bool allow_text = false);

/// Magic, version 1.0 and dictionary of an array in C order, padded so that the data begin at a
/// multiple of 64.
std::string make_npy_header(std::string_view descr, Index n, Index dim);
/// The same for an array of one dimension.
std::string make_npy_header(std::string_view descr, Index n);

}  // namespace mercer::detail
