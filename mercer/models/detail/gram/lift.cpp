#include "mercer/models/detail/gram/lift.h"

#include "mercer/linalg/tall.h"
#include "mercer/models/detail/gram/leading.h"
#include "mercer/solvers/signs.h"

#include <cmath>

namespace mercer::detail {
namespace {

// Of the tolerance, and of an eigenvalue, what a bound may take that spares the measurement: beyond
// the second a component counts as not resolved (solve.cpp).
constexpr double kWithinTolerance = 0.8, kWithinValue = 0.01;

}  // namespace

Block lift(GramFit& fit, const FactoredOperator& factor, bool by_axes, const Context& context) {
  const double to_gram = factor.gram_factor();
  fit.eigen.values *= to_gram;
  fit.eigen.spectrum.all_values *= to_gram;
  fit.eigen.spectrum.trace *= to_gram;
  fit.eigen.spectrum.next_value *= to_gram;
  fit.eigen.spectrum.lowest_value *= to_gram;
  fit.eigen.certificate.eigenvalue_upper *= to_gram;
  fit.primal = std::move(fit.eigen.vectors);
  const Vector roots = fit.eigen.values.cwiseSqrt();
  if (by_axes) {  // nothing of the rows' length
    fit.eigen.vectors = fit.primal;
    return fit.primal * roots.cwiseInverse().asDiagonal();
  }
  Block& u = fit.eigen.vectors;
  u = factor.lift(fit.primal, context);
  for (Index j = 0; j < u.cols(); ++j) u.col(j) /= roots[j];
  Block w = fit.primal * roots.cwiseInverse().asDiagonal();
  w = w * orthonormalise_in_order(u, context);
  fit.primal = w * roots.asDiagonal();
  for (Index j = 0; j < u.cols(); ++j) {
    Index largest = 0;
    u.col(j).cwiseAbs().maxCoeff(&largest);
    const double before = u(largest, j);
    fix_signs(u.col(j));
    if (u(largest, j) == before) continue;
    fit.primal.col(j) *= -1;
    w.col(j) *= -1;
  }
  fit.scorer = factor.scorer(fit.primal, u, fit.eigen.values, context);
  if (!fit.scorer) fit.means = factor.row_means(context);
  return w;
}

Vector lifted_residuals(const FactoredOperator& factor, ConstBlockRef w, const Block* u,
                        const Vector& values, double tolerance, const Context& context) {
  const FactorError error = factor.factor_error();
  const double largest = values.cwiseAbs().maxCoeff();
  if (std::isfinite(error.small)) {
    // F r for r = (F'F - A) w, and (K - mu) (u - F w).
    const double each = std::sqrt(largest) * error.small + 2 * largest * error.lift;
    const Vector bound =
        factor.small_residuals(w, values, context) + each * Vector(w.colwise().norm().transpose());
    const Vector enough =
        (kWithinValue * values.cwiseAbs()).cwiseMin(kWithinTolerance * tolerance * largest);
    if ((bound.array() <= enough.array()).all()) return bound;
  }
  const double apart = error.transform * (2 * std::sqrt(largest) + error.transform);
  if (u == nullptr) return factor.image_residuals(w, values, context).array() + apart;
  return factor.row_residuals(*u, values, context).array() + apart;
}

void keep_lifted(GramFit& fit, Index kept) {
  keep_leading(fit.eigen, kept);
  if (fit.primal.cols() > kept) fit.primal = fit.primal.leftCols(kept).eval();
  if (!fit.scorer || fit.scorer->bias.size() <= kept) return;
  fit.scorer->weights = fit.scorer->weights.leftCols(kept).eval();
  fit.scorer->bias = fit.scorer->bias.head(kept).eval();
}

}  // namespace mercer::detail
