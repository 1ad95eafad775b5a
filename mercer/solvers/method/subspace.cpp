// subspace: orthogonal iteration, V <- orth(f(A) V) with Rayleigh-Ritz after every step, on a block
// a little wider than the number of pairs. A pair shrinks its error by |f(mu_{b+1}) / f(mu_i)| per
// step and nothing else is kept: the simplest method for several pairs, and the most robust.
//
//   plain       f(A) = A - s, s = 0 for positive matrices: one product, factor mu_{b+1} / mu_i;
//   chebyshev   f = T_m on [a, c], where a is below the spectrum and c is the smallest Ritz value:
//               m products, factor 1 / T_m grows like exp(-2 m sqrt(mu_i / c - 1)).
//
// The degree is capped where T_m(theta_1) reaches 1e8: beyond that all filtered columns lean to
// the first vectors so much that they are numerically dependent, and the iteration breaks down.
// Pairs wanted by magnitude lie at both ends, where only the plain iteration grows alike.
#include "mercer/core/untimed.h"
#include "mercer/linalg/tall.h"
#include "mercer/solvers/iteration.h"
#include "mercer/solvers/krylov_basis.h"
#include "mercer/solvers/krylov_widths.h"
#include "mercer/solvers/passes.h"
#include "mercer/solvers/recipe.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace mercer {
namespace subspace_method {
namespace {

constexpr std::array<std::string_view, 2> kVariants{"chebyshev", "plain"};
constexpr Index kMostPasses = 300;
constexpr Index kHighestDegree = 50;
constexpr double kMostGrowth = 1e8;  // of the first Ritz vector over the last, in one filter
// Pairs whose residual is below this share of what is asked are multiplied no more.
constexpr double kLocked = 0.1;
// A filter that halves no residual in so many products is one that damps the wanted pairs, too.
constexpr double kProductsPerHalving = 10;
// The spectrum reaches about this many standard deviations below its middle: 1.7 where values are
// spread evenly, 2 for a random matrix.
constexpr double kReach = 2;

// The wanted columns and some that wait: the last wanted pair gains mu_{b+1} / mu_k per step.
Index guarded(Index count) { return count + std::max<Index>(8, count / 2); }

// Columns of a block. Where a pass is expensive and columns are not, a wide one saves passes; one
// of nearly all columns would make several passes over what one pass over all of them settles.
Index width_of(Index n, Index count, bool costly) {
  const Index width = costly ? std::max<Index>(50, 2 * count) : guarded(count);
  return 2 * width > n ? n : width;
}

class SubspaceIteration {
 public:
  SubspaceIteration(const SymmetricOperator& a, const EigenRequest& request, const Context& context)
      : request_(request),
        context_(untimed(context)),
        passes_(a, request, kMostPasses, context),
        n_(a.size()),
        count_(std::min(request.count, n_)),
        width_(chosen_width()),
        basis_(n_, width_, request.order, context_) {}

  EigenResult run();

 private:
  Index chosen_width() const;
  bool renew(Block columns);
  void measure();
  void bound_below();
  bool done();
  bool filter(Block& filtered);
  Index degree() const;
  double edge() const;
  Index wanted() const { return std::min(count_, basis_.size()); }
  double last_wanted() const { return basis_.values()[wanted() - 1]; }
  void widen_margin(double before, Index products);

