#include "mercer/models/detail/ica/likelihood.h"

#include "mercer/core/untimed.h"
#include "mercer/linalg/tall.h"

#include <Eigen/Cholesky>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <optional>
#include <utility>
#include <vector>

namespace mercer::detail {
namespace {

constexpr double kLeastCurvature = 0.01;
constexpr int kMostHalvings = 20;
// Sources may change their density in so many first steps: one that is nearly Gaussian would go on
// for ever.
constexpr Index kSwitching = 50;
// L is a sum of K means and a logarithm: what rounding may take from it, relative to its terms.
constexpr double kRounding = 32 * 0x1p-53;
const double kLogPi = std::log(std::numbers::pi);
const double kLogFlat = 0.5 * std::log(2 * std::numbers::pi) + 0.5;

// What a look at the rows through w tells; means over them.
struct Look {
  Block w;
  Block tanh_products;              // mean tanh(y_i) y_j
  Block products;                   // mean y_i y_j
  Vector log_cosh, slopes, curves;  // mean ln cosh y, 1 - tanh^2 y, (1 - tanh^2 y) y^2
  double log_det = 0;
};

// ln|det W| from the Cholesky factor of W W'; nothing where W is singular.
std::optional<double> log_det_of(const Block& w) {
  const Eigen::LLT<Block> root(w * w.transpose());
  if (root.info() != Eigen::Success) return std::nullopt;
  const Block lower = root.matrixL();
  return lower.diagonal().array().log().sum();
}

struct WhiteRows {
  ConstBlockRef z;
  Block second;     // mean z z'
  Context context;  // for the passes, which the time does not end
};

std::optional<Look> look(const WhiteRows& search, Block w) {
  const std::optional<double> log_det = log_det_of(w);
  if (!log_det || !w.allFinite()) return std::nullopt;
  const auto n = static_cast<double>(search.z.rows());
  const TanhSums sums = tanh_sums(search.z, w, search.context);
  Look seen;
  seen.tanh_products = sums.products / n;
  seen.products = w * search.second * w.transpose();
  seen.log_cosh = sums.log_cosh / n;
  seen.slopes = sums.slopes / n;
  seen.curves = sums.curves / n;
  seen.log_det = *log_det;
  seen.w = std::move(w);
  return seen;
}

// ln p summed over the sources, and how large its terms are.
struct Likely {
  double value = 0, size = 0;
};

Likely likely(const Look& seen, const std::vector<bool>& flat) {
  Likely all{seen.log_det, std::abs(seen.log_det)};
  for (Index k = 0; k < seen.w.rows(); ++k) {
    const bool is_flat = flat[static_cast<std::size_t>(k)];
    const double square = is_flat ? seen.products(k, k) / 2 : 0,
                 bent = is_flat ? seen.log_cosh[k] : -seen.log_cosh[k],
                 constant = is_flat ? kLogFlat : kLogPi;
    all.value += bent - square - constant;
    all.size += std::abs(bent) + square + constant;
  }
  return all;
}

// Changes densities where the test of stability asks for it.
void choose_densities(const Look& seen, std::vector<bool>& flat) {
  for (Index k = 0; k < seen.w.rows(); ++k)
    flat[static_cast<std::size_t>(k)] =
        seen.slopes[k] * seen.products(k, k) <= seen.tanh_products(k, k);
}

Block gradient(const Look& seen, const std::vector<bool>& flat) {
  Block g = seen.tanh_products;
  for (Index k = 0; k < g.rows(); ++k)
    if (flat[static_cast<std::size_t>(k)]) g.row(k) = seen.products.row(k) - g.row(k);
  g.diagonal().array() -= 1;
  return g;
}

Block newton_step(const Look& seen, const std::vector<bool>& flat, const Block& g) {
  const Index k = g.rows();
  Vector slope = seen.slopes, curve = seen.curves;  // mean psi'(y), mean psi'(y) y^2
  for (Index i = 0; i < k; ++i) {
    if (!flat[static_cast<std::size_t>(i)]) continue;
    slope[i] = 1 - slope[i];
    curve[i] = seen.products(i, i) - curve[i];
  }
  Block step(k, k);
  for (Index i = 0; i < k; ++i) {
    step(i, i) = -g(i, i) / (curve[i] + 1);
    for (Index j = 0; j < i; ++j) {
      double a = slope[i] * seen.products(j, j), b = slope[j] * seen.products(i, i);
      const double least = (a + b) / 2 - std::hypot((a - b) / 2, 1.0);
      const double raise = std::max(0.0, kLeastCurvature - least);
      a += raise;
      b += raise;
      step(i, j) = -(b * g(i, j) - g(j, i)) / (a * b - 1);
      step(j, i) = -(a * g(j, i) - g(i, j)) / (a * b - 1);
    }
  }
  return step;
}

// Where one step went.
struct Moved {
  Look seen;
  Block step;  // t D
};

// The first of W + t D W, t = 1, 1/2, ..., whose likelihood is no less, rounding apart.
std::optional<Moved> line_search(const WhiteRows& search, const Look& from, const Block& step,
                                 const std::vector<bool>& flat) {
  const Likely before = likely(from, flat);
  double t = 1;
  for (int halving = 0; halving <= kMostHalvings; ++halving, t /= 2) {
    std::optional<Look> tried = look(search, from.w + t * (step * from.w));
    if (tried && likely(*tried, flat).value >= before.value - kRounding * before.size)
      return Moved{std::move(*tried), t * step};
  }
  return std::nullopt;
}

// What the last steps told of the curvature beyond the blocks (L-BFGS, Nocedal 1980): s the steps,
// y what they changed in the gradient.
class Curvature {
 public:
  void forget() { pairs_.clear(); }
  void learn(Block step, Block change) {
    const double along = step.cwiseProduct(change).sum();
    // Where the gradient did not grow along the step there is no curvature to learn.
    if (!(along > kLeastAlong * step.norm() * change.norm())) return;
    if (static_cast<Index>(pairs_.size()) == kPairs) pairs_.erase(pairs_.begin());
    pairs_.push_back({std::move(step), std::move(change), along});
  }
  /// The step downhill from gradient g, where blocks(g) is that of the blocks alone.
  template <class Blocks>
  Block step(Block g, const Blocks& blocks) const {
    std::vector<double> shares(pairs_.size());
    for (std::size_t i = pairs_.size(); i-- > 0;) {
      shares[i] = pairs_[i].step.cwiseProduct(g).sum() / pairs_[i].along;
      g -= shares[i] * pairs_[i].change;
    }
    Block down = blocks(g);
    for (std::size_t i = 0; i < pairs_.size(); ++i) {
      const double share = pairs_[i].change.cwiseProduct(down).sum() / pairs_[i].along;
      down -= (shares[i] + share) * pairs_[i].step;
    }
    return down;
  }

