// Sparse rows brought into order: columns rising, each once, no zeros.
#pragma once

#include "mercer/data/dataset.h"

#include <cstdint>

namespace mercer::detail {

/// In place; entries of the same place are added up, as assembled matrices want it. Returns how
/// many were.
Index tidy(SparseRows& rows);

/// What tidy() needs to bring the longest row into order, and the rows themselves.
std::uint64_t bytes_to_tidy(const SparseRows& rows);

}  // namespace mercer::detail
