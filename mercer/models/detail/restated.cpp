#include "mercer/models/detail/restated.h"

#include "mercer/core/text.h"
#include "mercer/models/detail/gram/leading.h"
#include "mercer/solvers/equal_values.h"

#include <fmt/format.h>

namespace mercer::detail {

void restate(GramFit& fit, const Vector& measured) {
  Spectrum& spectrum = fit.spectrum();
  Certificate& proof = spectrum.certificate;
  const bool float_tiles = fit.report.plan.precision == Precision::single_;
  proof.residuals = proof.residuals.cwiseMax(
      (measured.array() + (float_tiles ? 0 : proof.operator_error)).matrix());
  spectrum.clusters =
      runs_of_equals(spectrum.eigenvalues, unknown_of(spectrum), spectrum.eigenvalues[0]);
  const double worst = proof.residuals.maxCoeff();
  if (spectrum.eigenvalues_only || !fit.report.converged || worst <= spectrum.tolerance) return;
  fit.report.converged = false;
  fit.report.warnings.push_back(
      {WarningCode::tolerance_not_reached,
       fmt::format("residuals of the scores reach {}, the tolerance is {}", brief(worst, 2),
                   brief(spectrum.tolerance, 2))});
}

Vector unknown_of(const Spectrum& spectrum) {
  const Certificate& proof = spectrum.certificate;
  const Vector sizes = spectrum.eigenvalues.cwiseAbs();
  const double largest = sizes.size() > 0 ? sizes.maxCoeff() : 0;
  Vector unknown(sizes.size());
  for (Index i = 0; i < sizes.size(); ++i) {
    const double width = proof.eigenvalue_upper[i] - sizes[i] + proof.operator_error * largest;
    unknown[i] = proof.residuals[i] * largest;
    if (width >= 0 && width < unknown[i]) unknown[i] = width;
  }
  return unknown;
}

void keep_components(GramFit& fit, Index kept) {
  if (kept >= fit.eigen.values.size()) return;
  keep_leading(fit.eigen, kept);
  Spectrum& spectrum = fit.spectrum();
  spectrum.eigenvalues.conservativeResize(kept);
  spectrum.certificate.residuals.conservativeResize(kept);
  spectrum.certificate.eigenvalue_upper.conservativeResize(kept);
}

}  // namespace mercer::detail
