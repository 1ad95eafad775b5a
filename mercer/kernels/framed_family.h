// A family as tiles compute it in a frame: rescaled, and less what centring cannot tell.
#pragma once

#include "mercer/kernels/frame.h"

#include <algorithm>
#include <cmath>

namespace mercer {

template <class Family>
Family in_frame(const Family& family, const Frame& frame) {
  Family framed = family.rescaled(frame.scale);
  if constexpr (requires { framed.less_diagonal; }) framed.less_diagonal = frame.less_diagonal;
  if constexpr (requires { framed.less_offset(); })
    if (frame.less_offset) framed = framed.less_offset();
  // A thin plate in other units of distance differs by a multiple of |x - y|^2, every part of which
  // has an affine factor: the units are those of the rows, where logarithms are small.
  if constexpr (requires { framed.less_squares(1.0); })
    if (frame.less_squares && frame.radius > 0) framed = framed.less_squares(2 * frame.radius);
  return framed;
}

/// About the largest |value| of a family up to these products and distances of two rows. Equal rows
/// are looked at as well, and a quarter of the most: a thin plate is 0 at its own unit.
template <class Family>
double size_at(const Family& family, const PairTerms<double>& most) {
  double size = 0;
  for (const double part : {0.0, 0.25, 1.0})
    size = std::max(size, std::abs(static_cast<double>(family(PairTerms<double>{
                              most.product * part, most.squared * part, most.summed * part}))));
  return size;
}

}  // namespace mercer