  const EigenRequest& request_;
  const Context context_;
  Passes passes_;
  Index n_, count_, width_;
  KrylovBasis basis_;   // columns are Ritz vectors
  Index locked_ = 0;    // leading columns that have converged and stay
  double lowest_ = 0;   // estimate of the smallest eigenvalue
  double largest_ = 0;  // |theta| at most
  double margin_ = 0;   // by which the filter stays below the last wanted value
  Vector residuals_;
};

Index SubspaceIteration::chosen_width() const {
  const Index given = std::max(request_.search.first, request_.search.block);
  const Index width = given > 0 ? std::max(given, guarded(count_))
                                : width_of(n_, count_, request_.matrix.costly_passes);
  const Index most = request_.search.basis > 0 ? std::max(request_.search.basis, count_) : n_;
  return std::min({n_, most, width});
}

// One product with columns orthonormal to the locked ones, and the Ritz pairs of all.
bool SubspaceIteration::renew(Block columns) {
  Block images(n_, columns.cols());
  if (!passes_.apply(columns, images)) return false;
  if (basis_.size() > 0) basis_.keep(locked_);
  basis_.append(columns, images);
  basis_.keep(basis_.size());
  measure();
  return true;
}

void SubspaceIteration::measure() {
  largest_ = basis_.values().cwiseAbs().maxCoeff();
  const Block r = basis_.images() - basis_.vectors() * basis_.values().asDiagonal();
  residuals_ = column_norms(r);
  if (largest_ > 0) residuals_ /= largest_;
  passes_.note(residuals_.head(wanted()).maxCoeff(),
               (residuals_.head(wanted()).array() <= passes_.enough()).count());
  locked_ = 0;
  while (locked_ < wanted() && residuals_[locked_] <= kLocked * passes_.enough()) ++locked_;
  bound_below();
}

// The first block has random columns, so that a Ritz value less its residual says how low the
// spectrum reaches. Where that is wrong the filter raises what lies lower, which then shows as a
// Ritz value.
void SubspaceIteration::bound_below() {
  Index at = 0;
  const double least = basis_.values().minCoeff(&at);
  if (passes_.count() == 1)
    lowest_ = least - kReach * largest_ * residuals_[at];
  else
    lowest_ = std::min(lowest_, least);
  if (request_.matrix.positive) lowest_ = std::max(lowest_, 0.0);
}

bool SubspaceIteration::done() {
  if (basis_.size() == n_ || passes_.history().back().residual <= passes_.enough()) return true;
  if (!at_rounding_floor(passes_.history(), 3, n_, largest_,
                         request_.matrix.operator_error + request_.matrix.rounding))
    return false;
  passes_.give_up({StopReason::rounding});
  return true;
}

// The upper end of what is damped: the last Ritz value, which the values outside do not exceed.
// Where all of the block belongs to one cluster that would damp nothing but the cluster itself, so
// that the end is lowered when a filter gains nothing.
double SubspaceIteration::edge() const {
  const double last = last_wanted();
  return std::min(basis_.values()[basis_.size() - 1], last - margin_ * (last - lowest_));
}

// The degree at which the last wanted pair would be good enough, within the cap.
Index SubspaceIteration::degree() const {
  const double half = (edge() - lowest_) / 2, middle = (edge() + lowest_) / 2;
  const double top = (basis_.values()[0] - middle) / half;
  const double last = (last_wanted() - middle) / half;
  if (!(half > 0) || !(top > 1) || !std::isfinite(top)) return 1;
  const double most = std::max(1.0, std::floor(std::acosh(kMostGrowth) / std::acosh(top)));
  const double missing = 10 * passes_.history().back().residual / passes_.enough();
  const double needed =
      last > 1 ? std::ceil(std::acosh(std::max(1.0, missing)) / std::acosh(last)) : most;
  return static_cast<Index>(std::clamp(needed, 1.0, std::min<double>(most, kHighestDegree)));
}

// f(A) times the columns that are not locked, of about unit length at theta_1. The first product is
// known.
bool SubspaceIteration::filter(Block& filtered) {
  const Index active = basis_.size() - locked_;
  const bool by_value = request_.order == Order::value;
  const bool plain = !by_value || request_.search.variant == "plain";
  Block x = basis_.vectors().rightCols(active);
  filtered = basis_.images().rightCols(active);
  const Index m = plain ? 1 : degree();
  if (m == 1) {  // by magnitude both ends grow; by value a shift keeps the lower end small
    const double upper = plain ? std::min(edge(), 0.0) : edge();
    const double shift = by_value && (!plain || lowest_ < 0) ? (lowest_ + upper) / 2 : 0;
    filtered -= shift * x;
    return true;
  }
  const double half = (edge() - lowest_) / 2, middle = (edge() + lowest_) / 2;
  const double first = half / (basis_.values()[0] - middle);
  double now = first;
  filtered = (filtered - middle * x) * (first / half);
  for (Index i = 2; i <= m; ++i) {
    Block images(n_, active);
    if (!passes_.apply(filtered, images)) return false;
    const double next = 1 / (2 / first - now);
    images = (2 * next / half) * (images - middle * filtered) - (now * next) * x;
    x.swap(filtered);
    filtered.swap(images);
    now = next;
  }
  return true;
}

// In a cluster the wanted pairs are no better than the last ones of the block, and a filter of many
// products gains hardly more than one of few.
void SubspaceIteration::widen_margin(double before, Index products) {
  const double now = passes_.history().back().residual;
  const bool alike = now > 0.3 * residuals_[residuals_.size() - 1];
  const double gain = std::exp2(std::max(1.0, static_cast<double>(products) / kProductsPerHalving));
  if (alike && now > before / gain && passes_.history().size() > 3)
    margin_ = std::min(0.5, 4 * margin_ + 0.03);
}

EigenResult SubspaceIteration::run() {
  bool more = renew(start_block(n_, width_, request_, context_));
  while (more && !done()) {
    Block filtered;
    const Index counted = passes_.count();
    if (!filter(filtered)) break;
    const double scale = column_norms(filtered).maxCoeff();
    const double before = passes_.history().back().residual, lowest = lowest_;
    const Index products = passes_.count() - counted;
    more = renew(completed(std::move(filtered), basis_.vectors().leftCols(locked_),
                           width_ - locked_, scale, request_.search.seed, context_));
    if (more && lowest_ == lowest) widen_margin(before, products);
  }
  return passes_.search_on(basis_.vectors(), basis_.images());
}

std::optional<std::string> refuse(const SolverTask& task) {
  if (task.request.open()) return "the number of components is open: the whole spectrum is needed";
  if (task.request.whole_spectrum) return "the policy for negative eigenvalues needs all of them";
  if (task.size < 3 || task.request.count > task.size / 2)
    return "more than half of all components are wanted";
  return std::nullopt;
}

// Measured on Gaussian kernels from a third of the median width to three times it: two products per
// digit of the residual from a random start, 0.75 from a wide one that comes from a matrix nearby.
std::vector<Index> schedule(const SolverTask& task) {
  const double digits = -std::log10(std::clamp(task.request.tolerance, 1e-14, 1e-1));
  const double passes = (task.costly_passes() ? 1.5 + 0.75 * digits : 2 + 2 * digits) -
                        (task.request.eigenvalues_only ? 1 : 0);
  std::vector<Index> columns(static_cast<std::size_t>(std::lround(passes)),
                             width_of(task.size, task.request.count, task.costly_passes()));
  const bool chance = task.probes();
  if (chance) columns.insert(columns.end(), 2, krylov_widths(task).probes);
  return columns;
}

Cost cost(const SolverTask& task, const Machine& machine) {
  const auto n = static_cast<double>(task.size);
  const auto width =
      static_cast<double>(width_of(task.size, task.request.count, task.costly_passes()));
  const auto passes = static_cast<double>(schedule(task).size());
  // Per step: the basis made orthonormal in two rounds, the projected matrix, two turns.
  const double work = passes * 2 * n * width * width * 8;
  // Vectors and images, three blocks of the recurrence, one of the product; probe columns.
  const double bytes = 8 * n * (6 * width + 2 * static_cast<double>(krylov_widths(task).probes));
  return {.setup_seconds = 2 * work / machine.gemm_double / static_cast<double>(machine.threads),
          .bytes = static_cast<std::uint64_t>(bytes),
          .error = task.request.tolerance};
}

EigenResult run(const SymmetricOperator& a, const EigenRequest& request, const Context& context) {
  return SubspaceIteration(a, request, context).run();
}

}  // namespace
}  // namespace subspace_method

const SolverRecipe& subspace_recipe() {
  using namespace subspace_method;
  static constexpr SolverRecipe recipe{
      .name = "subspace",
      .summary = "orthogonal iteration of a block: robust, little memory, slow for close values",
      .refuse = refuse,
      .cost = cost,
      .schedule = schedule,
      .run = run,
      .variants = kVariants,
  };
  return recipe;
}

}  // namespace mercer