 private:
  static constexpr Index kPairs = 7;
  static constexpr double kLeastAlong = 1e-12;
  struct Pair {
    Block step, change;
    double along;
  };
  std::vector<Pair> pairs_;
};

// The first way down that makes the likelihood larger: by all that is known of the curvature, by
// the blocks alone, along the gradient.
std::optional<Moved> move(const WhiteRows& search, const Look& from, const Block& g,
                          const std::vector<bool>& flat, Curvature& curvature) {
  const auto blocks = [&](const Block& gradient) { return newton_step(from, flat, gradient); };
  const Block learnt = curvature.step(g, blocks);
  // Uphill, what was learnt is wrong here.
  if (learnt.cwiseProduct(g).sum() < 0)
    if (std::optional<Moved> moved = line_search(search, from, learnt, flat)) return moved;
  curvature.forget();
  if (std::optional<Moved> moved = line_search(search, from, blocks(g), flat)) return moved;
  return line_search(search, from, -g, flat);
}

}  // namespace

Unmixing likelihood_search(ConstBlockRef z, const Block& start, bool extended,
                           const UnmixingStop& stop, const Context& context) {
  const Context passes = untimed(context);
  const WhiteRows search{z, self_products(z, passes) / static_cast<double>(z.rows()), passes};
  Unmixing found;
  found.flat.assign(static_cast<std::size_t>(start.rows()), false);
  Look seen = look(search, start).value();
  if (extended) choose_densities(seen, found.flat);
  Block g = gradient(seen, found.flat);
  Curvature curvature;
  while (true) {
    found.change = g.cwiseAbs().maxCoeff();
    found.converged = found.change <= stop.tolerance;
    if (found.converged || found.iterations == stop.iterations) break;
    if ((found.late = time_is_over(context))) break;
    std::optional<Moved> moved = move(search, seen, g, found.flat, curvature);
    if (!moved) break;  // rounding hides what is left
    seen = std::move(moved->seen);
    ++found.iterations;
    const std::vector<bool> before = found.flat;
    if (extended && found.iterations < kSwitching) choose_densities(seen, found.flat);
    Block next = gradient(seen, found.flat);
    if (found.flat == before)
      curvature.learn(std::move(moved->step), next - g);
    else
      curvature.forget();
    g = std::move(next);
    context.report("unmixing",
                   static_cast<double>(found.iterations) / static_cast<double>(stop.iterations));
  }
  found.objective = likely(seen, found.flat).value;
  found.w = std::move(seen.w);
  return found;
}

}  // namespace mercer::detail
