#include "mercer/models/detail/accelerated_em.h"

#include <algorithm>
#include <cmath>

namespace mercer::detail {
namespace {

// Steps that shrink more slowly than this say nothing of where they end: the rate is taken as this.
constexpr double kSlowest = 0.9999;

// How far the limit is beyond the last of two steps, if they go on to shrink as they did.
double distance_left(double first, double second) {
  const double rate = first > 0 ? std::min(second / first, kSlowest) : 0;
  return second / (1 - rate);
}

bool time_is_over(const Context& context) {
  return context.observer.out_of_time && context.observer.out_of_time();
}

}  // namespace

EmPath accelerated_em(Vector theta, const EmStep& step, const EmLimits& limits,
                      const Context& context) {
  EmPath path;
  const auto make_step = [&](Vector& at) {
    ++path.iterations;
    return step(at);
  };
  double farthest = 0;
  while (path.iterations < limits.iterations) {
    const Vector start = theta;
    path.objectives.push_back(make_step(theta));
    const Vector once = theta;
    path.objectives.push_back(make_step(theta));
    const Vector r = once - start, change = theta - once, v = change - r;
    const double left = distance_left(r.norm(), change.norm()) / std::max(theta.norm(), 1e-300);
    path.converged = left <= limits.tolerance;
    path.out_of_time = !path.converged && time_is_over(context);
    if (path.converged || path.out_of_time) break;
    farthest = std::max(farthest, left);
    context.report(limits.phase, std::log(farthest / left) / std::log(farthest / limits.tolerance));
    const double a = -r.norm() / v.norm();
    if (!(a < -1) || !std::isfinite(a)) continue;
    Vector far = start - 2 * a * r + a * a * v;
    const double objective = make_step(far);
    if (!(objective >= path.objectives.back()) || !far.allFinite()) continue;
    path.objectives.push_back(objective);
    theta = std::move(far);
  }
  path.theta = std::move(theta);
  return path;
}

}  // namespace mercer::detail
