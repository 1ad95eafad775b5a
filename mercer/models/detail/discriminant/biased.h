// Biased discriminants: what sets the rows of one class apart from the rest, whatever the rest is.
// With the scores z of the range, the mean m of the positive rows, and both scatters about it,
//   P = sum_positive (z - m)(z - m)',   N = sum_negative (z - m)(z - m)',
//   N w = l P_r w,   P_r = (1 - r) P + r tr(P) / rank I,   w'P_r w = 1, times sqrt(l).
// Everything happens in the span of the labelled rows, which are few. Zhou, Huang: Small sample
// learning during multimedia retrieval using BiasMap (2001).
#pragma once

#include "mercer/models/detail/discriminant/kernel_range.h"

#include <vector>

namespace mercer::detail {

struct BiasedDirections {
  Vector values;  // l, descending
  Block along;    // v: values at the training rows are U v
  Vector mean;    // of the positive rows' values
};

/// Throws M271 where the positive rows are all the same, or r = 0 and their scatter is singular.
BiasedDirections biased_directions(const KernelRange& range, const std::vector<Index>& positive,
                                   const std::vector<Index>& negative, double ridge,
                                   const Context& context);

}  // namespace mercer::detail
