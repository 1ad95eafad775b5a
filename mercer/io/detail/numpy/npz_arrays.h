// The arrays of an NPZ archive, and which of them make a table: the one asked for, the only one, or
// a matrix with what may stand beside it under well-known names: labels, names of columns and rows.
#pragma once

#include "mercer/io/detail/numpy/npy_header.h"
#include "mercer/io/detail/numpy/zip_archive.h"
#include "mercer/io/table.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace mercer::detail {

struct NpzArray {
  std::string name;  // without .npy
  ZipEntry entry;
  NpyHeader header;
  std::optional<Error> fault;  // why the header cannot be read; then it is empty
};

/// All members called *.npy, with their headers. Throws M427 and M408, M301 for too many.
std::vector<NpzArray> npz_arrays(std::string_view archive, const std::string& file,
                                 const Context& context);

struct NpzChoice {
  const NpzArray* table = nullptr;
  const NpzArray* labels = nullptr;  // these may be null
  const NpzArray* columns = nullptr;
  const NpzArray* ids = nullptr;
  const NpzArray* label_name = nullptr;  // of the column that held the labels: one text
};

/// Throws M426 where several arrays could be meant, or none has the name asked for.
NpzChoice choose_arrays(const std::vector<NpzArray>& arrays, const ReadOptions& options,
                        const std::string& file);

}  // namespace mercer::detail
