// Singular values and vectors of a table X by the cross products of its smaller side. Squares keep
// half of the digits: of what is below 1e-3.5 of the largest singular value the products of all
// columns say little. So the directions that are left are looked at by themselves, X V, and what
// is small among those again, until nothing is left that is longer than 1e-8 of the largest.
#pragma once

#include "mercer/core/budget.h"
#include "mercer/core/types.h"

#include <functional>

namespace mercer::detail {

/// Components shorter than this share of the longest are left out: they would be divided by.
constexpr double kLeastLength = 1e-8;

struct Side {
  Vector values;  // squares of singular values, descending
  Block vectors;  // one unit column each
};

/// Those that the cross products themselves show, of n summed terms; the matrix is overwritten.
Side leading_side(Block& matrix, Index n, const Context& context);

/// All down to kLeastLength. `image` is X v, `back` X'v, for a block of columns; the matrix, X'X,
/// is overwritten.
using Image = std::function<Block(const Block& v)>;
Side whole_side(Block& matrix, const Image& image, const Image& back, const Context& context);

}  // namespace mercer::detail
