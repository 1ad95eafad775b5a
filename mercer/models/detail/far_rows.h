// New rows so far from the training rows that nothing is left of their scores. A kernel that grows
// with the distance is a large number for all pairs then; what the coefficients, whose sum is 0,
// leave of it is small, and the rounding of the large numbers is not.
#pragma once

#include "mercer/kernels/frame.h"
#include "mercer/kernels/kernel.h"

#include <vector>

namespace mercer::detail {

/// What the scores of a model are sums of.
struct ScoreTerms {
  const Kernel& kernel;
  const Frame& frame;
  const Block& coefficients;
  Vector typical;       // size of a training row's score, for each component
  Precision precision;  // of tiles
};

/// Rows beyond ten radii whose scores (one row each) have an estimated error of more than 1e-6 of
/// their size, or of that of training rows. Looks at the length of each row, not at pairs.
std::vector<Index> far_rows(const ScoreTerms& terms, DataView rows, ConstBlockRef scores);

}  // namespace mercer::detail
