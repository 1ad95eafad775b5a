#include "mercer/models/detail/factor_fit.h"

#include "mercer/core/untimed.h"
#include "mercer/linalg/blas.h"
#include "mercer/linalg/lapack.h"
#include "mercer/models/detail/accelerated_em.h"
#include "mercer/models/detail/bounded_search.h"
#include "mercer/models/detail/leading_pairs.h"

#include <Eigen/Cholesky>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

namespace mercer::detail {
namespace {

// A factor that explains less than this share of what it and the noise make together is rounding.
constexpr double kNoFactor = 1e-12;

// From so many columns on the search begins at equal shares of both, and is led by what is known of
// the second derivatives; of fewer their differences are affordable.
constexpr Index kManyColumns = 100;
constexpr double kEvenShare = 0.5;
// Eigenpairs are asked for as exactly as the derivative where the search stands needs it.
constexpr double kPairShare = 1e-6, kRoughest = 1e-5;

// Where R has an inverse, (1 - K / 2D) / diag(R^-1), as factanal starts; else half of each
// variance. Of very many columns the inverse would be work that nobody can stop for seconds.
Vector first_uniquenesses(const Block& r, Index factors) {
  constexpr Index kInverted = 1500;
  const Index dim = r.rows();
  if (dim > kInverted) return Vector::Constant(dim, 0.5);
  const Eigen::LLT<Block> root(r);
  if (root.info() != Eigen::Success) return Vector::Constant(dim, 0.5);
  Block inverse = Block::Identity(dim, dim);
  root.matrixL().solveInPlace(inverse);
  const double share = 1 - static_cast<double>(factors) / (2 * static_cast<double>(dim));
  return (share * inverse.colwise().squaredNorm().cwiseInverse().transpose())
      .unaryExpr([](double psi) {
        return std::isfinite(psi) ? std::clamp(psi, kLeastUniqueness, 1.0) : 0.5;
      });
}

// What a psi comes to.
struct Profile {
  Block loadings;
  double value = 0;
  Vector gradient;  // by ln psi
};

class ProfileSearch {
 public:
  ProfileSearch(const Block& r, Index factors, const Context& context)
      : r_(r), pairs_(r, factors), context_(untimed(context)) {}

  /// `slope`: the largest derivative where the search stands.
  Profile at(const Vector& psi, double slope = 0) {
    const Vector inverse = psi.cwiseSqrt().cwiseInverse();
    return made_of(pairs_.of(inverse, std::min(kPairShare * slope, kRoughest), context_), psi);
  }
  /// The same with nothing missed.
  Profile proven(const Vector& psi) {
    const Vector inverse = psi.cwiseSqrt().cwiseInverse();
    return made_of(pairs_.proven(inverse, context_), psi);
  }
  /// V of the last point.
  const Block& vectors() const { return vectors_; }

 private:
  Profile made_of(const LeadingPairs::Found& found, const Vector& psi) {
    const Vector& l = found.values;
    Profile profile;
    const Vector lengths = l.unaryExpr(
        [](double value) { return value - 1 > kNoFactor * value ? std::sqrt(value - 1) : 0.0; });
    profile.loadings = psi.cwiseSqrt().asDiagonal() * found.vectors * lengths.asDiagonal();
    profile.value = psi.array().log().sum() + r_.diagonal().cwiseQuotient(psi).sum() - l.sum();
    for (Index k = 0; k < l.size(); ++k) {
      const double kept = std::max(l[k], 1.0);
      profile.value += std::log(kept) + l[k] / kept;
    }
    profile.gradient =
        (psi + profile.loadings.rowwise().squaredNorm() - r_.diagonal()).cwiseQuotient(psi);
    vectors_ = found.vectors;
    return profile;
  }

