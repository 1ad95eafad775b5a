#include "tests/campaign/checks.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace mercer::campaign {
namespace {

// Sums over the spectrum: every eigenvalue may be off by the largest residual (which contains
// rounding) and by the error of the operator; 1e-10 for what sums themselves leave.
Long sum_error(const Answer& a) {
  const auto n = static_cast<Long>(a.values.size());
  return 1e-10L * a.truth.largest + n * (a.operator_error + a.residuals.maxCoeff());
}

Long negative_sum(const Answer& a) { return -a.truth.values.cwiseMin(0).sum(); }
Long absolute_sum(const Answer& a) { return a.truth.values.cwiseAbs().sum(); }

// Moved spectra have another trace: functions that were removed keep their eigenvalue 0.
Long true_trace(const Answer& a) {
  const Index n = a.truth.values.size();
  const Long trace = a.truth.k.trace();
  return a.shifted ? trace - a.truth.values[n - 1] * static_cast<Long>(n - a.truth.removed) : trace;
}

void check_trace(const Answer& a, Violations& out) {
  const Long stated = a.truth.in_units(a.report.spectrum->trace), known = true_trace(a);
  if (!(std::abs(stated - known) <= sum_error(a)))
    out.push_back({"trace", fmt::format("{} instead of {}", number(stated), number(known))});
}

// What shares are shares of: the sum of all magnitudes as the policy makes them, which is the trace
// where none is negative.
Long share_total(const Answer& a) {
  return a.shifted || a.report.spectrum->negative_share == 0 ? true_trace(a) : absolute_sum(a);
}

Long share_error(const Answer& a) {
  return 1e-9L + sum_error(a) / std::max(share_total(a), a.truth.largest);
}

// Shares of the variance are in [0, 1]. A search knows them where no eigenvalue can be negative.
void check_ratios(const Answer& a, Violations& out) {
  const Vector& ratios = a.report.spectrum->ratios;
  if (ratios.size() != a.count()) return out.push_back({"shares missing", ""});
  if (!ratios.allFinite()) {
    if (a.report.spectrum->drowned()) return;
    if (a.report.spectrum->negative_share == 0 || a.whole_spectrum())
      out.push_back({"share not finite", ""});
    return;
  }
  const Long slack = share_error(a);
  if (ratios.minCoeff() < 0 || static_cast<Long>(ratios.sum()) > 1 + slack)
    out.push_back(
        {"shares outside [0, 1]", fmt::format("they sum to 1 + {:.3g}", ratios.sum() - 1)});
  const LongVector expected = a.mu / share_total(a);
  const Long worst = (ratios.cast<Long>() - expected).cwiseAbs().maxCoeff();
  if (worst > slack) out.push_back({"share of variance", fmt::format("off by {}", number(worst))});
}

// Known to solvers of the whole spectrum, and to searches where no eigenvalue can be negative.
void check_negative(const Answer& a, Violations& out) {
  const double stated = a.report.spectrum->negative_share;
  const bool said = a.has(WarningCode::negative_eigenvalues) || a.has(WarningCode::not_euclidean);
  if (said ? stated == 0 : stated > 0)
    out.push_back({"W242 and the negative share disagree", fmt::format("{}", stated)});
  // A claim that some are negative needs one that is.
  if (said && a.truth.values.minCoeff() >= -a.truth.error)
    out.push_back({"negative eigenvalues where there are none", fmt::format("share {}", stated)});
  const bool hidden = -a.truth.values.minCoeff() <= 2 * a.operator_error;
  if (std::isnan(stated) && a.whole_spectrum() && !hidden)
    out.push_back({"negative share not known", ""});
  const Long known = negative_sum(a) / absolute_sum(a);
  const Long slack = 1e-9L + sum_error(a) / absolute_sum(a);
  if (std::abs(static_cast<Long>(stated) - known) > slack)
    out.push_back({"negative share", fmt::format("{} instead of {}", stated, number(known))});
}

// The smallest count whose shares add up to what was asked.
void check_count(const Answer& a, Violations& out) {
  const Components wanted = Components::parse(a.asked.components);
  if (wanted.share() == 0 || !a.report.converged || !a.whole_spectrum()) return;
  const Index k = a.count();
  const auto share = static_cast<Long>(wanted.share());
  const Long slack = share_error(a), reached = a.values.head(k).sum() / share_total(a);
  if (reached < share - slack && !a.has(WarningCode::rank_lower))
    out.push_back({"share not reached",
                   fmt::format("{} of {} with {} components", number(reached), wanted.share(), k)});
  if (k > 1 && a.values.head(k - 1).sum() / share_total(a) > share + slack)
    out.push_back({"more components than the share takes", fmt::format("{}", k)});
}

void check_converged(const Answer& a, Violations& out) {
  const Report& r = a.report;
  const bool marked = a.has(WarningCode::tolerance_not_reached) ||
                      a.has(WarningCode::not_complete) || a.has(WarningCode::time_ran_out);
  if (marked == r.converged) out.push_back({"converged and warnings disagree", ""});
  if (!r.converged) return;
  const Spectrum& s = *r.spectrum;
  if (!s.eigenvalues_only && s.certificate.residuals.maxCoeff() > s.tolerance)
    out.push_back({"converged above the tolerance", ""});
  if (a.asked.certify != "none" && !s.certificate.complete)
    out.push_back({"converged without proof", ""});
  if (a.asked.certify == "deterministic" && s.certificate.kind != ProofKind::deterministic)
    out.push_back({"kind of certificate", std::string(name_of(s.certificate.kind))});
  if (s.certificate.kind == ProofKind::deterministic && s.certificate.failure > 0)
    out.push_back({"deterministic with a failure", ""});
}

// Runs of values within 1e-10 of their own size are listed, and none that are farther apart than
// 1e-10 of the largest: between the two, what is known of them decides. What is the largest, of all
// or of those found, leaves some room.
void check_clusters(const Answer& a, Violations& out) {
  if (a.report.spectrum->drowned()) return;  // nothing is claimed
  const Long most = a.truth.largest;
  std::vector<bool> together(static_cast<std::size_t>(a.count()), false);
  for (const Range cluster : a.report.spectrum->clusters)
    for (Index i = cluster.begin; i + 1 < cluster.end; ++i)
      together[static_cast<std::size_t>(i)] = true;
  for (Index i = 0; i + 1 < a.count(); ++i) {
    const Long apart = std::abs(a.mu[i] - a.mu[i + 1]);
    const bool listed = together[static_cast<std::size_t>(i)];
    if (listed && apart > 1.1e-10L * most)
      return out.push_back({"cluster listed that is none", fmt::format("{}", i + 1)});
    const Long own = std::max(std::abs(a.mu[i]), std::abs(a.mu[i + 1]));
    if (!listed && apart < 0.9e-10L * std::min(most, own) && !a.shifted)
      return out.push_back({"cluster not listed", fmt::format("{} and {}", i + 1, i + 2)});
  }
}

// Whether the last component cuts through a cluster.
void check_cut(const Answer& a, Violations& out) {
  const Index k = a.count(), n = a.values.size();
  if (k >= n - a.truth.removed || !a.report.spectrum->certificate.complete) return;
  const Long apart = a.values[k - 1] - a.values[k], largest = a.truth.largest;
  const bool said = a.has(WarningCode::split_cluster);
  // Complete means: none exceeds the one found at its rank by more than the tolerance.
  const Long within = static_cast<Long>(a.report.spectrum->tolerance) * largest;
  if (said &&
      apart > 1.1e-10L * largest + within + 2 * a.residuals.maxCoeff() + 2 * a.operator_error)
    out.push_back(
        {"W238 where no cluster is cut", fmt::format("gap {} of mu_1", number(apart / largest))});
  const bool known = a.report.converged && a.residuals.maxCoeff() < 1e-11L * largest;
  const Long equal = std::max(1e-11L * a.values[k - 1], 1e-16L * largest);
  if (!said && !a.shifted && apart < equal && known && a.values[k - 1] > 1e-9L * largest)
    out.push_back({"W238 missing", fmt::format("component {} of {}", k, n)});
}

}  // namespace

void check_report(const Answer& a, Violations& out) {
  if (a.report.spectrum->certificate.residuals.size() != a.count())
    return out.push_back({"residuals missing", ""});
  check_trace(a, out);
  check_ratios(a, out);
  check_negative(a, out);
  check_count(a, out);
  check_converged(a, out);
  check_clusters(a, out);
  check_cut(a, out);
}

}  // namespace mercer::campaign
