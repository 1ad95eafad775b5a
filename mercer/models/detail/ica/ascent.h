// Where the fixed point for one direction w does not settle: steps that make the objective of
// FastICA, J(w) = |c|, c = mean G(y) - that of a Gaussian source, larger, each. Near Gaussian
// sources the fixed point jumps about, since it divides by a curvature that is nearly nothing; J
// has a largest value all the same. Newton's step, with the magnitude of h = mean g'(y) - mean g(y)
// y for the curvature and no longer than half a radian, is halved until J grows.
#pragma once

#include "mercer/models/detail/ica/passes.h"
#include "mercer/models/detail/ica/unmixing.h"

namespace mercer::detail {

struct AscentStep {
  Block w;
  double change = 0;    // 1 - |cos| of the step before it was halved
  bool larger = false;  // whether the objective grew; else w is where it was
};

/// One row, which stays orthogonal to those of `before`.
AscentStep ascend_alone(ConstBlockRef z, const Block& w, const Block& before, Contrast contrast,
                        const Context& context);

/// The largest 1 - |cos| between a unit row and the same row of another matrix, from their
/// difference: |a - b|^2 / 2, of which rounding takes nothing.
double turned(const Block& from, const Block& to);

/// c for the rows of w; their magnitudes add up to the objective.
Vector contrast_gaps(ConstBlockRef z, const Block& w, Contrast contrast, const Context& context);

/// What is left of a row beside orthonormal ones, as a unit row; false where nothing is.
bool leave_out(const Block& before, Block& w);

}  // namespace mercer::detail
