// Which components of an answer mean something, and an answer cut to them.
#pragma once

#include "mercer/solvers/eigen.h"

namespace mercer::detail {

/// The largest magnitude of an eigenvalue that is known, kept or not: what residuals are relative
/// to.
double largest_of(const EigenResult& eigen);

/// How many leading components have residuals of at most this share of their own eigenvalue. The
/// tolerance of a search is relative to the largest one: it says nothing of much smaller ones.
Index resolved_components(const EigenResult& eigen, double share);

/// Keeps the first ones, with their vectors, images and bounds.
void keep_leading(EigenResult& eigen, Index kept);

}  // namespace mercer::detail
