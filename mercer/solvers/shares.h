// Shares of a spectrum: what part of the whole a value is,
//
//   |mu_i| / sum_j |mu_j|        over all eigenvalues.
//
// Where none is negative the sum is the trace, which every solver knows. Where some are, it takes
// all eigenvalues: a trace of both signs is no measure of size, and may be 0. Raised by the most
// negative one, no value is negative any more, and the same is said of what they are then.
#pragma once

#include "mercer/core/types.h"

#include <cmath>

namespace mercer {

/// What is known of a spectrum before its values are.
struct ShareRule {
  double rank_tolerance = 0;  // negative values up to this times the largest are rounding
  bool positive = false;      // all negative values are rounding
  bool raised = false;        // values count as raised by the most negative one,
  Index fixed = 0;            // but this many, which are 0 and stay so
};

struct Shares {
  double total = 0;         // of the magnitudes
  double shift = 0;         // what values are raised by
  bool indefinite = false;  // some are negative, by more than rounding
  double of(double value) const { return std::abs(value + shift) / total; }
};

/// From all eigenvalues, in any order, and their sum.
Shares shares_of(const Vector& all_values, double trace, const ShareRule& rule);

/// What rounding may take from a sum of shares of n eigenvalues: one that misses what was asked by
/// less has reached it.
double share_rounding(Index n);

}  // namespace mercer
