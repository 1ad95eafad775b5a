// What each CPU level offers to independent component analysis: maps of one column of sources and
// the sums that go with them, compiled once per level from contrast_levels.cpp.
#pragma once

// Opens the level as an inline namespace, as files that are compiled together with this one do.
#include "mercer/core/lanes.h"
#include "mercer/core/levels.h"

#include <stddef.h>

namespace mercer {

/// Of a column y under the density 1 / (pi cosh y), t = tanh y; sums over its n numbers.
struct DensitySums {
  double log_cosh;  // ln cosh y
  double slope;     // 1 - t^2
  double curve;     // (1 - t^2) y^2
};

/// What tells a column from a Gaussian one; sums over its n numbers.
struct ShapeSums {
  double log_cosh;              // ln cosh y
  double bell, leaning_bell;    // exp(-y^2/2), y exp(-y^2/2)
  double square, cube, fourth;  // y^2, y^3, y^4
};

/// y <- g(y) of n numbers; gives back the sum of g'(y).
using ContrastLoop = double (*)(double* y, ptrdiff_t n);
/// y <- tanh y.
using DensityLoop = DensitySums (*)(double* y, ptrdiff_t n);
/// What a contrast G gives of a column y; sums over its n numbers.
struct ClimbSums {
  double value;  // G(y)
  double slope;  // g'(y), g = G'
};
/// y <- g(y).
template <class T>
using ClimbLoop = ClimbSums (*)(T* y, ptrdiff_t n);

/// Of factor * y.
using ShapeLoop = ShapeSums (*)(const double* y, ptrdiff_t n, double factor);

/// The contrasts ln cosh y, -exp(-y^2/2) and y^4/4.
template <class T>
struct LevelClimbs {
  ClimbLoop<T> log_cosh, bell, cube;
};

struct LevelContrasts {
  ContrastLoop log_cosh;  // tanh y
  ContrastLoop bell;      // y exp(-y^2/2)
  ContrastLoop cube;      // y^3
  DensityLoop density;
  ShapeLoop shape;
  LevelClimbs<double> climb;
  LevelClimbs<float> rough_climb;
};

MERCER_DECLARE_LEVELS(LevelContrasts contrast_loops();)

}  // namespace mercer
