// Where classical scaling puts a new sample, by the least strain of the matrix that the sample
// borders: with b = products of the sample with the others and beta = its squared length,
//   minimise  2 |b - Z z|^2 + (beta - |z|^2)^2   over z.
// Gower's formula g = (Z'Z)^-1 Z'b minimises the first term alone. With Z'Z = diag(mu) the gradient
// is 0 where
//   z(t) = mu g / (mu + t - beta),   t = |z(t)|^2,
// and the root with t >= beta - mu_k, for the smallest mu_k, is the global minimum: t - |z(t)|^2
// rises there, so that it is found between two bounds. Trosset, Priebe: The out-of-sample problem
// for classical multidimensional scaling (2008).
#pragma once

#include "mercer/core/types.h"

namespace mercer::detail {

/// z of a sample whose place by Gower's formula is g; mu: eigenvalues, all positive.
Vector least_strain(const Vector& mu, const Vector& g, double beta);

}  // namespace mercer::detail
