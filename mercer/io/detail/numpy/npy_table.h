// NPY arrays seen as tables: which shapes are one, whether the data are all there.
#pragma once

#include "mercer/io/detail/numpy/npy_header.h"
#include "mercer/io/detail/numpy/npy_values.h"
#include "mercer/io/table.h"

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace mercer::detail {

/// The product of extents from the given one on. Throws M422 for what is no size of anything.
Index product_of(const std::vector<Index>& extents, std::size_t first, const std::string& file);

/// A table's sizes as the header says them.
struct NpyExtents {
  Index n = 0, dim = 0;
  Index need = 0;                  // bytes
  std::vector<Index> image_shape;  // as in Table
};

/// Throws M425 (dimensions), M202, M211.
NpyExtents npy_extents(const NpyHeader& header, bool images, const std::string& file);

/// Throws M421 where fewer bytes are there than needed.
void check_npy_bytes(const NpyHeader& header, Index need, std::uint64_t there,
                     const std::string& file);

/// Rows, columns and bytes, all proved against the content; notes and the shape of images go to the
/// table. Throws M425 (dimensions), M202, M211, M421 (too short), M215.
NpyMatrix npy_matrix(std::string_view content, const NpyHeader& header, bool images, Table& table,
                     const std::string& file);

/// The texts of a one-dimensional array of text, or of numbers. Throws M421, M422.
std::vector<std::string> npy_texts(std::string_view content, const NpyHeader& header,
                                   const std::string& file);

/// Writes a one-dimensional array of text, as NumPy's <U arrays are; text(i) is its i-th entry.
void write_npy_texts(std::size_t count, const std::function<const std::string&(std::size_t)>& text,
                     Sink& sink);

}  // namespace mercer::detail
