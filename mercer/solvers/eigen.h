// What a solver is asked and what it answers.
#pragma once

#include "mercer/core/types.h"
#include "mercer/linalg/low_rank.h"
#include "mercer/solvers/certificate.h"
#include "mercer/solvers/stop.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string_view>
#include <vector>

namespace mercer {

/// Which end of the spectrum comes first.
enum class Order { value, magnitude };

/// What is known of the matrix before it is solved.
struct MatrixFacts {
  /// A pair is significant where |value| exceeds either of two limits: a share of the largest
  /// value, or a size that rounding and the operator's error cannot have made.
  double rank_tolerance = 0;
  double rank_error = std::numeric_limits<double>::infinity();
  bool positive = false;       // it has no negative eigenvalues but by rounding
  Index fixed = 0;             // so many eigenvalues are 0, and stay so where values are raised
  double operator_error = 0;   // |A - what A stands for|_2 at most, rounding apart
  double rounding = 0;         // what rounding of entries and products may add to that
  bool costly_passes = false;  // it is recomputed in every pass: few, wide passes
};

/// How an iterative solver is to search. 0, where nothing else is said: as the solver likes.
struct SearchRequest {
  std::string_view variant = {};  // one of the recipe's; empty: its first
  Index block = 0;                // columns of a pass
  Index first = 0;                // columns of the first pass
  Index probes = 0;               // columns of the proof of completeness
  bool ride = true;               // probe columns ride in costly passes from the first on
  bool narrow = false;            // columns cost much: the first pass has few, by what is near
  Index basis = 0;                // columns kept at most; 0: no limit
  Index passes = 0;               // at most
  double complete_within = 0;     // what a missed value may be above; 0: the tolerance
  std::uint64_t seed = 0;         // of random columns
  const LowRank* near = nullptr;  // a matrix close to the operator, or none
  /// Bytes that a proof may take which needs the matrix written out, beside all others.
  std::uint64_t proof_bytes = std::numeric_limits<std::uint64_t>::max();
};

/// What is asked of the eigenpairs, in one type from the model to the solver: the model says what
/// it wants, the planner prices it, and what is known of the matrix and how to search is filled in
/// on the way.
struct EigenRequest {
  Index count = 2;             // pairs wanted, at most; ignored when share > 0 or all
  double share = 0;            // smallest number of pairs whose shares (shares.h) add up to this
  bool all = false;            // every significant pair
  bool raised = false;         // a share is of values raised by the most negative one
  Order order = Order::value;  // by value: the largest; by magnitude: negative ones too

  // Iterative solvers only.
  double tolerance = 1e-6;        // residual, relative to the largest value
  bool eigenvalues_only = false;  // the tolerance is the relative width of the enclosures instead
  Certify certify = Certify::automatic;
  bool whole_spectrum = false;   // all eigenvalues must be known
  const Block* start = nullptr;  // approximate vectors, such as those of an earlier run

  MatrixFacts matrix = {};
  SearchRequest search = {};

  /// Whether the number of pairs is open: a share of the variance, or all.
  bool open() const { return all || share > 0; }
  /// Values of at most this size are not significant.
  double noise(double largest) const {
    return std::min(matrix.rank_tolerance * largest, matrix.rank_error);
  }
};

/// How far a search was after a pass.
struct PassPoint {
  Index columns = 0;    // multiplied so far
  double residual = 0;  // worst of the wanted pairs, relative to the largest value
};

/// What a solver learned of the eigenvalues beside those of its pairs.
struct KnownSpectrum {
  Vector all_values;        // every one, descending; empty where the solver does not know them
  double trace = 0;         // their sum
  double next_value = 0;    // first value left out, 0 where there is none
  double lowest_value = 0;  // the smallest Ritz value seen: a hint of negative eigenvalues
  double reachable = 1;     // the largest share there is, where more was asked for
};

struct EigenResult {
  Vector values;     // in the order asked for, significant ones only
  Block vectors;     // one unit column each, signs fixed
  Block images;      // operator times vectors; empty where the solver does not keep them
  Vector row_sums;   // of the operator, from the first pass; empty where it made none
  Index wanted = 0;  // how many pairs the request came to before insignificant ones were dropped
  Index applications = 0;
  Index columns = 0;               // of all passes together
  std::vector<PassPoint> history;  // of iterative solvers
  bool converged = true;
  Stop stop;  // why not all is there that was asked, where it is not
  KnownSpectrum spectrum;
  /// Filled by iterative solvers; dense ones are certified by what they compute.
  Certificate certificate;
};

}  // namespace mercer
