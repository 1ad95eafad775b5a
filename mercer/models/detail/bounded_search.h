// The least value of a smooth function between bounds: L-BFGS on the coordinates that are free,
// beginning with what is known of the second derivatives; its steps bent at the bounds and
// shortened until the value falls enough (projected search; Bertsekas, Nonlinear Programming, 2.3).
// Where values no longer tell points apart, derivatives do.
#pragma once

#include "mercer/core/budget.h"
#include "mercer/core/types.h"

#include <functional>

namespace mercer::detail {

/// The value at x, and its gradient into `gradient`. Where it can be had in parts, `slope`, the
/// largest derivative where the search stands (infinite at first), says how exact it has to be.
using Objective = std::function<double(const Vector& x, Vector& gradient, double slope)>;

/// Something near H^-1 g, H the second derivatives at the point that was asked for last; `free` is
/// 1 for the coordinates that may move and 0 for the others, which the answer leaves 0.
using Precondition = std::function<Vector(const Vector& g, const Vector& free)>;

struct SearchLimits {
  Vector lower, upper;
  double tolerance = 1e-10;  // the largest derivative along which x could still move
  double enough = 1e-8;      // the same, where rounding allows no further progress
  Index iterations = 1000;
  const char* phase = "search";
  Precondition precondition = {};  // none: H is a multiple of the identity
};

struct SearchEnd {
  Vector x;
  double value = 0, slope = 0;  // the largest derivative left
  Index iterations = 0, evaluations = 0;
  bool converged = false, out_of_time = false;
};

SearchEnd bounded_search(Vector x, const Objective& objective, const SearchLimits& limits,
                         const Context& context);

}  // namespace mercer::detail
