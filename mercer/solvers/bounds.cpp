#include "mercer/solvers/bounds.h"

#include "mercer/core/check.h"
#include "mercer/linalg/lapack.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numbers>
#include <vector>

namespace mercer {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kUnitRoundoff = 0x1p-53;
// Error of an entry of R'R beside the product of its columns' norms: sums of up to 8000 products
// in any order, of 10^7 and more by blocks.
constexpr double kGramError = 0x1p-40;
// Sum of the errors of 10^10 products that underflow: matters for matrices near 1e-150 only.
constexpr double kUnderflow = 0x1p-1040;
// How much of theta_wanted the complement is charged with what L leaves out of R.
constexpr double kCharge = 0x1p-20;

// log Gamma(a + 1) for whole and half a: std::lgamma would write to a global variable.
double log_factorial(double a) {
  double sum = 0;
  for (; a > 0; a -= 1) sum += std::log(a);
  return a < 0 ? sum + 0.5 * std::log(std::numbers::pi) : sum;
}

// The regularised incomplete gamma function x^a e^-x / Gamma(a+1) (1 + x/(a+1) + ...): all terms
// positive, so small probabilities keep their digits.
double lower_gamma(double a, double x, double log_gamma) {
  double term = 1, sum = 1;
  for (double n = a + 1; term > sum * kUnitRoundoff || n < x; n += 1) {
    term *= x / n;
    sum += term;
  }
  return std::exp(a * std::log(x) - x - log_gamma + std::log(sum));
}

// By value: the reduction overwrites it.
double largest_value(Block symmetric) {
  return symmetric.rows() == 0 ? 0 : SymmetricReduction(symmetric).values().maxCoeff();
}

// The facts in units of about the largest number among them, so that squares neither overflow nor
// vanish.
struct Scaled {
  double unit;  // a power of two: scaling is exact
  Vector theta;
  Block gram;
  double complement;
  double floor;  // |error of gram|_2 by underflow
};

Scaled scaled(const BasisFacts& facts, double complement) {
  const double largest = std::max({facts.theta.cwiseAbs().maxCoeff(), complement,
                                   std::sqrt(facts.residual_gram.diagonal().maxCoeff())});
  const double unit = largest > 0 ? std::exp2(std::floor(std::log2(largest))) : 1;
  const double m = static_cast<double>(facts.theta.size());
  return {.unit = unit,
          .theta = facts.theta / unit,
          .gram = facts.residual_gram / unit / unit,
          .complement = complement / unit,
          .floor = m * kUnderflow / unit / unit};
}

// R'R <= L'L + diag(rest). Directions in which R is zero to rounding are left to the rest: a Krylov
// basis has residuals in its last block only. Columns are brought to one length before, lest the
// small residuals of the wanted vectors drown in those of the others.
struct Root {
  Block rows;
  Vector rest;
};

Root root(const Scaled& facts) {
  const Index m = facts.theta.size();
  const Vector squares = facts.gram.diagonal().array() + facts.floor;
  const Vector lengths = squares.cwiseSqrt();
  Vector inverse = Vector::Zero(m);
  for (Index j = 0; j < m; ++j)
    if (lengths[j] > 0) inverse[j] = 1 / lengths[j];

  Block cosines = inverse.asDiagonal() * facts.gram * inverse.asDiagonal();
  const SymmetricReduction reduction(cosines);
  const Vector& values = reduction.values();
  const double error = kGramError + static_cast<double>(m) * kUnitRoundoff * values[m - 1];
  std::vector<Index> kept;
  for (Index j = 0; j < m; ++j)
    if (values[j] > error) kept.push_back(j);
  Block rows = reduction.vectors(kept).transpose() * lengths.asDiagonal();
  for (Index i = 0; i < rows.rows(); ++i)
    rows.row(i) *= std::sqrt(values[kept[static_cast<std::size_t>(i)]]);
  return {std::move(rows), 2 * error * squares.array() + facts.floor};
}

// M, with the rest X of R moved to the diagonal: [0 X'; X 0] <= [X'X/t 0; 0 t I] for every t > 0.
struct Bordered {
  Block matrix;
  double corner;  // b + t
};

Bordered bordered(const Scaled& facts, double last) {
  const Root l = root(facts);
  const Index m = facts.theta.size(), r = l.rows.rows();
  const double charge =
      std::max({kCharge * last, std::sqrt(l.rest.maxCoeff()), std::numeric_limits<double>::min()});
  const double corner = facts.complement + charge;
  Block matrix = Block::Zero(m + r, m + r);
  matrix.diagonal().head(m) = facts.theta + l.rest / charge;
  matrix.diagonal().tail(r).setConstant(corner);
  matrix.bottomLeftCorner(r, m) = l.rows;  // the lower triangle is all that is read
  return {std::move(matrix), corner};
}

// Bounds of the largest `count` eigenvalues of a matrix of which M is all but b + t times identity.
Vector upper_values(const Bordered& m, Index count) {
  Vector upper = Vector::Constant(count, m.corner);
  if (m.matrix.rows() == 0) return upper;
  Block work = m.matrix;
  const Vector values = SymmetricReduction(work).values();
  const Index order = values.size(), known = std::min(count, order);
  const double rounding = static_cast<double>(order) * kUnitRoundoff * values.cwiseAbs().maxCoeff();
  upper.head(known) = upper.head(known).cwiseMax(values.tail(known).reverse());
  return upper.array() + rounding;
}

// |R_1|_2 / (theta_wanted - lambda_1), R_1 the wanted columns and lambda_1 an upper bound of A on
// the complement of their vectors: the sine theorem of Davis and Kahan, for mu_wanted >=
// theta_wanted.
double angle_bound(const Scaled& facts, const Bordered& m, Index wanted, double slack) {
  const Index rest = m.matrix.rows() - wanted;
  const Bordered others{m.matrix.bottomRightCorner(rest, rest), m.corner};
  const double gap = facts.theta[wanted - 1] - upper_values(others, 1)[0] - 2 * slack;
  if (!(gap > 0)) return kInfinity;
  const Block gram = facts.gram.topLeftCorner(wanted, wanted);
  const double rho = std::sqrt(largest_value(gram) + kGramError * gram.trace() + facts.floor);
  return std::min(1.0, (rho + slack) / gap);
}

}  // namespace