  const Block& r_;
  LeadingPairs pairs_;
  Block vectors_;
  Context context_;
};

// The second derivatives of f by ln psi are, where the model is right, the squares of the entries
// of I - V V' (Joreskog 1967):
//     H = diag(1 - 2 h) + U U',   h_i = sum_a v_ia^2,   U: v_a v_b entry by entry, a <= b
// whose inverse needs a small matrix only. What the diagonal lacks of being positive where a
// column is nearly all factors is made up for.
Vector by_information(const Block& v, const Vector& g, const Vector& free) {
  constexpr double kLeast = 0.05;
  const Index dim = v.rows(), k = v.cols(), width = k * (k + 1) / 2;
  const Vector h = v.rowwise().squaredNorm();
  if (4 * width > dim)  // no saving any more: the diagonal alone
    return g.cwiseProduct(free).cwiseQuotient((1 - h.array()).square().max(kLeast).matrix());
  const Vector inverse =
      free.cwiseQuotient((1 - 2 * h.array()).max(kLeast).matrix());  // 0 for what is held
  Block u(dim, width);
  for (Index a = 0, at = 0; a < k; ++a)
    for (Index b = a; b < k; ++b, ++at)
      u.col(at) = (a == b ? 1 : std::numbers::sqrt2) * v.col(a).cwiseProduct(v.col(b));
  const Block scaled = inverse.asDiagonal() * u;
  Block small = Block::Identity(width, width);
  gemm(Transpose::yes, Transpose::no, 1.0, u, scaled, 1.0, small);
  const Vector first = inverse.cwiseProduct(g);
  return first - scaled * Eigen::LLT<Block>(small).solve(u.transpose() * first);
}

// The coordinates of ln psi that are not held by a bound.
std::vector<Index> free_of(const Vector& x, const Vector& gradient) {
  constexpr double kHeld = 1e-9;
  std::vector<Index> free;
  for (Index i = 0; i < x.size(); ++i) {
    const bool low = x[i] <= std::log(kLeastUniqueness) + kHeld && gradient[i] > 0;
    const bool high = x[i] >= -kHeld && gradient[i] < 0;
    if (!low && !high) free.push_back(i);
  }
  return free;
}

// Newton's steps, while the derivatives shrink: where the maximum is flat, values tell nothing of
// its place any more, and derivatives do. Second derivatives are differences of first ones.
struct NewtonEnd {
  Vector x;
  double slope = 0;  // the largest derivative along which x could still move
};

double slope_of(const Vector& gradient, const std::vector<Index>& free) {
  return free.empty() ? 0 : Vector(gradient(free)).cwiseAbs().maxCoeff();
}

NewtonEnd newton_steps(ProfileSearch& search, Vector x) {
  constexpr Index kSteps = 4;
  constexpr double kApart = 1e-4;
  Vector gradient = search.at(x.array().exp()).gradient;
  for (Index step = 0; step < kSteps; ++step) {
    const std::vector<Index> free = free_of(x, gradient);
    const auto size = static_cast<Index>(free.size());
    Block hessian(size, size);
    for (Index j = 0; j < size; ++j) {
      Vector up = x, down = x;
      up[free[static_cast<std::size_t>(j)]] += kApart;
      down[free[static_cast<std::size_t>(j)]] -= kApart;
      const Vector change =
          search.at(up.array().exp()).gradient - search.at(down.array().exp()).gradient;
      hessian.col(j) = change(free) / (2 * kApart);
    }
    const Eigen::LLT<Block> root(Block(0.5 * (hessian + hessian.transpose())));
    if (size == 0 || root.info() != Eigen::Success) break;
    Vector next = x;
    next(free) -= root.solve(gradient(free));
    next = next.cwiseMax(std::log(kLeastUniqueness)).cwiseMin(0);
    const Vector there = search.at(next.array().exp()).gradient;
    if (!(slope_of(there, free) < slope_of(gradient, free))) break;
    x = next;
    gradient = there;
  }
  return {x, slope_of(gradient, free_of(x, gradient))};
}

// W' psi^-1 W made diagonal, descending: the rotation that a profile has by itself.
Block canonical(const Block& w, const Vector& psi) {
  Block gram = w.transpose() * psi.cwiseInverse().asDiagonal() * w;
  std::vector<Index> descending(static_cast<std::size_t>(w.cols()));
  std::iota(descending.rbegin(), descending.rend(), Index{0});
  const SymmetricReduction reduction(gram);
  return w * reduction.vectors(descending);
}

// W and ln psi as one vector.
struct FactorParameters {
  Block w;
  Vector psi;

