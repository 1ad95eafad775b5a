// Plan: what the planner chose and what it looked at. Plain data, printable, storable.
#pragma once

#include "mercer/core/budget.h"
#include "mercer/core/types.h"
#include "mercer/core/value.h"

#include <cstdint>
#include <string>
#include <vector>

namespace mercer {

/// One pair of operator and solver that was considered.
struct Candidate {
  std::string operator_name, solver_name;
  std::uint64_t bytes = 0;
  double seconds = 0;
  std::string verdict;  // "chosen: exact", "does not fit (4.0 GiB)", "the kernel is not linear"
  bool possible = false;
  bool chosen = false;
};

struct Plan {
  std::string operator_name, solver_name;
  Precision precision = Precision::double_;
  Index passes = 0;
  double predicted_seconds = 0;
  std::uint64_t predicted_bytes = 0;
  std::vector<Candidate> candidates;

  /// What a model stores: the choice, without predictions and candidates.
  Value choice() const;
  /// All of it, for reports.
  Value report() const;
};

}  // namespace mercer
