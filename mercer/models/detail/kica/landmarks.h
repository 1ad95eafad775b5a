// Landmarks of one source y: positions p among its numbers by which the Gaussian Gram matrix
// K(a, b) = exp(-(y_a - y_b)^2 / (2 sigma^2)) is nearly
//   K ~ G G',   G = K(y, p) L^-T,   L L' = K(p, p),
// the incomplete Cholesky factorisation with pivots p. In one dimension a few dozen do: numbers of
// y that are close to each other have nearly the same kernel, so that pivots are sought among one
// of each cell of width sigma sqrt(share), which counts for all of its cell. Greedy: the next pivot
// is where most of the trace of K - G G' is left, until that is at most share n.
//
// The feature of a number differs from that of another by |x - y| / sigma at most, so that the root
// of what is left at any number is at most that of its cell's plus sqrt(share).
#pragma once

#include "mercer/core/types.h"

namespace mercer::detail {

struct Landmarks {
  Vector at;     // in the order in which they were chosen
  Block factor;  // L
};

/// Of the numbers y, which are copied.
Landmarks choose_landmarks(Vector y, double sigma, double share);

/// 1 / (2 sigma^2).
inline double rate_of(double sigma) { return 0.5 / (sigma * sigma); }

}  // namespace mercer::detail
