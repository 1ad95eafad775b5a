// What each CPU level offers to scaling by stress: plain functions on raw memory, compiled once per
// level from stress_levels.cpp.
#pragma once

#include "mercer/core/lanes.h"  // opens its level as an inline namespace, which must come first
#include "mercer/core/levels.h"

#include <stddef.h>

namespace mercer {

/// The points of a tile of pairs, and where their sums go; both column-major.
struct StressPoints {
  const double *z_rows, *z_cols;  // coordinate c of a point is c * ldz further
  ptrdiff_t ldz, dims;
  double *out_rows, *out_cols;  // out_cols null: the sums of the rows alone
  ptrdiff_t ldo;
};

/// One tile of pairs (rows x cols, row-major): what their distances should be, and their weights.
struct StressTile : StressPoints {
  const double* wanted;  // dissimilarities
  const double* weight;  // of the same shape; null: all are 1
  ptrdiff_t ld, rows, cols;
  double* ratio;  // scratch: cols numbers
};

/// Sums over the pairs of a tile.
struct StressSums {
  double residual = 0;  // w (wanted - d)^2
  double squares = 0;   // w d^2
  double products = 0;  // w wanted d
};

/// With r = w wanted / d, 0 where d = 0: out_rows_i += sum_j r_ij (z_i - z_j), out_cols_j -= the
/// same.
using StressLoop = StressSums (*)(const StressTile& job);

struct LevelStress {
  StressLoop add;
};

MERCER_DECLARE_LEVELS(LevelStress stress_loops();)

}  // namespace mercer
