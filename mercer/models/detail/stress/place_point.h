// Where one new sample belongs among points that stay where they are: the least
//   f(z) = sum_i w_i (delta_i - |z - z_i|)^2,
// by majorisation, z+ = sum_i w_i (z_i + delta_i (z - z_i) / |z - z_i|) / sum_i w_i, which never
// raises f, and by Newton steps where these lower it. f has several minima: the search begins at
// several places around the nearest samples, none of them at a sample, where the step is not
// defined. On a line the least of all minima is found.
#pragma once

#include "mercer/core/types.h"

namespace mercer::detail {

/// The place by the distances of a sample from the points (rows of z). At distance 0 from a point
/// it is that point. Weights that are all 0 count as all 1.
Vector place_point(const Block& z, const Vector& wanted, const Vector& weights);

/// f(z).
double stress_of_point(const Block& points, const Vector& wanted, const Vector& weights,
                       const Vector& z);

}  // namespace mercer::detail
