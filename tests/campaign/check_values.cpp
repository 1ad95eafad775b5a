#include "tests/campaign/checks.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace mercer::campaign {
namespace {

// The backward error of a dense reduction that the documentation names: 30 n u |K|. Searches state
// theirs in the residuals.
Long reduction(const Answer& a) {
  return a.whole_spectrum()
             ? 30 * static_cast<Long>(a.truth.values.size()) * 0x1p-53L * a.truth.largest
             : 0;
}

std::string about(const Answer& a, Index i) {
  const Long m = a.truth.largest;
  return fmt::format("component {}: true {} mu {} upper {} residual {} (of mu_1)", i + 1,
                     number(a.values[i] / m), number(a.mu[i] / m),
                     a.upper.size() > i ? number(a.upper[i] / m) : "-", number(a.residuals[i] / m));
}

// An eigenvalue that is stated is a double.
constexpr Long kOwnRounding = 0x1p-53L;

// The worst component, if any exceeds 0.
void report_worst(const Answer& a, const char* kind, const LongVector& excess, Violations& out) {
  Index worst = 0;
  if (excess.size() == 0) return;
  if (excess.maxCoeff(&worst) <= 0) return;
  out.push_back(
      {kind, fmt::format("{}, by {}", about(a, worst), number(excess[worst] / a.truth.largest))});
}

void check_upper(const Answer& a, Violations& out) {
  if (a.upper.size() == 0) return;
  const Index k = a.count();
  report_worst(a, "upper bound violated", (a.values.head(k) - a.upper).array() - a.truth.error,
               out);
}

// A residual says that an eigenvalue is as near; Ritz values are never above those of their rank by
// more than rounding, which residuals contain.
void check_each(const Answer& a, Violations& out) {
  const Index k = a.count();
  const Long own = a.truth.error + kOwnRounding * a.truth.largest, allowed = own + reduction(a);
  LongVector excess(k);
  const LongVector all = a.values;
  for (Index i = 0; i < k; ++i)
    excess[i] = (all.array() - a.mu[i]).abs().minCoeff() - a.residuals[i] - own;
  report_worst(a, "no eigenvalue within the residual", excess, out);
  report_worst(a, "eigenvalue too large",
               (a.mu - a.values.head(k) - a.residuals).array() - a.operator_error - allowed, out);
}

// None was missed: what was found is what has this rank, to the tolerance or, where it was not
// reached, to the residuals.
void check_complete(const Answer& a, Violations& out) {
  if (!a.report.spectrum->certificate.complete) return;
  const Index k = a.count();
  const bool widths = a.report.spectrum->eigenvalues_only && a.report.converged;
  const auto tolerance = static_cast<Long>(a.report.spectrum->tolerance);
  LongVector excess = a.values.head(k) - a.mu;
  for (Index i = 0; i < k; ++i) {
    const Long asked = widths                                ? tolerance * a.mu[i]
                       : a.report.spectrum->eigenvalues_only ? a.residuals[i]
                                                             : tolerance * a.truth.largest;
    excess[i] -= std::max(asked, a.residuals[i]) + a.operator_error + a.truth.error + reduction(a);
  }
  report_worst(a, "eigenvalue missed", excess, out);
}

// --tolerance eigenvalues: enclosures as narrow as asked, around the truth.
void check_widths(const Answer& a, Violations& out) {
  if (!a.report.spectrum->eigenvalues_only || !a.report.converged) return;
  if (a.upper.size() < a.count()) {
    if (a.asked.certify != "none") out.push_back({"width not stated", ""});
    return;
  }
  const auto tolerance = static_cast<Long>(a.report.spectrum->tolerance);
  const Index k = a.count();
  const LongVector asked = tolerance * a.mu.array() * (1 + 1e-9L);
  if (a.asked.certify != "none")
    report_worst(a, "enclosure wider than asked", a.upper - a.mu - asked, out);
  if (!a.report.spectrum->certificate.complete) return;
  report_worst(
      a, "eigenvalue less exact than asked",
      ((a.values.head(k) - a.mu).cwiseAbs() - asked).array() - a.truth.error - a.operator_error,
      out);
}

// The first value left out is noise. By the documentation (Rank): up to max(10 n u, 30 e) mu_1 and
// 4 sqrt(n) e max|K|, e the error of an entry: 64 units times the columns is more than any of them;
// what removing functions or few digits of a search leave is at most ten times the tolerance.
void check_rank(const Answer& a, Index asked, Violations& out) {
  const Index k = a.count(), n = a.values.size();
  if (k >= n || k >= asked || !a.report.converged || !a.report.spectrum->certificate.complete)
    return;
  const Long rows = static_cast<Long>(n);
  const Long noise = 64 * a.unit * (static_cast<Long>(a.report.dim) + rows) *
                     (a.truth.largest + std::sqrt(rows) * a.truth.largest_entry);
  const bool loose = !a.whole_spectrum();
  const Long allowed =
      noise + 30 * a.operator_error +
      (loose ? 12 * static_cast<Long>(a.report.spectrum->tolerance) * a.truth.largest : 0);
  // Of a spectrum that is raised, components are those that were positive before.
  const Long next = a.shifted ? a.eigenvalues[k] : a.values[k];
  if (next > allowed)
    out.push_back(
        {"significant component left out", fmt::format("{} of {} kept, the next is {} of mu_1", k,
                                                       asked, number(next / a.truth.largest))});
}

void check_order(const Answer& a, Violations& out) {
  for (Index i = 0; i + 1 < a.count(); ++i)
    if (a.mu[i + 1] > a.mu[i] * (1 + 1e-12L) + 1e-14L * a.truth.largest) {
      out.push_back({"eigenvalues not descending", about(a, i + 1)});
      return;
    }
}

}  // namespace

void check_values(const Answer& a, Violations& out) {
  if (!a.report.spectrum->eigenvalues.allFinite() || a.count() == 0 ||
      a.report.spectrum->eigenvalues.minCoeff() <= 0) {
    out.push_back({"eigenvalues not positive and finite", ""});
    return;
  }
  check_order(a, out);
  check_upper(a, out);
  check_each(a, out);
  check_complete(a, out);
  check_widths(a, out);
  const Components wanted = Components::parse(a.asked.components);
  const Index most = a.values.size() - a.truth.removed;
  if (wanted.share() == 0) check_rank(a, wanted.is_all() ? most : wanted.count(), out);
}

}  // namespace mercer::campaign
