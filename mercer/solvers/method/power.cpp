// power: v <- A v / |A v|, one vector at a time, those found before kept out by projection. The
// error shrinks by |mu_2 / mu_1| in a pass, the slowest way there is, but with two vectors of
// memory per component. Three things make it dependable. Negative eigenvalues, which would win by
// magnitude, are shifted away: two successive iterates give a Ritz value near the lower end, and
// A - s I with s at half of it has its largest magnitudes at the upper end. Rayleigh-Ritz on all
// vectors together ends every round: it takes out what each left in the later ones and separates
// clusters, which power steps alone would take forever to do. And a vector that hardly shrinks is
// left until the next round, when that has been done.
#include "mercer/core/untimed.h"
#include "mercer/linalg/tall.h"
#include "mercer/solvers/deflation.h"
#include "mercer/solvers/iteration.h"
#include "mercer/solvers/passes.h"
#include "mercer/solvers/recipe.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace mercer {
namespace power_method {
namespace {

constexpr Index kMostPasses = 1000;
constexpr Index kMostComponents = 50;
// Passes over which the speed of convergence is measured.
constexpr std::size_t kWindow = 10;
// A vector that needs more than this part of its share of the passes waits for the next round.
// Measured on five spectra: 0.1 instead of 1 saves up to half of the passes for 5 or 10 components,
// nothing for one.
constexpr double kPatience = 0.1;
// Vectors aim lower than the answer must be: Rayleigh-Ritz mixes their residuals.
constexpr double kAim = 0.5;
// Two iterates this close span a plane that rounding decides.
constexpr double kSamePlane = 1e-4;

class PowerSearch {
 public:
  PowerSearch(const SymmetricOperator& a, const EigenRequest& request, const Context& context)
      : request_(request),
        context_(untimed(context)),
        n_(a.size()),
        count_(std::min(request.count, n_)),
        passes_(a, request, kMostPasses, context),
        set_(n_, request.order, context_) {}

  EigenResult run();

 private:
  bool start();
  bool add(Block columns);
  bool refill();
  bool improve(Index i);
  bool done(const std::vector<double>& residuals, Index left) const;
  void see_lower_end(ConstBlockRef before, ConstBlockRef now);
  double shift() const { return request_.order == Order::value ? std::min(0.0, lowest_) / 2 : 0; }
  double aim() const { return kAim * passes_.enough(); }

