#include "mercer/models/detail/restated.h"

#include "mercer/core/text.h"
#include "mercer/models/detail/gram/leading.h"
#include "mercer/solvers/spectrum.h"

#include <fmt/format.h>

namespace mercer::detail {

void restate(GramFit& fit, const Vector& measured) {
  Spectrum& spectrum = fit.spectrum();
  Certificate& proof = spectrum.certificate;
  spectrum.clusters = runs_of_equals(spectrum.eigenvalues, kSameValue * spectrum.eigenvalues[0]);
  const bool float_tiles = fit.report.plan.precision == Precision::single_;
  proof.residuals = proof.residuals.cwiseMax(
      (measured.array() + (float_tiles ? 0 : proof.operator_error)).matrix());
  const double worst = proof.residuals.maxCoeff();
  if (spectrum.eigenvalues_only || !fit.report.converged || worst <= spectrum.tolerance) return;
  fit.report.converged = false;
  fit.report.warnings.push_back(
      {WarningCode::tolerance_not_reached,
       fmt::format("residuals of the scores reach {}, the tolerance is {}", brief(worst, 2),
                   brief(spectrum.tolerance, 2))});
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
