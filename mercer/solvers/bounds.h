// Bounds from one exact product W = A Q with an orthonormal basis Q, rotated so that Q'W =
// diag(theta). With R = W - Q diag(theta) and E = (I - QQ') A (I - QQ'), in the basis of Q and its
// complement
//
//   A = [diag(theta) R'; R E] <= [diag(theta) R'; R b I]     for any b >= |E|_2,
//
// hence theta_i <= mu_i <= max(b, lambda_i(M)), M = [diag(theta) L'; L b I], L'L = R'R: eigenvalues
// grow with the matrix. No gap is needed, and nothing is missed where the bound of the first one
// left out lies below the last one wanted. Residuals alone could not tell: a basis orthogonal to an
// eigenvector never sees it. What remains is a bound b, deterministic (|A|_F, or the trace of a
// positive semidefinite A) or with a known probability of failure (random probes of E).
#pragma once

#include "mercer/core/types.h"

namespace mercer {

/// What one exact product says of a basis: theta descending, and R'R (m x m, made from R itself).
struct BasisFacts {
  Vector theta;
  Block residual_gram;
};

/// The x with P(chi-square <= x) = delta, for 1 to 1000 degrees of freedom.
double chi_square_quantile(double delta, Index degrees);

/// Upper bound of |E|_2 from |A|_F^2; `relative_error` is that of each of the sums of squares.
double frobenius_complement(double frobenius_squared, const BasisFacts& facts,
                            double relative_error);

/// Upper bound of |E|_2 from the trace of a positive semidefinite A.
double trace_complement(double trace, const BasisFacts& facts);

/// Upper bound of |E|_2 from Y'Y, Y = E^power G with Gaussian columns that Q does not depend on,
/// except with the probability whose chi-square quantile (one degree per column) is given; the
/// right factor of E^2 G, made a pass earlier, may be that of a smaller basis which Q contains.
double probe_complement(const Block& gram_of_probe_image, Index power, double quantile);

struct BorderedBound {
  Vector upper;       // of mu_1 .. mu_{wanted + 1}
  bool complete;      // at most `wanted` eigenvalues reach theta_wanted
  double angle;       // sine of that to the true leading subspace; infinite where no gap is certain
  double next_upper;  // nothing but the wanted ones lies above
};

/// Bounds of the leading eigenvalues from `complement` >= |E|_2; `slack` bounds |dA|_2 for the
/// error dA of the operator and of rounding in W.
BorderedBound bordered_bound(const BasisFacts& facts, double complement, Index wanted,
                             double slack);

/// The same of the largest magnitudes, theta descending by magnitude: what A bounds above, -A
/// bounds below, and no more |mu| exceed a number than bounds of both together do. Gives no angle.
BorderedBound magnitude_bound(const BasisFacts& facts, double complement, Index wanted,
                              double slack);

/// Whether every mu_i, i <= wanted, is at most theta_i + width: so it may be although no gap
/// separates what is left out.
bool enclosed(const BorderedBound& bound, const Vector& theta, Index wanted, double width);

}  // namespace mercer
