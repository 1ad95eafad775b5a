// The additive constant of classical scaling: the smallest c >= 0 for which the distances d_ij + c
// (i != j) are those of points in some Euclidean space. With Q(c) = -1/2 H (d + c)^2 H, the Gram
// matrix of such points, that is the largest c at which
//   Q(c) = B1 + 2 c B2 + c^2/2 H,   B1 = -1/2 H d^2 H,   B2 = -1/2 H d H,   H = I - 11'/n
// has the smallest eigenvalue 0 on vectors that sum to 0, or 0 where Q(0) has no negative ones.
// It is also the largest real eigenvalue of [[0, 2 B1], [-I, -4 B2]] (Cailliez: The analytical
// solution of the additive constant problem, 1983), a matrix twice as large and not symmetric. Here
// it is found from symmetric problems: x = eigenvector of the smallest eigenvalue of Q(c), then c
// becomes the larger root of x'Q(c)x = 0, which no x takes beyond the solution. Converges
// quadratically from below, and needs nothing but products with Q(c).
#pragma once

#include "mercer/core/budget.h"
#include "mercer/core/types.h"

namespace mercer::detail {

struct AdditiveConstant {
  double value = 0;
  double residual = 0;  // |Q(c) x| of the last unit x, over |Q(c)|_F; 0 where c is 0
  Index steps = 0;      // eigenvectors that were found on the way
};

/// Of a symmetric matrix of distances with a diagonal of zeros.
AdditiveConstant additive_constant(const Points& distances, const Context& context);

}  // namespace mercer::detail