  static FactorParameters from(const Vector& theta, Index dim, Index k) {
    return {Eigen::Map<const Block>(theta.data(), dim, k),
            theta.tail(dim).array().exp().max(kLeastUniqueness).matrix()};
  }
  Vector theta() const {
    Vector all(w.size() + psi.size());
    all << Eigen::Map<const Vector>(w.data(), w.size()), psi.array().log().matrix();
    return all;
  }
};

// One step of EM by R alone: with G = (I + W' psi^-1 W)^-1 and b' = psi^-1 W G, the factors given
// a row are b x. Returns -f of the old parameters.
double em_step(const Block& r, Index k, Vector& theta) {
  const Index dim = r.rows();
  const FactorParameters old = FactorParameters::from(theta, dim, k);
  const Block weighted = old.psi.cwiseInverse().asDiagonal() * old.w;
  Block inner = Block::Identity(k, k);
  inner.noalias() += old.w.transpose() * weighted;
  const Eigen::LLT<Block> root(inner);
  const Block g = root.solve(Block::Identity(k, k));
  const Block b = weighted * g;
  Block rb(dim, k);
  gemm(Transpose::no, Transpose::no, 1.0, r, b, 0.0, rb);
  const double value = old.psi.array().log().sum() +
                       2 * root.matrixLLT().diagonal().array().log().sum() +
                       r.diagonal().cwiseQuotient(old.psi).sum() - weighted.cwiseProduct(rb).sum();
  const Block second = g + b.transpose() * rb;
  FactorParameters next;
  next.w = Eigen::LLT<Block>(second).solve(rb.transpose()).transpose();
  next.psi = (r.diagonal() - next.w.cwiseProduct(rb).rowwise().sum()).cwiseMax(kLeastUniqueness);
  theta = next.theta();
  return -value;
}

}  // namespace

FactorFit fit_profile(const Block& r, const FactorRequest& request, const Context& context) {
  const Index dim = r.rows();
  ProfileSearch search(r, request.factors, context);
  const bool large = dim > kManyColumns;
  const Vector start =
      large ? Vector::Constant(dim, kEvenShare) : first_uniquenesses(r, request.factors);
  SearchLimits limits{.lower = Vector::Constant(dim, std::log(kLeastUniqueness)),
                      .upper = Vector::Zero(dim),
                      .tolerance = request.tolerance,
                      .iterations = request.iterations,
                      .phase = "factors"};
  if (large)
    limits.precondition = [&](const Vector& g, const Vector& free) {
      return by_information(search.vectors(), g, free);
    };
  const SearchEnd end = bounded_search(
      start.array().log(),
      [&](const Vector& x, Vector& gradient, double slope) {
        Profile profile = search.at(x.array().exp(), slope);
        gradient = std::move(profile.gradient);
        return profile.value;
      },
      limits, context);
  FactorFit fit;
  NewtonEnd found{end.x, end.slope};
  if (!large) found = newton_steps(search, end.x);
  fit.psi = found.x.array().exp();
  Profile last = search.proven(fit.psi);
  fit.loadings = std::move(last.loadings);
  fit.value = last.value;
  fit.iterations = end.iterations;
  // A search that rounding stopped short may have been finished by Newton's steps.
  const bool stopped_short = !end.out_of_time && end.iterations < request.iterations;
  fit.converged = end.converged || (stopped_short && found.slope <= limits.enough);
  fit.out_of_time = end.out_of_time;
  return fit;
}

FactorFit fit_factors_by_em(const Block& r, const FactorRequest& request, const Context& context) {
  const Index dim = r.rows(), k = request.factors;
  const Vector psi = first_uniquenesses(r, k);
  const Block start = ProfileSearch(r, k, context).at(psi).loadings;
  const EmPath path = accelerated_em(
      FactorParameters{start, psi}.theta(),
      [&](Vector& theta) {
        context.check_cancelled();
        return em_step(r, k, theta);
      },
      {.tolerance = request.tolerance, .iterations = request.iterations}, context);
  const FactorParameters end = FactorParameters::from(path.theta, dim, k);
  FactorFit fit;
  fit.psi = end.psi;
  fit.loadings = canonical(end.w, end.psi);
  Vector last = path.theta;
  fit.value = -em_step(r, k, last);
  fit.iterations = path.iterations;
  fit.path = path.objectives;
  fit.converged = path.converged;
  fit.out_of_time = path.out_of_time;
  return fit;
}

}  // namespace mercer::detail
