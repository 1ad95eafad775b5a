// How dependent sources are, from the products H = G'(I - 11'/n)G of their features (features.h).
// With A_i the diagonal blocks of H, c = n kappa / 2 and r_i = K_i (K_i + c)^-1 of the centred Gram
// matrices K_i,
//   R = [r_i r_j off the diagonal, I on it]
//   KGV = -1/2 ln det R,   KCC = -1/2 ln lambda_min(R)
// (Bach and Jordan 2002). Where K_i = G_i G_i', the spectrum of R, ones apart, is that of
//   I + T'O T,   O: the blocks of H off the diagonal,   T_i T_i' = P_i = A_i (A_i + c)^-2.
// The derivative D of the contrast by H comes, with E_i = (A_i + c)^-1, from those by O and P,
//   X = T R^-1 T',   Z_i = -(O X O)_ii                            of ln det R
//   X = x x',   Z_i = (O x)_i (O x)_i' / (lambda - 1),   x = T v  of lambda with its eigenvector v
// by dP_i = -E dA E + c (E dA E^2 + E^2 dA E).
#pragma once

#include "mercer/core/types.h"

#include <vector>

namespace mercer::detail {

enum class Dependence { kgv, kcc };

/// `columns`: of H, one range for each source. Fills `derivative` where it is not null.
double dependence(const Block& h, const std::vector<Range>& columns, double c, Dependence kind,
                  Block* derivative);

}  // namespace mercer::detail
