// Values of a kernel may be of any size: those of the linear one grow with the square of the rows.
// Far from 1 their squares, or they themselves as float numbers, would overflow or vanish. They are
// then divided by a power of two, which rounds nothing: what is computed from them is the same, but
// for that power, whatever the units of the data.
#pragma once

#include "mercer/core/types.h"
#include "mercer/kernels/frame.h"
#include "mercer/kernels/kernel.h"

#include <vector>

namespace mercer {

/// What numbers of about this size are divided by: a power of four, whose root is as exact; 1 where
/// they are near enough to 1.
double unit_for(double size);

/// A power of two for each number: dividing by it brings the largest of each column into [1, 2).
Vector column_units(ConstBlockRef block);

/// Terms of a kernel, rescaled to a frame, whose values are those of the kernel over the unit.
struct TermsInUnits {
  std::vector<KernelTerm> terms;
  double unit = 1;
};
TermsInUnits in_units(std::vector<KernelTerm> rescaled, const Frame& frame);

}  // namespace mercer
