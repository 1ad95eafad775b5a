// Rotations of loadings that make them easier to read. Varimax turns the factors so that the
// squares of each column's loadings differ as much as they can: with rows of length 1 (Kaiser) the
// largest sum_j [mean_i l_ij^4 - (mean_i l_ij^2)^2]. Promax goes on from there to factors that may
// be correlated: the least squares map to L |L|^3, scaled so that factors have variance 1.
#pragma once

#include "mercer/core/types.h"

namespace mercer::detail {

struct Rotation {
  Block loadings;      // of the turned factors
  Block turn;          // loadings = old ones * turn
  Block correlations;  // of the turned factors: (turn' turn)^-1
};

Rotation varimax(const Block& loadings);
Rotation promax(const Block& loadings);

/// Columns by falling sum of squares, the entry of largest magnitude of each positive.
void put_in_order(Rotation& rotation);

}  // namespace mercer::detail
