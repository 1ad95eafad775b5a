// The Amari index: how far found sources are from true ones, whatever their order, signs and
// scales. With true mixing A and found unmixing W, P = W A,
//   (sum_i (sum_j |p_ij| / max_j |p_ij| - 1) + sum_j (sum_i |p_ij| / max_i |p_ij| - 1)) / (2 K
//   (K-1))
// is 0 where every found source is one true source, and 1 at most.
#pragma once

#include "mercer/core/types.h"

namespace mercer {

/// Of a square P = W A; 0 of one source. Throws M102 where P is not square or has a row or column
/// of zeros.
double amari_index(ConstBlockRef p);

}  // namespace mercer
