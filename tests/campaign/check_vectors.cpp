#include "tests/campaign/checks.h"

#include <Eigen/SVD>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace mercer::campaign {
namespace {

constexpr Long kUnit = 0x1p-53L;

void report_worst(const Answer& a, const char* kind, const LongVector& found,
                  const LongVector& allowed, Violations& out) {
  Index worst = 0;
  if (found.size() == 0 || (found - allowed).maxCoeff(&worst) <= 0) return;
  out.push_back(
      {kind, fmt::format("component {}: {} and {} more than allowed, mu {} of mu_1", worst + 1,
                         number(allowed[worst]), number(found[worst] - allowed[worst]),
                         number(a.mu[worst] / a.truth.largest))});
}

// The eigenvalue of K that a component belongs to.
LongVector signed_values(const Answer& a, const LongMatrix& u) {
  LongVector result = a.mu;
  if (a.shifted) result.array() += a.truth.values[a.truth.values.size() - 1];
  if (a.asked.indefinite == "flip" || a.asked.indefinite == "krein")
    for (Index i = 0; i < a.count(); ++i)
      if (u.col(i).dot(a.truth.k * u.col(i)) < 0) result[i] = -result[i];
  return result;
}

// |K u - mu u|. The vectors are known to a unit of each entry, of scores and of roots.
void check_residuals(const Answer& a, const LongMatrix& u, Violations& out) {
  const LongVector mu = signed_values(a, u);
  LongVector found(a.count());
  for (Index i = 0; i < a.count(); ++i)
    found[i] = (a.truth.k * u.col(i) - mu[i] * u.col(i)).norm() / a.truth.largest;
  const LongVector allowed = (a.residuals.array() + a.truth.error) / a.truth.largest + 8 * kUnit;
  report_worst(a, "residual larger than stated", found, allowed, out);
}

// What rounding and the search leave of a vector, relative to its length. Rounding makes 30 n units
// of the largest eigenvalue, or of the largest entry where more was removed; a search that began at
// random has a share of what is removed, as small as its residual; its basis is orthogonal to the
// root of a unit (docs/how/solvers.md).
LongVector vector_error(const Answer& a) {
  const auto n = static_cast<Long>(a.scores.rows());
  const Long rounding = 30 * n * a.unit * std::max(a.truth.largest, a.truth.largest_entry);
  LongVector mu = a.mu;  // before it was raised
  if (a.shifted) mu.array() += a.truth.values[a.truth.values.size() - 1];
  return (a.whole_spectrum() ? 1e-12L : 1e-8L) +
         (a.residuals.array() + rounding) / mu.array().abs().max(a.truth.error);
}

// Scores have the length of the root of the eigenvalue, are orthogonal and sum to zero.
void check_orthogonal(const Answer& a, const LongMatrix& u, Violations& out) {
  const auto n = static_cast<Long>(u.rows());
  const LongVector allowed = vector_error(a);
  const LongMatrix gram = u.transpose() * u;
  LongVector lengths(a.count()), angles(a.count());
  for (Index i = 0; i < a.count(); ++i) {
    lengths[i] = std::abs(std::sqrt(gram(i, i)) - 1);
    angles[i] = 0;
    for (Index j = 0; j < i; ++j) angles[i] = std::max(angles[i], std::abs(gram(i, j)));
  }
  report_worst(a, "length of scores", lengths, allowed, out);
  report_worst(a, "scores not orthogonal", angles, allowed, out);
  if (!a.asked.center || a.truth.removed == 0) return;
  const LongVector sums = u.colwise().sum().transpose().cwiseAbs() / std::sqrt(n);
  report_worst(a, "scores not centred", sums, allowed, out);
}

// The entry of largest magnitude is positive; entries that agree to rounding are equal.
void check_signs(const Answer& a, const LongMatrix& u, Violations& out) {
  if (a.asked.method != "kernel_pca") return;  // there axes have signs, not scores
  const LongVector error = vector_error(a);
  for (Index i = 0; i < a.count(); ++i) {
    const Long top = u.col(i).cwiseAbs().maxCoeff();
    if (u.col(i).maxCoeff() < top - 2 * error[i]) {
      out.push_back({"sign", fmt::format("component {}", i + 1)});
      return;
    }
  }
}

// Orthonormal columns of the same span.
LongMatrix orthonormal(LongMatrix u) {
  for (Index i = 0; i < u.cols(); ++i)
    for (int twice = 0; twice < 2; ++twice) {
      for (Index j = 0; j < i; ++j) u.col(i) -= u.col(j) * u.col(j).dot(u.col(i));
      u.col(i) /= u.col(i).norm();
    }
  return u;
}

// Sine of the largest angle between the span of the components and that of as many leading
// eigenvectors. Rounding turns each vector by a unit; the truth is off by its error over the gap.
void check_angle(const Answer& a, const LongMatrix& u, Violations& out) {
  const Index k = a.count();
  const auto stated = static_cast<Long>(a.report.spectrum->certificate.angle);
  if (!(stated < 1) || k >= a.values.size() ||
      a.report.spectrum->certificate.kind == ProofKind::none)
    return;
  const Long gap = a.values[k - 1] - a.values[k];
  if (gap <= 4 * a.truth.error) {
    out.push_back({"angle stated where a cluster is cut", fmt::format("angle {}", number(stated))});
    return;
  }
  const LongMatrix leading = a.vectors.leftCols(k);
  const LongMatrix q = orthonormal(u);
  const LongMatrix outside = q - leading * (leading.transpose() * q);
  const double sine = Eigen::JacobiSVD<Block>(outside.cast<double>()).singularValues()[0];
  const Long allowed =
      stated + 8 * kUnit * std::sqrt(static_cast<Long>(k)) + 4 * a.truth.error / gap;
  if (static_cast<Long>(sine) <= allowed) return;
  out.push_back(
      {"angle larger than stated", fmt::format("true {} stated {} gap {} of mu_1", number(sine),
                                               number(stated), number(gap / a.truth.largest))});
}

// transform() of the training rows: K u / sqrt(mu) with functions removed, hence off by the
// residual over the root; the kernel sums themselves round n entries by a few units of the largest.
void check_again(const Answer& a, Violations& out) {
  if (a.again.size() == 0) return;
  if (a.again.rows() != a.scores.rows() || a.again.cols() != a.scores.cols()) {
    out.push_back({"transform has another shape", ""});
    return;
  }
  const auto n = static_cast<Long>(a.scores.rows());
  const Long entries = a.truth.largest + a.truth.largest_entry;
  // Float tiles also made what is removed from new rows.
  const Long tiles = a.unit > kUnit ? a.operator_error + n * a.truth.in_units(a.new_entry) : 0;
  const auto columns = static_cast<Long>(a.report.dim);
  LongVector found(a.count()), allowed(a.count());
  for (Index i = 0; i < a.count(); ++i) {
    const Long size = std::sqrt(static_cast<Long>(a.report.spectrum->eigenvalues[i]));
    // Raised spectra: a row given to transform counts as new, whose kernel is not raised.
    const Long lowest = a.truth.values[a.truth.values.size() - 1];
    const Long factor = a.shifted ? 1 + lowest / a.mu[i] : 1;
    found[i] = (a.again.col(i).cast<Long>() - factor * a.scores.col(i).cast<Long>()).norm() / size;
    allowed[i] =
        (2 * a.residuals[i] + tiles + 8 * (n + columns) * a.unit * entries) / a.mu[i] + 1e-12L;
  }
  report_worst(a, "transform of the training rows", found, allowed, out);
}

void check_signature(const Answer& a, const LongMatrix& u, Violations& out) {
  if (a.asked.indefinite != "krein" || a.signature.size() != a.count()) return;
  for (Index i = 0; i < a.count(); ++i) {
    const Long quotient = u.col(i).dot(a.truth.k * u.col(i));
    if (std::abs(quotient) > 2 * a.residuals[i] && (quotient < 0) != (a.signature[i] < 0))
      out.push_back({"signature", fmt::format("component {}", i + 1)});
  }
}

}  // namespace

LongMatrix vectors_of(const Answer& a) {
  LongMatrix u = a.scores.cast<Long>();
  for (Index i = 0; i < a.count(); ++i)
    u.col(i) /= std::sqrt(static_cast<Long>(a.report.spectrum->eigenvalues[i]));
  return u;
}

void check_vectors(const Answer& a, Violations& out) {
  if (a.scores.rows() != a.truth.k.rows() || a.scores.cols() != a.count()) {
    out.push_back({"scores have another shape", ""});
    return;
  }
  if (!a.scores.allFinite()) {
    out.push_back({"scores not finite", ""});
    return;
  }
  const LongMatrix u = vectors_of(a);
  check_residuals(a, u, out);
  check_orthogonal(a, u, out);
  check_signs(a, u, out);
  check_angle(a, u, out);
  check_signature(a, u, out);
  check_again(a, out);
}

}  // namespace mercer::campaign
