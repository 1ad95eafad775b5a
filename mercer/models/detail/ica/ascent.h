// Where the fixed point does not settle: steps that make the objective of FastICA,
//   J(W) = sum_k |c_k|,   c_k = mean G(y_k) - that of a Gaussian source,
// larger, each. Near Gaussian sources the fixed point jumps about, since it divides by curvatures
// that are nearly nothing; J has a largest value all the same. For W <- (I + A) W with A' = -A and
// e the signs of c
//   dJ/dA_ij = e_i M_ij - e_j M_ji,   M = mean(g(y) y'),
// which vanishes where the fixed point stands still; and, for sources that are nearly independent,
// d2J/dA_ij^2 = e_i h_i + e_j h_j with h = mean g'(y) - mean g(y) y. Newton's step with the
// magnitude of that, no entry larger than half a radian, is halved until J grows.
#pragma once

#include "mercer/models/detail/ica/passes.h"
#include "mercer/models/detail/ica/unmixing.h"

namespace mercer::detail {

struct AscentStep {
  Block w;
  double change = 0;    // 1 - |cos| of the step before it was halved
  bool larger = false;  // whether the objective grew; else w is where it was
};

/// All rows of w at once, which stay orthonormal.
AscentStep ascend_together(ConstBlockRef z, const Block& w, Contrast contrast,
                           const Context& context);

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
