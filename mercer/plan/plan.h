// Plan: what the planner chose and what it looked at. Plain data, printable, storable.
#pragma once

#include "mercer/core/budget.h"
#include "mercer/core/index.h"
#include "mercer/core/value.h"
#include "mercer/linalg/cost.h"

#include <cstdint>
#include <string>
#include <vector>

namespace mercer {

/// How an iterative solver is run: widths of its passes and what it may keep.
struct SearchSettings {
  Index block = 0;      // columns of a pass
  Index first = 0;      // columns of the first pass
  Index probes = 0;     // columns of the proof of completeness
  Index basis = 0;      // columns kept at most
  bool ride = false;    // probe columns ride in the first passes; else they come when needed
  bool narrow = false;  // columns cost much beside entries: no more than the proof needs
  Index landmarks = 0;  // columns of the kernel matrix behind the start; 0: a random start

  Value report() const;
};

/// One pair of operator and solver that was considered.
struct Candidate {
  std::string operator_name, solver_name;
  Precision precision = Precision::double_;
  std::uint64_t bytes = 0;         // at most: what must fit
  std::uint64_t likely_bytes = 0;  // where the spectrum falls as it mostly does
  double seconds = 0;
  Index passes = 0;
  SearchSettings search = {};
  std::string error;    // what the answer is accurate to: "residual <= 1e-06"
  std::string verdict;  // "chosen: exact", "does not fit (4.0 GiB)", "the kernel is not linear"
  bool possible = false;
  bool chosen = false;
  bool expands = false;  // an expansion takes the place of the matrix, within the tolerance
};

struct Plan {
  std::string operator_name, solver_name;
  Precision precision = Precision::double_;
  Index passes = 0;  // predicted; after a fit those that were made
  SearchSettings search = {};
  Index leading = 0;  // components sought where there is no time for all; 0: as asked
  double predicted_seconds = 0;
  std::uint64_t predicted_bytes = 0;
  RateOrigin rates = RateOrigin::estimated;  // of the machine the times are for
  std::vector<Candidate> candidates;

  /// What a model stores: the choice, without predictions and candidates.
  Value choice() const;
  /// All of it, for reports.
  Value report() const;
};

/// "double", "single", or "single+double": float tiles whose rounding is measured in double.
std::string precision_text(Precision precision, std::string_view solver);

}  // namespace mercer
