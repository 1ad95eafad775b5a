// How far a clustered Gauss transform can be from the matrix it stands for, as a whole. Every entry
// is off by at most `GaussClusters::error`, but few by that much: truncation grows like |x-c|^p.
// Rows of a cluster are counted by their distance from its centre, and the squares of the bounds of
// all pairs of counts are added up: |E|_2 <= |E|_F <= the root of that sum.
#pragma once

#include "mercer/operators/gauss_clusters.h"

namespace mercer {

/// |E|_2 at most, never above n times the error of an entry.
double norm_bound(const GaussClusters& clusters);

}  // namespace mercer
