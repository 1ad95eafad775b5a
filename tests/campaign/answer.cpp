#include "mercer/solvers/recipe.h"
#include "tests/campaign/checks.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace mercer::campaign {
namespace {

LongVector in_units(const Truth& truth, const Vector& x) {
  LongVector result(x.size());
  for (Index i = 0; i < x.size(); ++i) result[i] = truth.in_units(x[i]);
  return result;
}

// Largest magnitudes first.
void order_by_magnitude(Answer& a) {
  const Truth& truth = a.truth;
  std::vector<Index> order(static_cast<std::size_t>(truth.values.size()));
  std::iota(order.begin(), order.end(), Index{0});
  std::stable_sort(order.begin(), order.end(), [&](Index i, Index j) {
    return std::abs(truth.values[i]) > std::abs(truth.values[j]);
  });
  for (std::size_t i = 0; i < order.size(); ++i) {
    const auto to = static_cast<Index>(i);
    a.eigenvalues[to] = truth.values[order[i]];
    a.vectors.col(to) = truth.vectors.col(order[i]);
  }
  a.values = a.eigenvalues.cwiseAbs();
}

}  // namespace

bool Answer::has(WarningCode code) const {
  return std::any_of(report.warnings.begin(), report.warnings.end(),
                     [&](const Warning& w) { return w.code == code; });
}

bool Answer::whole_spectrum() const {
  return solver_choice(report.plan.solver_name).recipe.whole_spectrum;
}

std::string number(Long x) { return fmt::format("{:.3g}", static_cast<double>(x)); }

void prepare(Answer& a) {
  const Truth& truth = a.truth;
  const Report& report = a.report;
  a.values = a.eigenvalues = truth.values;
  a.vectors = truth.vectors;
  if (a.asked.indefinite == "flip" || a.asked.indefinite == "krein") order_by_magnitude(a);
  a.shifted = a.asked.indefinite == "shift" && report.spectrum->negative_share > 0;
  // What was removed keeps its eigenvalue 0: only the others are moved.
  if (a.shifted) a.values.array() -= truth.values[truth.values.size() - 1];
  a.mu = in_units(truth, report.spectrum->eigenvalues);
  a.upper = in_units(truth, report.spectrum->certificate.eigenvalue_upper);
  a.largest = std::max(truth.largest, a.mu.size() > 0 ? a.mu.maxCoeff() : 0);
  // Figures are relative to the largest magnitude that was computed, which may be off itself.
  a.largest *= 1 + std::min(1.0L, static_cast<Long>(report.spectrum->certificate.operator_error));
  a.residuals = report.spectrum->certificate.residuals.cast<Long>() * a.largest;
  a.operator_error = static_cast<Long>(report.spectrum->certificate.operator_error) * a.largest;
  if (report.plan.precision != Precision::single_) return;
  a.unit = 0x1p-24L;
}

}  // namespace mercer::campaign
