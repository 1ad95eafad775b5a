#include "mercer/models/detail/kica/descent.h"

#include "mercer/models/detail/kica/turns.h"

#include <algorithm>
#include <cmath>
#include <deque>
#include <optional>
#include <utility>

namespace mercer::detail {
namespace {

constexpr std::size_t kMemory = 12;   // steps remembered
constexpr double kFirstStep = 0.1;    // radians, of a step that knows no curvature
constexpr double kLongestStep = 0.5;  // of any step
constexpr double kArmijo = 1e-4;      // share of the promised fall that a step must bring
constexpr int kStepHalvings = 25;
// A fall that is promised to be smaller than this, beside the contrast, is lost in rounding.
constexpr double kNoFall = 1e-13;

// The inverse of the curvature as the last steps told it (Nocedal 1980).
class PastSteps {
 public:
  void learn(const Vector& step, const Vector& change) {
    // Where the slope did not rise along a step the curvature there helps no minimum.
    if (!(step.dot(change) > 1e-10 * step.norm() * change.norm())) return;
    pairs_.push_back({step, change});
    if (pairs_.size() > kMemory) pairs_.pop_front();
  }
  void forget() { pairs_.clear(); }
  bool known() const { return !pairs_.empty(); }

  /// Downhill.
  Vector direction(const Vector& slope) const {
    Vector q = -slope;
    std::vector<double> shares(pairs_.size());
    for (std::size_t i = pairs_.size(); i-- > 0;) {
      shares[i] = pairs_[i].step.dot(q) / pairs_[i].step.dot(pairs_[i].change);
      q -= shares[i] * pairs_[i].change;
    }
    if (known())
      q *= pairs_.back().step.dot(pairs_.back().change) / pairs_.back().change.squaredNorm();
    for (std::size_t i = 0; i < pairs_.size(); ++i)
      q += (shares[i] - pairs_[i].change.dot(q) / pairs_[i].step.dot(pairs_[i].change)) *
           pairs_[i].step;
    return q;
  }

 private:
  struct Pair {
    Vector step, change;
  };
  std::deque<Pair> pairs_;
};

struct Step {
  KicaObjective::Point point;
  Vector angles;
};

// The first of the steps t = 1, 1/2, 1/4, ... that falls enough; none where none does.
std::optional<Step> geodesic_search(const KicaObjective& objective,
                                    const KicaObjective::Point& from, const Vector& direction,
                                    double slope, const Context& context) {
  const Index k = from.w.rows();
  double t = 1;
  for (int halving = 0; halving < kStepHalvings; ++halving, t /= 2) {
    if (time_is_over(context)) return {};
    const Vector angles = t * direction;
    Block w = rotation_of(antisymmetric(angles, k)) * from.w;
    decorrelate(w);
    KicaObjective::Point point = objective.at(w);
    if (point.value <= from.value + kArmijo * t * slope) return Step{std::move(point), angles};
  }
  return {};
}

// The direction of the next step, no longer than a step may be.
Vector direction_of(const PastSteps& past, const Vector& slope) {
  Vector direction = past.direction(slope);
  const double longest = direction.cwiseAbs().maxCoeff(),
               most = past.known() ? kLongestStep : kFirstStep;
  if (!past.known() || longest > most) direction *= most / longest;
  return direction;
}

struct Descent {
  KicaObjective& objective;
  const UnmixingStop& stop;
  const Context& context;
  KicaObjective::Point point;
  Vector slope;
  PastSteps past = {};

  double promised(const Vector& direction) const { return slope.dot(direction); }
  bool flat(double fall) const { return -fall <= kNoFall * (1 + std::abs(point.value)); }

  // One step; gives back whether it was taken.
  bool step(Unmixing& found) {
    Vector direction = direction_of(past, slope);
    if (!(promised(direction) < 0)) {
      past.forget();
      direction = direction_of(past, slope);
    }
    if (flat(promised(direction))) return !(found.converged = true);
    const bool knew = past.known();
    std::optional<Step> next =
        geodesic_search(objective, point, direction, promised(direction), context);
    // What the step would have turned at its full length: halving it brings no end nearer.
    found.change = largest_turn(direction, point.w.rows());
    if (!next) return restart(found, knew);
    take(std::move(*next), found, knew);
    return true;
  }

  // Where no step goes down: without what was learnt once more, or the end. Slopes are right to
  // rounding, so that there is no way down left that can be seen.
  bool restart(Unmixing& found, bool knew) {
    if (time_is_over(context)) return false;
    if (!knew) return !(found.converged = true);
    past.forget();
    return true;
  }

  void take(Step next, Unmixing& found, bool knew) {
    point = std::move(next.point);
    if (objective.worn(point)) point = objective.begin(point.w);
    const Vector after = objective.slopes(point);
    past.learn(next.angles, after - slope);
    slope = after;
    found.converged = knew && found.change <= stop.tolerance;
  }
};

}  // namespace

Unmixing descend(KicaObjective& objective, const Block& w, const UnmixingStop& stop,
                 const Context& context, double* before) {
  Unmixing found;
  Descent descent{objective, stop, context, objective.begin(w), {}};
  if (before != nullptr) *before = descent.point.value;
  found.converged = w.rows() < 2;
  if (!found.converged) {
    descent.slope = objective.slopes(descent.point);
    // Zero slopes, to the last bit, have no direction.
    found.converged = descent.slope.cwiseAbs().maxCoeff() == 0;
  }
  while (!found.converged && found.iterations < stop.iterations) {
    if ((found.late = time_is_over(context))) break;
    if (!descent.step(found) && !found.converged) {
      found.late = true;  // stopped in the middle of a step
      break;
    }
    ++found.iterations;
    context.report("unmixing",
                   static_cast<double>(found.iterations) / static_cast<double>(stop.iterations));
  }
  found.w = descent.point.w;
  found.objective = descent.point.value;
  return found;
}

}  // namespace mercer::detail
