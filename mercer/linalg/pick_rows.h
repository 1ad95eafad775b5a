// Rows taken out of a block by their numbers. The numbers often come from elsewhere than the block,
// so they are looked at in every build: a block of another space would be read beyond its end.
#pragma once

#include "mercer/core/check.h"
#include "mercer/core/error.h"
#include "mercer/core/types.h"

#include <span>

namespace mercer {

/// The rows with these numbers, in that order; throws M000 for one that is not there.
inline Block pick_rows(ConstBlockRef block, std::span<const Index> which) {
  Block rows(static_cast<Index>(which.size()), block.cols());
  for (Index i = 0; i < rows.rows(); ++i) {
    const Index at = which[static_cast<std::size_t>(i)];
    require(at >= 0 && at < block.rows(), ErrorCode::internal,
            "a row that the block does not have");
    rows.row(i) = block.row(at);
  }
  return rows;
}

}  // namespace mercer
