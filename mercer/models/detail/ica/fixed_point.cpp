#include "mercer/models/detail/ica/fixed_point.h"

#include "mercer/core/untimed.h"
#include "mercer/models/detail/ica/ascent.h"
#include "mercer/models/detail/ica/climb.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace mercer::detail {
namespace {

// mean(g(y) z') - mean(g'(y)) w for each row w.
Block step_of(ConstBlockRef z, const Block& w, Contrast contrast, const Context& context) {
  const ContrastSums sums = contrast_sums(z, w, contrast, context);
  const auto n = static_cast<double>(z.rows());
  return sums.products / n - (sums.slopes / n).asDiagonal() * w;
}

struct FixedPoint {
  ConstBlockRef z;
  Contrast contrast;
  const UnmixingStop& stop;
  const Context& context;  // for questions and progress
  Context passes;          // for the passes, which the time does not end
};

// Whether a search goes nowhere: of so many iterations none turned the directions less than half
// of what the best of those before did.
class Watch {
 public:
  bool stuck(double change) {
    least_ = std::min(least_, change);
    if (++seen_ % kWindow != 0) return false;
    const bool none = least_ > before_ / 2;
    before_ = std::min(before_, least_);
    least_ = kNothing;
    return none;
  }

 private:
  static constexpr Index kWindow = 25;
  static constexpr double kNothing = std::numeric_limits<double>::infinity();
  Index seen_ = 0;
  double least_ = kNothing, before_ = kNothing;
};

// One step of a search that ascends; gives back how far it turned, 0 where there is no way up.
template <class Ascend>
double ascend(Block& w, const Ascend& ascending) {
  AscentStep step = ascending();
  w = std::move(step.w);
  return step.larger ? step.change : 0;
}

// A search that has settled goes on while steps of the fixed point shrink fast, as they do near its
// end: two or three take directions from what the tolerance asks for to rounding.
constexpr double kFast = 0.25;

template <class Step>
void finish(const FixedPoint& search, Block& w, double change, Index& iterations,
            const Step& step) {
  while (iterations < search.stop.iterations && !time_is_over(search.context)) {
    Block next = w;
    const double last = std::exchange(change, step(next));
    if (!(change < kFast * last)) return;  // nor does one that stands still go on
    w = std::move(next);
    ++iterations;
  }
}

double next_together(const FixedPoint& search, Block& w) {
  Block next = step_of(search.z, w, search.contrast, search.passes);
  decorrelate(next);
  const double change = turned(w, next);
  w = std::move(next);
  return change;
}

// Iterations of the fixed point before J is climbed; more while each turns much less than the last.
constexpr Index kPlainSteps = 10;
// From so many numbers on climbing begins in float, and in double goes on from there; and where
// float no longer tells directions apart.
constexpr Index kManyNumbers = Index{1} << 18;
constexpr double kFloatTurn = 1e-10, kFloatRounding = 1e-7, kDoubleRounding = 1e-15;

void plain_steps(const ClimbTask& task, const FixedPoint& search, Unmixing& found) {
  double last = 0;
  const auto n = static_cast<double>(task.n);
  while (!found.converged && found.iterations < task.iterations) {
    if (found.iterations >= kPlainSteps && !(found.change < kFast * last)) return;
    if ((found.late = time_is_over(search.context))) return;
    const ContrastSums sums = task.look(found.w).sums;
    Block next = sums.products / n - (sums.slopes / n).asDiagonal() * found.w;
    decorrelate(next);
    last = std::exchange(found.change, turned(found.w, next));
    found.w = std::move(next);
    ++found.iterations;
    found.converged = found.change <= task.tolerance;
    search.context.report(
        "unmixing", static_cast<double>(found.iterations) / static_cast<double>(task.iterations));
  }
}

ClimbTask climb_task(const FixedPoint& search) {
  return {.look =
              [&search](const Block& w) {
                return climb_pass(search.z, w, search.contrast, search.passes);
              },
          .n = search.z.rows(),
          .contrast = search.contrast,
          .rounding = kDoubleRounding,
          .tolerance = search.stop.tolerance,
          .iterations = search.stop.iterations};
}

// Fourth powers may be beyond a float's digits, where rows are far from all others.
bool begins_in_float(const FixedPoint& search) {
  return search.contrast != Contrast::cube && search.z.size() >= kManyNumbers;
}

void search_in_float(const FixedPoint& search, Unmixing& found) {
  const FloatBlock z = search.z.cast<float>();
  ClimbTask task = climb_task(search);
  task.look = [&](const Block& w) {
    return rough_climb_pass(z, w, search.contrast, search.passes);
  };
  task.rounding = kFloatRounding;
  task.tolerance = std::max(search.stop.tolerance, kFloatTurn);
  plain_steps(task, search, found);
  if (!found.converged && !found.late) climb(task, found, search.context);
  found.converged = false;  // double has the last word
}

void together(const FixedPoint& search, Unmixing& found) {
  decorrelate(found.w);
  const ClimbTask task = climb_task(search);
  if (begins_in_float(search))
    search_in_float(search, found);
  else
    plain_steps(task, search, found);
  if (!found.converged && !found.late) climb(task, found, search.context);
  if (found.converged)
    finish(search, found.w, found.change, found.iterations,
           [&](Block& w) { return next_together(search, w); });
}

double next_alone(const FixedPoint& search, const Block& before, bool ascends, Block& w) {
  if (ascends)
    return ascend(
        w, [&] { return ascend_alone(search.z, w, before, search.contrast, search.passes); });
  Block next = step_of(search.z, w, search.contrast, search.passes);
  // A direction that the step maps into those before it stays where it is.
  if (!leave_out(before, next)) return 0;
  const double change = turned(w, next);
  w = std::move(next);
  return change;
}

// Iterates row `at` of w; gives back whether it settled.
bool settle(const FixedPoint& search, Index at, Unmixing& found) {
  Block w = found.w.row(at);
  const Block before = found.w.topRows(at);
  w /= w.norm();
  Watch watch;
  bool ascends = false;
  double change = 1;
  Index iteration = 0;
  for (; change > search.stop.tolerance && iteration < search.stop.iterations; ++iteration) {
    if ((found.late = time_is_over(search.context))) break;
    change = next_alone(search, before, ascends, w);
    ascends = ascends || watch.stuck(change);
  }
  if (change <= search.stop.tolerance)
    finish(search, w, change, iteration,
           [&](Block& next) { return next_alone(search, before, false, next); });
  // Before the first step a start need not stand upright on those before it.
  if (iteration == 0) leave_out(before, w);
  found.w.row(at) = w;
  found.iterations = std::max(found.iterations, iteration);
  found.change = std::max(found.change, change);
  return change <= search.stop.tolerance;
}

void one_by_one(const FixedPoint& search, Unmixing& found) {
  found.converged = true;
  for (Index i = 0; i < found.w.rows(); ++i) {
    found.converged = settle(search, i, found) && found.converged;
    search.context.report("unmixing",
                          static_cast<double>(i + 1) / static_cast<double>(found.w.rows()));
  }
}

}  // namespace

Unmixing fixed_point(ConstBlockRef z, const Block& start, Contrast contrast, Approach approach,
                     const UnmixingStop& stop, const Context& context) {
  Unmixing found;
  found.w = start;
  const FixedPoint search{z, contrast, stop, context, untimed(context)};
  approach == Approach::symmetric ? together(search, found) : one_by_one(search, found);
  found.objective = contrast_gaps(z, found.w, contrast, search.passes).lpNorm<1>();
  return found;
}

}  // namespace mercer::detail
