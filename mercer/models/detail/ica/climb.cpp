#include "mercer/models/detail/ica/climb.h"

#include "mercer/models/detail/ica/shape.h"

#include <algorithm>
#include <cmath>
#include <deque>

namespace mercer::detail {
namespace {

constexpr double kMostTurned = 0.5;            // radians, in one step
constexpr double kLeastClimbCurvature = 0.01;  // near Gaussian sources it is nearly nothing
constexpr std::size_t kTurnsRemembered = 10;
constexpr int kClimbHalvings = 12;

// The entries of A below its diagonal, one after the other.
Block from_entries(const Vector& entries, Index k) {
  Block a = Block::Zero(k, k);
  for (Index i = 0, at = 0; i < k; ++i)
    for (Index j = 0; j < i; ++j, ++at) {
      a(i, j) = entries[at];
      a(j, i) = -entries[at];
    }
  return a;
}

struct Place {
  Block w;
  double objective = 0;
  Vector signs, gradient, curvature;  // of -J by the entries of A
  double slope() const { return gradient.size() > 0 ? gradient.cwiseAbs().maxCoeff() : 0; }
};

struct Turn {
  Vector step, change;
};

class Climb {
 public:
  Climb(const ClimbTask& task, const Context& context) : task_(task), context_(context) {}

  void run(Unmixing& found);

 private:
  Place at(Block w) const;
  Vector newton(const Place& place) const;
  Vector direction(const Place& place) const;
  bool higher(const Place& there, const Place& here) const;
  bool step(Place& here);
  void remember(const Place& from, const Place& to, const Vector& turned);

  const ClimbTask& task_;
  const Context& context_;
  std::deque<Turn> turns_;
};

Place Climb::at(Block w) const {
  const ClimbPass pass = task_.look(w);
  const auto n = static_cast<double>(task_.n);
  const Index k = w.rows();
  const Block m = pass.sums.products * w.transpose() / n;
  const Vector h = pass.sums.slopes / n - m.diagonal();
  const Vector gaps = pass.values.array() / n - gaussian_mean(task_.contrast);
  Place place;
  place.objective = gaps.lpNorm<1>();
  place.signs = gaps.unaryExpr([](double gap) { return gap < 0 ? -1.0 : 1.0; });
  const Vector& e = place.signs;
  place.gradient.resize(k * (k - 1) / 2);
  place.curvature.resize(place.gradient.size());
  for (Index i = 0, entry = 0; i < k; ++i)
    for (Index j = 0; j < i; ++j, ++entry) {
      place.gradient[entry] = e[j] * m(j, i) - e[i] * m(i, j);
      place.curvature[entry] = std::max(kLeastClimbCurvature, std::abs(e[i] * h[i] + e[j] * h[j]));
    }
  place.w = std::move(w);
  return place;
}

Vector bounded(Vector entries) {
  const double most = entries.size() > 0 ? entries.cwiseAbs().maxCoeff() : 0;
  return most > kMostTurned ? Vector(entries * (kMostTurned / most)) : entries;
}

Vector Climb::newton(const Place& place) const {
  return -place.gradient.cwiseQuotient(place.curvature);
}

// -H^-1 g by the two loops over the turns remembered.
Vector Climb::direction(const Place& place) const {
  Vector d = -place.gradient;
  std::vector<double> weights;
  for (auto turn = turns_.rbegin(); turn != turns_.rend(); ++turn) {
    weights.push_back(turn->step.dot(d) / turn->step.dot(turn->change));
    d -= weights.back() * turn->change;
  }
  d = d.cwiseQuotient(place.curvature);
  auto weight = weights.rbegin();
  for (const Turn& turn : turns_)
    d += (*weight++ - turn.change.dot(d) / turn.step.dot(turn.change)) * turn.step;
  return d.dot(place.gradient) < 0 ? bounded(std::move(d)) : bounded(newton(place));
}

// Where values differ by rounding only, a smaller slope is progress.
bool Climb::higher(const Place& there, const Place& here) const {
  const double rounding = task_.rounding * static_cast<double>(here.w.rows());
  if (there.objective > here.objective + rounding) return true;
  return there.objective >= here.objective - rounding && there.slope() < here.slope();
}

void Climb::remember(const Place& from, const Place& to, const Vector& turned) {
  if (to.signs != from.signs) return turns_.clear();  // another function from here on
  Turn turn{turned, to.gradient - from.gradient};
  const double least = 1e-12 * turn.step.norm() * turn.change.norm();
  if (!(turn.step.dot(turn.change) > least)) return;
  turns_.push_back(std::move(turn));
  if (turns_.size() > kTurnsRemembered) turns_.pop_front();
}

// False where no turn in the direction leads up.
bool Climb::step(Place& here) {
  const Vector d = direction(here);
  double t = 1;
  for (int halving = 0; halving <= kClimbHalvings; ++halving, t /= 2) {
    if (halving > 0 && time_is_over(context_)) return true;
    Block w = here.w + t * from_entries(d, here.w.rows()) * here.w;
    decorrelate(w);
    Place there = at(std::move(w));
    if (!higher(there, here)) continue;
    remember(here, there, t * d);
    here = std::move(there);
    return true;
  }
  return false;
}

void Climb::run(Unmixing& found) {
  Place here = at(found.w);
  for (;;) {
    const Block turn = from_entries(bounded(newton(here)), here.w.rows());
    found.change = turn.rowwise().squaredNorm().maxCoeff() / 2;
    found.converged = found.change <= task_.tolerance;
    if (found.converged || found.iterations >= task_.iterations) break;
    if ((found.late = time_is_over(context_))) break;
    ++found.iterations;
    context_.report("unmixing",
                    static_cast<double>(found.iterations) / static_cast<double>(task_.iterations));
    if (step(here)) continue;
    if (turns_.empty()) {  // there is no way up
      found.change = 0;
      found.converged = true;
      break;
    }
    turns_.clear();
  }
  found.w = std::move(here.w);
}

}  // namespace

void climb(const ClimbTask& task, Unmixing& found, const Context& context) {
  Climb(task, context).run(found);
}

}  // namespace mercer::detail
