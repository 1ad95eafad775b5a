// Which eigenvalues count as equal, so that the data do not determine single vectors but their span
// alone: neighbours that are nearer to each other than what is known of them, or than 1e-10 of
// their own size. Small ones that are known well are told apart, however small they are beside the
// largest.
#pragma once

#include "mercer/core/types.h"

#include <vector>

namespace mercer {

/// Values closer than this share of their size are one.
constexpr double kSameValue = 1e-10;

/// How far apart neighbouring values may be and count as equal: 1e-10 of their own size, or as much
/// as is not known of them, but never more than 1e-10 of the largest.
double counts_as_equal(double size, double unknown, double largest);

/// Runs of two or more neighbours that count as equal. `unknown`: how far each value may be from
/// the eigenvalue.
std::vector<Range> runs_of_equals(const Vector& values, const Vector& unknown, double largest);

}  // namespace mercer
