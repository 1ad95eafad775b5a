// EM, accelerated without losing what makes EM safe. From theta two steps are made; with r the
// first of them and v its change, theta - 2 a r + a^2 v, a = -|r| / |v|, goes as far as many steps
// would (SQUAREM; Varadhan and Roland, Scandinavian Journal of Statistics 35, 2008). It is taken
// where its likelihood is no smaller than that of the last plain step, so the likelihoods never
// fall.
#pragma once

#include "mercer/core/budget.h"
#include "mercer/core/types.h"

#include <functional>
#include <vector>

namespace mercer::detail {

/// One step: replaces theta by the next one and returns the objective at the old one.
using EmStep = std::function<double(Vector& theta)>;

struct EmLimits {
  double tolerance = 1e-6;  // distance to the limit, by the rate of the steps, relative to |theta|
  Index iterations = 10'000;
  const char* phase = "em";
};

struct EmPath {
  Vector theta;
  std::vector<double> objectives;  // of every theta that was taken, in order: they never fall
  Index iterations = 0;            // steps that were made
  bool converged = false, out_of_time = false;
};

/// Steps until the limits are reached, or the context's time is over.
EmPath accelerated_em(Vector theta, const EmStep& step, const EmLimits& limits,
                      const Context& context);

}  // namespace mercer::detail
