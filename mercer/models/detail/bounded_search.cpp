#include "mercer/models/detail/bounded_search.h"

#include <algorithm>
#include <cmath>
#include <deque>
#include <limits>

namespace mercer::detail {
namespace {

constexpr std::size_t kRemembered = 30;  // pairs of steps and changes of the gradient
constexpr double kEnough = 1e-4;         // of the fall that the slope promises
constexpr Index kHalvings = 40;
// No coordinate moves farther in a step that second derivatives propose: they are those of a point.
constexpr double kMostStep = 2;
// Times the rounding of a value: sums over eigenvalues of a matrix with a large norm.
constexpr double kExcused = 64;
// Iterations without a smaller slope or value after which rounding is all that is left.
constexpr Index kPatience = 8;

struct Point {
  Vector x, gradient, open;  // open: the gradient where x may follow it
  double value = 0;
  double slope() const { return open.size() > 0 ? open.cwiseAbs().maxCoeff() : 0; }
};

struct Pair {
  Vector step, change;
};

class Search {
 public:
  Search(const Objective& objective, const SearchLimits& limits)
      : objective_(objective), limits_(limits) {}

  Point at(Vector x) {
    ++evaluations;
    Point point{std::move(x), {}, {}};
    point.gradient.resize(point.x.size());
    point.value = objective_(point.x, point.gradient, slope_);
    point.open = point.gradient;
    for (Index i = 0; i < point.x.size(); ++i) {
      const bool down = point.x[i] <= limits_.lower[i] && point.gradient[i] > 0;
      const bool up = point.x[i] >= limits_.upper[i] && point.gradient[i] < 0;
      if (down || up) point.open[i] = 0;
    }
    return point;
  }

  // Along the direction, bent at the bounds; a step of 0 where nothing does.
  Point descend(const Point& from, const Vector& direction, double first) {
    double t = first;
    for (Index halving = 0; halving < kHalvings; ++halving, t *= 0.5) {
      Point to = at((from.x + t * direction).cwiseMax(limits_.lower).cwiseMin(limits_.upper));
      const double promised = from.gradient.dot(to.x - from.x);
      if (!std::isfinite(to.value)) continue;
      if (to.value <= from.value + kEnough * promised) return to;
      // Values differ by rounding only: a smaller slope is progress. What values are made of may
      // round worse than they themselves do, so half the slope excuses more.
      const double excused = to.slope() <= from.slope() / 2 ? kExcused : 1;
      if (to.value <= from.value + excused * rounding(from) && to.slope() < from.slope()) return to;
    }
    return from;
  }

  // -H g on the free coordinates, by the two loops over the pairs remembered.
  Vector direction(const Point& from) const {
    const Vector free = from.open.unaryExpr([](double g) { return g != 0 ? 1.0 : 0.0; });
    Vector d = -from.open;
    std::vector<double> weights;
    double scale = 0;
    for (auto pair = pairs_.rbegin(); pair != pairs_.rend(); ++pair) {
      const Vector s = pair->step.cwiseProduct(free), y = pair->change.cwiseProduct(free);
      const double curvature = s.dot(y);
      weights.push_back(curvature > 0 ? s.dot(d) / curvature : 0);
      if (curvature <= 0) continue;
      d -= weights.back() * y;
      if (scale == 0) scale = curvature / y.squaredNorm();
    }
    if (limits_.precondition)
      d = -limits_.precondition(Vector(-d), free);
    else if (scale > 0)
      d *= scale;
    auto weight = weights.rbegin();
    for (const Pair& pair : pairs_) {
      const Vector s = pair.step.cwiseProduct(free), y = pair.change.cwiseProduct(free);
      const double curvature = s.dot(y), along = *weight++;
      if (curvature > 0) d += (along - y.dot(d) / curvature) * s;
    }
    if (limits_.precondition) d *= std::min(1.0, kMostStep / d.cwiseAbs().maxCoeff());
    return d.cwiseProduct(free);
  }

  // Points that are asked for next are beside this one.
  void stand_at(const Point& point) { slope_ = point.slope(); }

  void remember(const Point& from, const Point& to) {
    Pair pair{to.x - from.x, to.gradient - from.gradient};
    if (pair.step.dot(pair.change) <= 1e-12 * pair.step.norm() * pair.change.norm()) return;
    pairs_.push_back(std::move(pair));
    if (pairs_.size() > kRemembered) pairs_.pop_front();
  }
  bool forget() {
    const bool any = !pairs_.empty();
    pairs_.clear();
    return any;
  }
  bool remembers() const { return !pairs_.empty(); }

  static double rounding(const Point& point) {
    return 0x1p-50 * (std::abs(point.value) + static_cast<double>(point.x.size()));
  }

  Index evaluations = 0;

 private:
  const Objective& objective_;
  const SearchLimits& limits_;
  std::deque<Pair> pairs_;
  double slope_ = std::numeric_limits<double>::infinity();
};

bool is_over(const Context& context) {
  return context.observer.out_of_time && context.observer.out_of_time();
}

}  // namespace

SearchEnd bounded_search(Vector x, const Objective& objective, const SearchLimits& limits,
                         const Context& context) {
  Search search(objective, limits);
  SearchEnd end;
  Point here = search.at(x.cwiseMax(limits.lower).cwiseMin(limits.upper));
  search.stand_at(here);
  Point best = here;
  const double steepest = std::max(here.slope(), 2 * limits.tolerance);
  Index without = 0;
  while (here.slope() > limits.tolerance && end.iterations < limits.iterations &&
         without < kPatience) {
    context.report(limits.phase,
                   std::log(steepest / here.slope()) / std::log(steepest / limits.tolerance));
    end.out_of_time = is_over(context);
    if (end.out_of_time) break;
    ++end.iterations;
    Vector direction = search.direction(here);
    if (!(direction.dot(here.open) < 0)) {
      search.forget();
      direction = -here.open;
    }
    const bool scaled = search.remembers() || limits.precondition;
    const double first = scaled ? 1 : std::min(1.0, 1 / here.open.norm());
    Point next = search.descend(here, direction, first);
    if (next.x == here.x) {
      if (search.forget()) continue;
      break;
    }
    search.remember(here, next);
    const bool falls = next.value < best.value - Search::rounding(best);
    without = falls || next.slope() < best.slope() ? 0 : without + 1;
    here = std::move(next);
    search.stand_at(here);
    if (falls || here.slope() < best.slope()) best = here;
  }
  end.x = best.x;
  end.value = best.value;
  end.slope = best.slope();
  end.evaluations = search.evaluations;
  const bool stalled = end.iterations < limits.iterations && !end.out_of_time;
  end.converged =
      end.slope <= (stalled ? std::max(limits.tolerance, limits.enough) : limits.tolerance);
  return end;
}

}  // namespace mercer::detail
