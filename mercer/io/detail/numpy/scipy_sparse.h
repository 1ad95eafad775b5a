// Sparse matrices as scipy.sparse.save_npz writes them: arrays format, shape and data, beside them
// indices and indptr (csr, csc) or row and col (coo).
#pragma once

#include "mercer/io/detail/numpy/npz_arrays.h"

#include <string>
#include <vector>

namespace mercer::detail {

/// Whether an archive of these arrays is such a matrix.
bool is_scipy_sparse(const std::vector<NpzArray>& arrays);

/// The matrix as sparse rows. Throws M427 where its arrays do not fit each other or the format is
/// another one, M202, M211, M215, M301, and what finish_table() throws.
Table read_scipy_sparse(const std::vector<NpzArray>& arrays, const ReadOptions& options,
                        const Context& context, const std::string& file);

}  // namespace mercer::detail
