// What each CPU level offers to kernel ICA: the Gaussian kernel of a column of numbers with one
// number, and the slopes that go with it, compiled once per level from gauss_levels.cpp.
#pragma once

// Opens the level as an inline namespace, as files that are compiled together with this one do.
#include "mercer/core/lanes.h"
#include "mercer/core/levels.h"

#include <stddef.h>

namespace mercer {

/// k_i = exp(-rate (y_i - at)^2) of n numbers.
using GaussLoop = void (*)(const double* y, ptrdiff_t n, double at, double rate, double* k);
/// slope_i += weight_i k_i (at - y_i).
using LeanLoop = void (*)(const double* y, ptrdiff_t n, double at, const double* k,
                          const double* weight, double* slope);

struct LevelGauss {
  GaussLoop gauss;
  LeanLoop lean;
};

MERCER_DECLARE_LEVELS(LevelGauss gauss_loops();)

}  // namespace mercer
