// What block iterations share: the block they begin with, and the moment rounding ends them.
#pragma once

#include "mercer/core/budget.h"
#include "mercer/core/types.h"
#include "mercer/linalg/operator.h"
#include "mercer/solvers/eigen.h"

#include <vector>

namespace mercer {

/// `width` orthonormal columns to begin with: the request's start, or else the leading vectors of
/// the matrix nearby, and random ones, a few of them in any case.
Block start_block(Index n, Index width, const EigenRequest& request, const Context& context);

/// Orthonormal columns orthogonal to v: those of z, and random ones in place of dependent ones, up
/// to `width` in all or as many as there is room for.
Block completed(Block z, ConstBlockRef v, Index width, double scale, std::uint64_t seed,
                const Context& context);

/// Whether residuals have stopped to shrink, within `window` points of the history, at the height
/// to which rounding and the operator's error lift them.
bool at_rounding_floor(const std::vector<PassPoint>& history, std::size_t window, Index n,
                       double largest, double operator_error);

}  // namespace mercer