double chi_square_quantile(double delta, Index degrees) {
  MERCER_ASSERT(delta > 0 && delta < 1 && degrees >= 1);
  const double a = static_cast<double>(degrees) / 2, log_gamma = log_factorial(a);
  // P(a, x) < x^a / Gamma(a+1) gives the lower end; both ends are logarithms.
  double low = (std::log(delta) + log_gamma) / a, high = low + 1;
  while (lower_gamma(a, std::exp(high), log_gamma) < delta) high += 1;
  while (high - low > 1e-14 * std::max(1.0, std::abs(low))) {
    const double middle = (low + high) / 2;
    if (middle <= low || middle >= high) break;
    (lower_gamma(a, std::exp(middle), log_gamma) < delta ? low : high) = middle;
  }
  return 2 * std::exp(low);
}

double frobenius_complement(double frobenius_squared, const BasisFacts& facts,
                            double relative_error) {
  // |E|_F^2 = |A|_F^2 - 2 |W|_F^2 + |T|_F^2 with |W|_F^2 = |T|_F^2 + tr R'R.
  const double inside = facts.theta.squaredNorm() + 2 * facts.residual_gram.trace();
  const double allowance = 4 * relative_error * std::max(frobenius_squared, inside) + kUnderflow;
  const double squared = std::max(frobenius_squared - inside, 0.0) + allowance;
  return std::isfinite(inside) && std::isfinite(squared) ? std::sqrt(squared) : kInfinity;
}

double trace_complement(double trace, const BasisFacts& facts) {
  const double terms = static_cast<double>(facts.theta.size() + 2);
  const double allowance = terms * kUnitRoundoff * (std::abs(trace) + facts.theta.cwiseAbs().sum());
  const double bound = std::max(trace - facts.theta.sum(), 0.0) + allowance;
  return std::isfinite(bound) ? bound : kInfinity;
}

double probe_complement(const Block& gram_of_probe_image, Index power, double quantile) {
  MERCER_ASSERT(power >= 1 && quantile > 0 && gram_of_probe_image.rows() > 0);
  if (!gram_of_probe_image.allFinite()) return kInfinity;
  const double columns = static_cast<double>(gram_of_probe_image.rows());
  const double squared = largest_value(gram_of_probe_image) +
                         kGramError * gram_of_probe_image.trace() + columns * kUnderflow;
  return std::pow(std::sqrt(squared) / std::sqrt(quantile), 1 / static_cast<double>(power));
}

BorderedBound bordered_bound(const BasisFacts& facts, double complement, Index wanted,
                             double slack) {
  [[maybe_unused]] const Index m = facts.theta.size();
  MERCER_ASSERT(wanted >= 1 && wanted <= m && complement >= 0 && slack >= 0);
  MERCER_ASSERT(facts.residual_gram.rows() == m && facts.residual_gram.cols() == m);
  BorderedBound bound{Vector::Constant(wanted + 1, kInfinity), false, kInfinity, kInfinity};
  const bool finite =
      facts.theta.allFinite() && facts.residual_gram.allFinite() && std::isfinite(complement);
  if (!finite) return bound;
  const Scaled in_units = scaled(facts, complement);
  const Bordered matrix = bordered(in_units, in_units.theta[wanted - 1]);
  if (!matrix.matrix.allFinite()) return bound;

  bound.upper = (in_units.unit * upper_values(matrix, wanted + 1)).array() + slack;
  bound.next_upper = bound.upper[wanted];
  bound.complete = bound.next_upper < facts.theta[wanted - 1] - slack;
  if (bound.complete) bound.angle = angle_bound(in_units, matrix, wanted, slack / in_units.unit);
  return bound;
}

BorderedBound magnitude_bound(const BasisFacts& facts, double complement, Index wanted,
                              double slack) {
  BorderedBound bound{Vector::Constant(wanted + 1, kInfinity), false, kInfinity, kInfinity};
  const bool finite =
      facts.theta.allFinite() && facts.residual_gram.allFinite() && std::isfinite(complement);
  if (!finite) return bound;
  const double last = std::abs(facts.theta[wanted - 1]);
  Scaled end = scaled(facts, complement);
  Vector both(2 * (wanted + 1));
  both.head(wanted + 1) = upper_values(bordered(end, last / end.unit), wanted + 1);
  end.theta = -end.theta;
  both.tail(wanted + 1) = upper_values(bordered(end, last / end.unit), wanted + 1);
  if (!both.allFinite()) return bound;
  std::ranges::sort(both, std::greater<>());
  bound.upper = (end.unit * both.head(wanted + 1)).array() + slack;
  bound.next_upper = bound.upper[wanted];
  bound.complete = bound.next_upper < last - slack;
  return bound;
}

bool enclosed(const BorderedBound& bound, const Vector& theta, Index wanted, double width) {
  for (Index i = 0; i < wanted; ++i)
    if (!(bound.upper[i] <= theta[i] + width)) return false;
  return true;
}

}  // namespace mercer
