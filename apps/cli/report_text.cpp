#include "apps/cli/report_text.h"

#include "mercer/core/text.h"

#include <fmt/format.h>

#include <algorithm>

namespace mercer::cli {

std::string accuracy_text(const Spectrum& spectrum) {
  const Certificate& proof = spectrum.certificate;
  const double worst = proof.residuals.size() > 0 ? proof.residuals.maxCoeff() : 0;
  if (!spectrum.eigenvalues_only)
    return fmt::format("residuals ≤ {} (asked {})", brief(worst, 2), brief(spectrum.tolerance, 2));
  const Vector width =
      (proof.eigenvalue_upper - spectrum.eigenvalues).cwiseQuotient(spectrum.eigenvalues);
  return fmt::format("eigenvalues within {} (asked {}), residuals ≤ {}: scores are less exact",
                     brief(width.size() > 0 ? width.maxCoeff() : 0, 2),
                     brief(spectrum.tolerance, 2), brief(worst, 2));
}

std::string completeness_text(const Certificate& certificate) {
  if (!certificate.complete)
    return certificate.kind == ProofKind::none && certificate.reason.empty() ? "not asked"
                                                                             : "not verified";
  if (certificate.kind != ProofKind::probabilistic) return "verified";
  return fmt::format("verified (failure ≤ {})", brief(certificate.failure, 1));
}

std::string shares_text(const Spectrum& spectrum, Index shown) {
  std::string text;
  const Vector ratios = spectrum.ratio_bounds();
  const char* at_most = spectrum.ratios.allFinite() ? "" : "≤ ";
  for (Index i = 0; i < std::min(shown, ratios.size()); ++i)
    text += fmt::format("PC{} {}{:.1f} %  ", i + 1, at_most, 100 * ratios[i]);
  return text + fmt::format("first {}: {}{:.1f} %", ratios.size(), at_most, 100 * ratios.sum());
}

namespace {

std::string number_text(const Value& value) {
  return value.is_number() ? brief(value.as_number(), 5) : "unknown";
}

}  // namespace

std::string figures_text(const Report& report) {
  constexpr std::size_t kShown = 6;  // of a list
  std::string text;
  for (const Figure& figure : report.figures) {
    text += fmt::format("{}{}", text.empty() ? "" : "   ", printable(figure.name));
    if (!figure.value.is_list()) {
      text += " " + number_text(figure.value);
      continue;
    }
    const Value::List& list = figure.value.as_list();
    for (std::size_t i = 0; i < std::min(kShown, list.size()); ++i)
      text += " " + number_text(list[i]);
    if (list.size() > kShown) text += fmt::format(" … ({})", list.size());
  }
  return text;
}

}  // namespace mercer::cli