  const EigenRequest& request_;
  const Context context_;
  Index n_, count_;
  Passes passes_;
  RitzSet set_;
  double lowest_ = 0;
};

bool PowerSearch::add(Block columns) {
  Block images(n_, columns.cols());
  if (!passes_.apply(columns, images)) return false;
  set_.append(columns, images);
  set_.combine(count_);
  passes_.note(set_.worst(count_), set_.within(count_, passes_.enough()));
  lowest_ = std::min(lowest_, set_.values().minCoeff());
  return true;
}

// One product with all starting vectors: from here on there is an answer at any time.
bool PowerSearch::start() { return add(starting_vectors(n_, count_, request_, context_)); }

// Where more vectors are wanted than the matrix has rank, power steps turn the last ones to
// whatever rounding leaves of them, which may be one direction for several: of those all but one
// are dropped. Random columns take their place. False where none is missing or none is allowed.
bool PowerSearch::refill() {
  if (set_.size() >= count_) return false;
  return add(completed(Block(n_, 0), set_.vectors(), count_ - set_.size(), 0, request_.search.seed,
                       context_));
}

// The smaller Ritz value of the plane of two iterates, given as columns v and A v: where both ends
// of the spectrum fight for the vector it comes near to the lower one.
void PowerSearch::see_lower_end(ConstBlockRef before, ConstBlockRef now) {
  const double along = inner_products(before.col(0), now.col(0), context_)(0, 0);
  Block plane(n_, 2), images(n_, 2);
  plane.col(0) = before.col(0);
  images.col(0) = before.col(1);
  plane.col(1) = now.col(0) - along * before.col(0);
  const double length = column_norms(plane.col(1))[0];
  if (!(length > kSamePlane)) return;
  plane.col(1) /= length;
  images.col(1) = (now.col(1) - along * before.col(1)) / length;
  const Block h = inner_products(plane, images, context_);
  lowest_ =
      std::min(lowest_, (h(0, 0) + h(1, 1)) / 2 - std::hypot((h(0, 0) - h(1, 1)) / 2, h(1, 0)));
}

// Whether a vector has arrived, or would need too much of its share of the passes that are left.
bool PowerSearch::done(const std::vector<double>& residuals, Index left) const {
  const double now = residuals.back();
  if (now <= aim()) return true;
  const std::size_t at = residuals.size();
  if (at <= kWindow) return false;
  if (now < rounding_floor(n_) && now > 0.9 * residuals[at - 1 - kWindow]) return true;
  const double speed = std::log(residuals[at - 1 - kWindow] / now) / static_cast<double>(kWindow);
  const Index limit = request_.search.passes > 0 ? request_.search.passes : kMostPasses;
  const auto share = static_cast<double>((limit - passes_.count()) / std::max<Index>(1, left));
  return !(speed * kPatience * share > std::log(now / aim()));
}

// Power steps with vector i, the earlier ones kept out. False where no more products are allowed.
bool PowerSearch::improve(Index i) {
  const Range mine{i, i + 1};
  const Block rest = set_.others(mine, -1);
  Block pair(n_, 2), before;  // v, A v
  // Its image is known: the first step needs no product.
  pair.col(0) = set_.images().col(i) - shift() * set_.vectors().col(i);
  std::vector<double> residuals;
  for (;;) {
    context_.check_cancelled();
    project_out(pair.leftCols(1), rest, context_);
    const double length = column_norms(pair.col(0))[0];
    if (!(length > 0)) return true;
    pair.col(0) /= length;
    project_out(pair.leftCols(1), rest, context_);  // what rounding left, now of unit length
    if (!passes_.apply(pair.leftCols(1), pair.rightCols(1))) return false;
    const double theta = inner_products(pair.col(0), pair.col(1), context_)(0, 0);
    Block image = pair.rightCols(1);
    project_out(image, rest, context_);
    const Vector norm = column_norms(image - theta * pair.leftCols(1));
    set_.replace(mine, pair.leftCols(1), pair.rightCols(1), Vector::Constant(1, theta), norm);
    passes_.note(set_.worst(count_), set_.within(count_, passes_.enough()));
    if (!(set_.largest() > 0)) return true;
    residuals.push_back(norm[0] / set_.largest());
    if (done(residuals, count_ - i)) return true;
    if (request_.order == Order::value && before.size() > 0) see_lower_end(before, pair);
    before = pair;
    pair.col(0) = image - shift() * pair.col(0);
  }
}

EigenResult PowerSearch::run() {
  if (2 * count_ >= n_) return solve_whole_space(passes_);
  if (!start()) return solve_whole_space(passes_);
  for (bool first_round = true, better = true; better && !passes_.ended(); first_round = false) {
    const double last = set_.worst(count_);
    if (last <= passes_.enough()) break;
    const Index passes = passes_.count();
    for (Index i = 0; i < set_.size() && !passes_.ended(); ++i)
      if (first_round || set_.residuals()[i] > aim() * set_.largest()) improve(i);
    set_.combine(count_);
    refill();
    const double now = set_.worst(count_);
    // A round without a product changes nothing, and the next one would not either.
    better = now > passes_.enough() && passes_.count() > passes &&
             (now > rounding_floor(n_) || now < 0.5 * last);
  }
  return passes_.search_on(set_.vectors(), set_.images());
}

std::optional<std::string> refuse(const SolverTask& task) {
  if (task.request.open()) return "the number of components is open: the whole spectrum is needed";
  if (task.request.whole_spectrum) return "the policy for negative eigenvalues needs all of them";
  if (task.request.count > kMostComponents) return "one vector at a time: at most 50 components";
  return std::nullopt;
}

// Passes with one column, as measured on Gaussian kernels of random points, k = 1 to 10.
std::vector<Index> schedule(const SolverTask& task) {
  const double digits = -std::log10(std::clamp(task.request.tolerance, 1e-14, 1e-1));
  const double passes = digits * (40 + 7 * static_cast<double>(task.request.count));
  std::vector<Index> columns(
      static_cast<std::size_t>(std::clamp(passes, 1.0, static_cast<double>(kMostPasses))), 1);
  columns.front() = task.request.count;
  if (task.probes()) columns.push_back(std::min<Index>(32, task.size));
  return columns;
}

Cost cost(const SolverTask& task, const Machine& machine) {
  const auto n = static_cast<double>(task.size), k = static_cast<double>(task.request.count);
  // Each pass projects three times, twice each: that reads the vectors twelve times.
  const double reads = static_cast<double>(schedule(task).size()) * 12 * k;
  // Vectors and images, those of the round that is made anew, and two pairs of the iteration.
  return {.setup_seconds = 8 * n * reads / machine.bandwidth,
          .bytes = static_cast<std::uint64_t>(8 * n * (4 * k + 8 + 64)),
          .error = task.request.tolerance};
}

EigenResult run(const SymmetricOperator& a, const EigenRequest& request, const Context& context) {
  return PowerSearch(a, request, context).run();
}

}  // namespace
}  // namespace power_method

const SolverRecipe& power_recipe() {
  using namespace power_method;
  static constexpr SolverRecipe recipe{
      .name = "power",
      .summary = "one vector at a time, the least memory and the most products",
      .refuse = refuse,
      .cost = cost,
      .schedule = schedule,
      .run = run,
  };
  return recipe;
}

}  // namespace mercer
