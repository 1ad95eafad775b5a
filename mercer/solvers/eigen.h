// What a solver is asked and what it answers.
#pragma once

#include "mercer/core/types.h"
#include "mercer/linalg/low_rank.h"
#include "mercer/solvers/certificate.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

namespace mercer {

/// Which end of the spectrum comes first.
enum class Order { value, magnitude };

struct EigenRequest {
  Index count = 2;            // pairs wanted, at most; ignored when share > 0 or all
  double share = 0;           // smallest number of pairs whose shares (shares.h) add up to this
  bool all = false;           // every significant pair
  double rank_tolerance = 0;  // pairs with |value| <= this times the largest are not significant,
  double rank_error = std::numeric_limits<double>::infinity();  // but where |value| exceeds this
  Order order = Order::value;  // by value: the largest; by magnitude: negative ones too
  bool raised = false;         // a share is of values raised by the most negative one,
  Index fixed = 0;             // but so many of them that stay 0

  // Iterative solvers only.
  std::string_view variant = {};    // one of the recipe's; empty: its first
  double tolerance = 1e-6;          // residual, relative to the largest value
  double eigenvalue_tolerance = 0;  // > 0: relative width of the enclosures is asked instead
  double complete_within = 0;       // what a missed value may be above; 0: the tolerance
  Certify certify = Certify::automatic;
  bool positive = false;          // the operator has no negative eigenvalues but by rounding (all)
  double operator_error = 0;      // |A - what A stands for|_2 at most, rounding apart
  double rounding = 0;            // what rounding of entries and products may add to that
  bool costly_passes = false;     // the matrix is recomputed in every pass: few, wide passes
  Index block = 0;                // columns of a pass; 0: the solver's own
  Index first = 0;                // columns of the first pass; 0: the solver's own
  Index probes = 0;               // columns of the proof of completeness; 0: the solver's own
  bool ride = true;               // probe columns ride in costly passes from the first on
  bool narrow = false;            // columns cost much: the first pass has few, by what is near
  Index basis = 0;                // columns kept at most; 0: no limit
  Index passes = 0;               // at most; 0: the solver's own
  std::uint64_t seed = 0;         // of random columns
  const LowRank* near = nullptr;  // a matrix close to the operator, or none
  const Block* start = nullptr;   // approximate vectors, such as those of an earlier run
  // Bytes that a proof may take which needs the matrix written out, beside all others.
  std::uint64_t proof_bytes = std::numeric_limits<std::uint64_t>::max();

  /// Values of at most this size are not significant.
  double noise(double largest) const { return std::min(rank_tolerance * largest, rank_error); }
};

/// How far a search was after a pass.
struct PassPoint {
  Index columns = 0;    // multiplied so far
  double residual = 0;  // worst of the wanted pairs, relative to the largest value
};

struct EigenResult {
  Vector values;      // in the order asked for, significant ones only
  Block vectors;      // one unit column each, signs fixed
  Vector all_values;  // the whole spectrum, descending; empty where the solver does not know it
  double trace = 0;   // of the operator
  Index wanted = 0;   // how many pairs the request came to before insignificant ones were dropped
  double next_value = 0;  // first value left out, 0 where there is none
  double reachable = 1;   // the largest share there is, where more was asked for
  Index applications = 0;
  Index columns = 0;               // of all passes together
  std::vector<PassPoint> history;  // of iterative solvers
  bool converged = true;
  std::string reason;       // why not, where it did not
  Block images;             // operator times vectors; empty where the solver does not keep them
  Vector row_sums;          // of the operator, from the first pass; empty where it made none
  double lowest_value = 0;  // the smallest Ritz value seen: a hint of negative eigenvalues
  /// Filled by iterative solvers; dense ones are certified by what they compute.
  Certificate certificate;
};

}  // namespace mercer
