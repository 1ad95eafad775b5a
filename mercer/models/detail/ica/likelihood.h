// Independent components by maximum likelihood. Of whitened rows z, y = W z, the mean over rows of
//   L(W) = ln|det W| + sum_k ln p_k(y_k)
// with the steep density p(u) = 1 / (pi cosh u), psi = -(ln p)' = tanh u, of sources with heavier
// tails than a Gaussian one, or the flat one, two Gaussians side by side,
//   p(u) = exp(-(u^2 + 1)/2) cosh u / sqrt(2 pi),   psi = u - tanh u,
// of those with lighter tails. A maximum is stable with the steep density where
//   mean(1 - tanh^2 y) mean(y^2) > mean(y tanh y)
// and with the flat one where it is less: the sign chooses the density (extended infomax, Lee,
// Girolami, Sejnowski 1999).
//
// With W <- (I + D) W the gradient of -L is G = mean(psi(y) y') - I, and near a maximum the Hessian
// falls into blocks of 2 by 2, [[h_ij, 1], [1, h_ji]], h_ij = mean(psi'(y_i)) mean(y_j^2), and
// mean(psi'(y_i) y_i^2) + 1 on the diagonal. Newton's step with these, its eigenvalues no less than
// 0.01, is bettered by what the last steps told of the curvature (Ablin, Cardoso, Gramfort 2018)
// and halved until L grows; where it never does, the natural gradient -G takes its place. At the
// maximum mean(psi(y) y') = I, which fixes the scale of the sources too.
#pragma once

#include "mercer/models/detail/ica/passes.h"
#include "mercer/models/detail/ica/unmixing.h"

namespace mercer::detail {

/// From the rows of `start`; converged where no entry of G exceeds the tolerance. `extended`: the
/// flat density is used where it fits. The objective is L.
Unmixing likelihood_search(ConstBlockRef z, const Block& start, bool extended,
                           const UnmixingStop& stop, const Context& context);

}  // namespace mercer::detail
