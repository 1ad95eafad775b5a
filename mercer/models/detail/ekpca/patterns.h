// Basic patterns: rows whose columns of the kernel matrix are unlike each other. With the columns
// centred (or not) and of length 1, the likeness of two rows is |c_i . c_j|. The first pattern is
// the row with the longest column; then, time after time, the row whose largest likeness to those
// taken is the smallest: until that is no longer below the threshold, or there are enough. Columns
// are seen at a sample of rows; which row comes first in the table does not matter.
#pragma once

#include "mercer/core/budget.h"
#include "mercer/core/types.h"
#include "mercer/models/kind/ekpca.h"
#include "mercer/operators/problem.h"

#include <cstdint>
#include <vector>

namespace mercer::detail {

struct PatternRequest {
  PatternRule rule = PatternRule::correlation;
  double threshold = 1;  // patterns are less alike than this
  Index count = 0;       // at most; 0: no limit
  Index sampled = 0;     // rows at which columns are seen
  std::uint64_t seed = 0;
};

struct Patterns {
  std::vector<Index> rows;  // as they were taken
  Vector likeness;          // of each to those before it, the largest; 0 for the first
  double left = 0;   // the smallest such figure of the rows that were not taken; 1: there are none
  double trace = 0;  // of the centred kernel matrix, as the sampled rows have it
};

Patterns choose_patterns(const GramProblem& problem, const PatternRequest& request,
                         const Context& context);

}  // namespace mercer::detail
