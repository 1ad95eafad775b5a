#include "mercer/models/detail/accelerated_em.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace mercer::detail {
namespace {

// Steps that shrink more slowly than this say nothing of where they end: the rate is taken as this.
constexpr double kSlowest = 0.9999;

// How far the limit is beyond the last of two steps, if they go on to shrink as they did.
double distance_left(double first, double second) {
  const double rate = first > 0 ? std::min(second / first, kSlowest) : 0;
  return second / (1 - rate);
}

constexpr Index kCloser = 12;  // plain steps before an end is believed

bool time_is_over(const Context& context) {
  return context.observer.out_of_time && context.observer.out_of_time();
}

// Steps from theta on, and what they come to.
class Walk {
 public:
  Walk(Vector start, const EmStep& step) : step_(step) { path.theta = std::move(start); }

  /// One plain step; returns how far it went.
  double go() {
    last_ = path.theta;
    ++path.iterations;
    path.objectives.push_back(step_(path.theta));
    return (path.theta - last_).norm();
  }

  /// Two plain steps, and the distance that is then left, relative to theta.
  double go_twice() {
    start_ = path.theta;
    const double first = go();
    once_ = path.theta;
    return relative(distance_left(first, go()));
  }

  /// Extrapolates from the last two steps, where the objective does not fall.
  void leap() {
    const Vector r = once_ - start_, v = path.theta - once_ - r;
    const double a = -r.norm() / v.norm();
    if (!(a < -1) || !std::isfinite(a)) return;
    Vector far = start_ - 2 * a * r + a * a * v;
    ++path.iterations;
    const double objective = step_(far);
    if (!(objective >= path.objectives.back()) || !far.allFinite()) return;
    path.objectives.push_back(objective);
    path.theta = std::move(far);
  }

  /// The same distance after further plain steps. A leap leaves what moves fast, beside which what
  /// moves slowly is not seen; plain steps leave what moves slowly.
  double look_closer() {
    double before = go(), after = go();
    for (Index i = 2; i < kCloser; ++i) {
      before = after;
      after = go();
    }
    return relative(distance_left(before, after));
  }

  EmPath path;

 private:
  double relative(double distance) const {
    return distance / std::max(path.theta.norm(), std::numeric_limits<double>::min());
  }

  const EmStep& step_;
  Vector start_, once_, last_;
};

}  // namespace

EmPath accelerated_em(Vector theta, const EmStep& step, const EmLimits& limits,
                      const Context& context) {
  Walk walk(std::move(theta), step);
  EmPath& path = walk.path;
  double farthest = limits.tolerance;
  while (path.iterations < limits.iterations) {
    const double left = walk.go_twice();
    path.converged = left <= limits.tolerance && walk.look_closer() <= limits.tolerance;
    path.out_of_time = !path.converged && time_is_over(context);
    if (path.converged || path.out_of_time) break;
    farthest = std::max(farthest, left);
    context.report(limits.phase, std::log(farthest / std::max(left, limits.tolerance)) /
                                     std::log(2 * farthest / limits.tolerance));
    if (left > limits.tolerance) walk.leap();
  }
  return path;
}

}  // namespace mercer::detail
