// The largest value of the objective of FastICA,
//   J(W) = sum_k |c_k|,   c_k = mean G(y_k) - that of a Gaussian source,   W orthonormal,
// by quasi-Newton steps. The fixed point stands still where J does, but passes saddles slowly and
// settles at a constant rate where the data do not follow the model; J has derivatives all the
// same. For W <- (I + A) W, A' = -A, and the signs e of c (Ablin, Cardoso, Gramfort: Faster ICA
// under orthogonal constraint, 2018)
//   dJ/dA_ij = e_i M_ij - e_j M_ji,   M = mean(g(y) y'),
// and for sources that are nearly independent d2J/dA_ij^2 = e_i h_i + e_j h_j with h = mean g'(y) -
// mean g(y) y: what L-BFGS begins with. Newton's step by that alone is the fixed point's, where the
// signs agree; how far it turns says when to stop. One look at the rows gives J and all of this.
#pragma once

#include "mercer/models/detail/ica/passes.h"
#include "mercer/models/detail/ica/unmixing.h"

#include <functional>

namespace mercer::detail {

/// A look at the rows, in double or in float.
using LookAtRows = std::function<ClimbPass(const Block& w)>;

struct ClimbTask {
  LookAtRows look;
  Index n = 0;
  Contrast contrast = Contrast::logcosh;
  double rounding = 0;  // relative, of J
  double tolerance = 0;
  Index iterations = 0;  // at most, those before included
};

/// From found.w, which is orthonormal. It has converged where Newton's step turns no direction by
/// more than the tolerance, or where nothing near is larger.
void climb(const ClimbTask& task, Unmixing& found, const Context& context);

}  // namespace mercer::detail
