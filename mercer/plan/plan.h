// Plan: what the planner chose and what it looked at. Plain data, printable, storable.
#pragma once

#include "mercer/core/budget.h"
#include "mercer/core/index.h"
#include "mercer/core/value.h"
#include "mercer/linalg/cost.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace mercer {

struct GramProblem;

/// How an iterative solver is run: widths of its passes and what it may keep.
struct SearchSettings {
  Index block = 0;      // columns of a pass
  Index first = 0;      // columns of the first pass
  Index probes = 0;     // columns of the proof of completeness
  Index basis = 0;      // columns kept at most
  bool ride = false;    // probe columns ride in the first passes; else they come when needed
  bool narrow = false;  // columns cost much compared with entries: as few as the proof needs
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
  Index walks = 0;  // over rows that come in chunks
  SearchSettings search = {};
  std::string error;    // what the answer is accurate to: "residual <= 1e-06"
  std::string verdict;  // "chosen: exact", "does not fit (4.0 GiB)", "the kernel is not linear"
  enum class Standing { impossible, possible, chosen } standing = Standing::impossible;
  bool expands = false;  // an expansion takes the place of the matrix, within the tolerance

  bool possible() const { return standing != Standing::impossible; }
  bool chosen() const { return standing == Standing::chosen; }
};

/// What a plan is expected to take.
struct Prediction {
  double seconds = 0;
  std::uint64_t bytes = 0;
  RateOrigin rates = RateOrigin::estimated;  // of the machine the times are for
};

struct Plan {
  std::string operator_name, solver_name;
  Precision precision = Precision::double_;
  Index passes = 0;  // predicted; after a fit those that were made
  Index walks = 0;   // over rows that come in chunks, predicted; 0 where rows are in memory
  SearchSettings search = {};
  Index leading = 0;   // components sought where there is no time for all; 0: as asked
  bool grows = false;  // `leading` is where the search for a share of the variance begins
  Prediction predicted = {};
  std::vector<Candidate> candidates;
  /// What it was made for, with all that was found out about the rows, which it views: a fit that
  /// runs the plan looks at nothing twice. Not part of a plan that is kept.
  std::shared_ptr<const GramProblem> problem = {};
  Warnings warnings = {};  // what was noticed on the way

  /// What a model stores: the choice, without predictions and candidates.
  Value choice() const;
  /// All of it, for reports.
  Value report() const;
};

/// "double", "single", or "single+double": float tiles whose rounding is measured in double.
std::string precision_text(Precision precision, std::string_view solver);

}  // namespace mercer
