// What the components explain, and how well they are known: the certificate in words.
#include "mercer/core/text.h"
#include "mercer/page/detail/content.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace mercer::page::detail {
namespace {

constexpr Index kComponentRows = 50;  // rows of the table

bool bounded(const Certificate& proof) {
  return proof.eigenvalue_upper.size() > 0 && proof.eigenvalue_upper.allFinite();
}

std::string bound_text(const Certificate& proof, Index i) {
  const bool known = i < proof.eigenvalue_upper.size() && std::isfinite(proof.eigenvalue_upper[i]);
  return known ? brief(proof.eigenvalue_upper[i], 7) : "not known";
}

std::vector<std::vector<std::string>> component_rows(const Report& report) {
  const Spectrum& spectrum = *report.spectrum;
  const Certificate& proof = spectrum.certificate;
  const Vector bounds = spectrum.ratio_bounds();
  const Index k = std::min(kComponentRows, spectrum.eigenvalues.size());
  std::vector<std::vector<std::string>> rows;
  double sum = 0, bound = 0;
  for (Index i = 0; i < k; ++i) {
    sum += spectrum.ratios[i];
    bound += bounds[i];
    rows.push_back({fmt::format("PC{}", i + 1), brief(spectrum.eigenvalues[i], 7),
                    bound_text(proof, i),
                    brief(spectrum.eigenvalues[i] / static_cast<double>(report.n), 6),
                    share_text(spectrum.ratios[i], bounds[i]), share_text(sum, bound),
                    i < proof.residuals.size() ? brief(proof.residuals[i], 2) : "—"});
  }
  return rows;
}

std::string residual_words(const Spectrum& spectrum) {
  const Certificate& proof = spectrum.certificate;
  const double worst = proof.residuals.size() > 0 ? proof.residuals.maxCoeff() : 0;
  if (spectrum.eigenvalues_only && bounded(proof)) {
    const Vector width =
        (proof.eigenvalue_upper - spectrum.eigenvalues).cwiseQuotient(spectrum.eigenvalues);
    return fmt::format(
        "Asked for were the eigenvalues alone, within {} of each. The true one lies between the "
        "eigenvalue stated and the bound beside it, at most {} of it apart. Scores are less exact: "
        "their residuals are at most {}.",
        brief(spectrum.tolerance, 2), brief(width.size() > 0 ? width.maxCoeff() : 0, 2),
        brief(worst, 2));
  }
  return fmt::format(
      "Every component was put back into its equation A u = μ u at the end, and what does not "
      "agree was measured: the residual |A u − μ u| is at most {} of the largest eigenvalue; {} "
      "was asked for. A residual says how near the answer is: within that distance of each "
      "eigenvalue stated there is a true one.",
      brief(worst, 2), brief(spectrum.tolerance, 2));
}

std::string completeness_words(const Certificate& proof) {
  if (proof.complete && proof.kind == ProofKind::deterministic)
    return "Nothing is missing: it was proven, with what rounding can do taken into account, that "
           "no larger eigenvalue was overlooked. These are the leading components, not some "
           "others.";
  if (proof.complete && proof.kind == ProofKind::probabilistic)
    return fmt::format(
        "Nothing is missing: random vectors were sent through the matrix to look for what the "
        "search may have overlooked, and show that no larger eigenvalue was. Chance could make "
        "that statement wrong with a probability of at most {}.",
        brief(proof.failure, 1));
  if (proof.complete) return "Nothing is missing: no larger eigenvalue was overlooked.";
  if (proof.reason.empty())
    return "Whether larger eigenvalues were overlooked was not asked, and is not known: the "
           "components stated are true ones, but others may be larger.";
  return fmt::format(
      "That nothing is missing could not be shown ({}): the components stated are true ones, but "
      "another may be larger.",
      proof.reason);
}

std::string cluster_words(const Spectrum& spectrum) {
  std::vector<std::string> runs;
  for (const Range& cluster : spectrum.clusters) {
    if (runs.size() == 8) {
      runs.emplace_back("…");
      break;
    }
    runs.push_back(fmt::format("PC{} to PC{}", cluster.begin + 1, cluster.end));
  }
  return fmt::format(
      "Equal to what can be told apart: {}. Of these only the space they span together is "
      "determined by the data, not the single directions.",
      fmt::join(runs, "; "));
}

std::string angle_words(const Certificate& proof) {
  if (!std::isfinite(proof.angle))
    return "The last component cuts a group of equal eigenvalues: which part of the group is taken "
           "is not determined by the data.";
  return fmt::format(
      "The space that the components span is turned from the true one by an angle whose sine is "
      "at most {}.",
      brief(proof.angle, 2));
}

std::string negative_words(const Spectrum& spectrum) {
  return fmt::format(
      "The kernel is not positive here: {:.2g} % of the sum of all |eigenvalues| is negative.",
      100 * spectrum.negative_share);
}

}  // namespace

void add_components(Content& content) {
  if (!content.report().spectrum) return;
  const Report& report = content.report();
  const Spectrum& spectrum = *report.spectrum;
  Html& html = content.html;
  html.open_section("components", "Components");
  add_picture(
      content, "scree",
      spectrum.ratios.allFinite()
          ? "Bars: the share of the variance that each component explains. Line: all of them "
            "so far."
          : "The variance of each component.");
  html.table("Components",
             {{"component"},
              {"eigenvalue μ", true},
              {"true one at most", true},
              {"variance μ/n", true},
              {"share", true},
              {"so far", true},
              {"residual", true}},
             component_rows(report));
  const Index more = spectrum.eigenvalues.size() - kComponentRows;
  if (more > 0) html.remark(fmt::format("and {}", counted(more, "more component")));
  html.close_section();
}

void add_certificate(Content& content) {
  const Report& report = content.report();
  Html& html = content.html;
  html.open_section("certificate", "How good the answer is");
  if (!report.spectrum) {
    html.paragraph(report.converged
                       ? "The fit came to its end as asked. The method states no eigenvalues, so "
                         "there is no certificate of them; its figures say how good it is."
                       : "The fit ended before it reached what was asked: see the warnings. Its "
                         "figures say how far it came.");
    html.close_section();
    return;
  }
  const Spectrum& spectrum = *report.spectrum;
  const Certificate& proof = spectrum.certificate;
  if (!report.converged)
    html.paragraph(
        "The answer is not as exact, or not as complete, as was asked: see the warnings.");
  html.paragraph(residual_words(spectrum));
  html.paragraph(completeness_words(proof));
  if (bounded(proof) && !spectrum.eigenvalues_only)
    html.paragraph(
        "“True one at most” bounds the true eigenvalue of that rank from above, whatever was "
        "computed.");
  // Where nothing is proven, no angle is known.
  if (proof.complete && proof.angle != 0) html.paragraph(angle_words(proof));
  if (!spectrum.clusters.empty()) html.paragraph(cluster_words(spectrum));
  if (spectrum.negative_share > 0) html.paragraph(negative_words(spectrum));
  if (proof.operator_error > 0)
    html.remark(fmt::format(
        "Rounding, and what a faster way of multiplying leaves out, changed the matrix by at most "
        "{} of its largest eigenvalue; residuals and bounds include that.",
        brief(proof.operator_error, 2)));
  html.close_section();
}

}  // namespace mercer::page::detail
