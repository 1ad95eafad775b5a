// What each method computes, as people write it, with its numbers filled in: what a report shows.
// The notation is that of the methods' headers. All of them stand here together, so that one letter
// means one thing: x a row, m the mean of the training rows, n their number, scores y.
#include "mercer/core/text.h"
#include "mercer/models/kind/ekpca.h"
#include "mercer/models/kind/factor_analysis.h"
#include "mercer/models/kind/ica.h"
#include "mercer/models/kind/kernel_bda.h"
#include "mercer/models/kind/kernel_ica.h"
#include "mercer/models/kind/kernel_lda.h"
#include "mercer/models/kind/kernel_pca.h"
#include "mercer/models/kind/mds.h"
#include "mercer/models/kind/metric_mds.h"
#include "mercer/models/kind/nearest_mean.h"
#include "mercer/models/kind/pca.h"
#include "mercer/models/kind/pcr.h"
#include "mercer/models/kind/pls.h"
#include "mercer/models/kind/ppca.h"

#include <fmt/format.h>

namespace mercer {
namespace {

using Lines = std::vector<std::string>;

bool centred(const Model& model) { return model.options["center"] != Value(false); }

// The entries of a matrix of pairs.
std::string pairs_line(Given given) {
  if (given == Given::kernel) return "Kᵢⱼ as given";
  return given == Given::distance ? "Kᵢⱼ = −dᵢⱼ²/2 of the distances given"
                                  : "Kᵢⱼ = −dᵢⱼ²/2 of the squared distances given";
}

std::string figure_text(const Model& model, std::string_view name) {
  for (const Figure& figure : model.report.figures)
    if (figure.name == name && figure.value.is_number()) return brief(figure.value.as_number(), 6);
  return std::string(name);
}

std::string centring_line(Index n) {
  return fmt::format("C = H K H,   H = I − 11ᵀ/n,   n = {}", grouped(n));
}

std::string expansion_line(const KernelExpansion& expansion) {
  return fmt::format("y(x) = Aᵀ k(x) − b,   k(x) = (k(x, xᵢ))ᵢ,   {} functions",
                     expansion.functions());
}

// ",   k(x, y) = exp(-|x-y|^2/(2*0.3^2))", where the kernel has a formula.
std::string kernel_of(const Model& model) {
  const Value kernel = model.kernel_description();
  return kernel["formula"].is_text() ? ",   k(x, y) = " + kernel["formula"].as_text() : "";
}

std::string shape(const Block& block) { return fmt::format("{} × {}", block.rows(), block.cols()); }

}  // namespace

Lines KernelPca::formulas() const {
  const bool given = kernel_description()["name"] == Value("precomputed");
  const std::string entries = given                  ? pairs_line(expansion_.given())
                              : needs_cross_matrix() ? "Kᵢⱼ = k of the distance dᵢⱼ"
                                                     : "Kᵢⱼ = k(xᵢ, xⱼ)" + kernel_of(*this);
  const bool affine =
      kernel().definite() == Definite::affine && options["nullspace"] == Value("affine");
  Lines lines = {entries};
  if (!centred(*this))
    lines.push_back(fmt::format("C = K,   not centred,   n = {}", grouped(report.n)));
  else if (affine && !needs_cross_matrix())
    lines.push_back(fmt::format(
        "C = P K P,   P takes all affine functions of the rows out,   n = {}", grouped(report.n)));
  else
    lines.push_back(centring_line(report.n));
  lines.push_back(fmt::format("C u = μ u,   |u| = 1,   scores √μ u,   {} components",
                              report.spectrum ? report.spectrum->eigenvalues.size() : 0));
  lines.emplace_back("new row: y(x) = Aᵀ k(x) − b,   k(x) = (k(x, xᵢ))ᵢ,   A = u/√μ");
  return lines;
}

Lines Pca::formulas() const {
  const std::string row = centred(*this) ? "(x − m)" : "x";
  Lines lines = {fmt::format("S w = μ w,   |w| = 1,   S = Σᵢ {},   n = {}",
                             centred(*this) ? "(xᵢ − m)(xᵢ − m)ᵀ" : "xᵢ xᵢᵀ", grouped(report.n))};
  if (whiten_ == Whitening::none)
    lines.push_back(fmt::format("y = Wᵀ{},   W: {}", row, shape(axes_)));
  else
    lines.push_back(fmt::format("y = {}L^(−1/2) Wᵀ{},   L = diag(μ/n),   W: {}",
                                whiten_ == Whitening::zca ? "W " : "", row, shape(axes_)));
  lines.push_back(fmt::format("back: {}W Wᵀ{}", centred(*this) ? "m + " : "", row));
  return lines;
}

Lines Mds::formulas() const {
  if (!needs_cross_matrix())
    return {
        fmt::format("B = H X Xᵀ H = U diag(μ) Uᵀ,   H = I − 11ᵀ/n,   n = {}", grouped(report.n)),
        "Z = U diag(μ)^(1/2),   new row: z = Wᵀ(x − m)"};
  Lines lines = {pairs_line(expansion_.given())};
  if (added_ != 0)
    lines.push_back(fmt::format("with {} added to every distance", brief(added_, 6)));
  lines.push_back(
      fmt::format("B = H K H = U diag(μ) Uᵀ,   H = I − 11ᵀ/n,   n = {}", grouped(report.n)));
  lines.emplace_back("Z = U diag(μ)^(1/2)");
  return lines;
}

Lines MetricMds::formulas() const {
  return {fmt::format("stress(Z) = Σ_{{i<j}} wᵢⱼ (δᵢⱼ − |zᵢ − zⱼ|)² = {},   the least found",
                      figure_text(*this, "stress")),
          power_ == 0 ? std::string("wᵢⱼ = 1 where δᵢⱼ is known")
                      : fmt::format("wᵢⱼ = δᵢⱼ^{}", brief(power_)),
          fmt::format("Z: {}", shape(configuration_))};
}

Lines Ppca::formulas() const {
  return {fmt::format("x = m + W u + e,   u ~ N(0, I),   e ~ N(0, s² I),   s² = {}",
                      brief(noise_variance(), 6)),
          fmt::format("W: {},   scores E[u | x]", shape(loadings()))};
}

Lines FactorAnalysis::formulas() const {
  const bool turned = options["rotation"] == Value("promax");
  return {fmt::format("x = m + L f + e,   var f = {},   var e = diag(ψ)", turned ? "Φ" : "I"),
          fmt::format("covariance L {}Lᵀ + diag(ψ),   L: {}", turned ? "Φ " : "", shape(loadings_)),
          scoring_ == FactorScoring::regression
              ? std::string("scores E[f | x]")
              : std::string("scores: the f with the least |ψ^(−1/2) (x − m − L f)|")};
}

Lines Ica::formulas() const {
  return {"x = m + A s,   sources s independent of each other, not Gaussian",
          fmt::format("s = B (x − m),   A: {}", shape(mixing_))};
}

Lines KernelIca::formulas() const {
  return {"x = m + A s,   sources s independent of each other",
          options["contrast"] == Value("kcc")
              ? std::string("least KCC = −½ ln λ_min(R),   R of the Gram matrices of the sources")
              : std::string("least KGV = −½ ln det R,   R of the Gram matrices of the sources"),
          fmt::format("s = B (x − m),   A: {}", shape(mixing_))};
}

Lines Pcr::formulas() const {
  return {fmt::format("X − m = U S Vᵀ,   {} of its components,   n = {}", score_columns(),
                      grouped(report.n)),
          "ŷ(x) = mean(Y) + (x − m)ᵀ B,   B = Σᵢ vᵢ uᵢᵀY / sᵢ"};
}

Lines Pls::formulas() const {
  if (has_kernel())
    return {fmt::format("ŷ(x) = Σᵢ aᵢ k(x, xᵢ) + b,   {} components,   n = {}", score_columns(),
                        grouped(report.n)) +
            kernel_of(*this)};
  return {
      fmt::format("T = (X − m) R,   {} components,   n = {}", score_columns(), grouped(report.n)),
      "ŷ(x) = mean(Y) + (x − m)ᵀ B,   B = R Qᵀ,   Q = YᵀT (TᵀT)⁻¹"};
}

Lines KernelLda::formulas() const {
  return {
      fmt::format("most wᵀS_b w / wᵀ(S_w + e I) w,   e = {}", figure_text(*this, "ridge_added")),
      "S_b: scatter of the class means,   S_w: scatter within classes, in the feature space",
      expansion_line(expansion_) + kernel_of(*this)};
}

Lines KernelBda::formulas() const {
  return {
      fmt::format("most wᵀS_n w / wᵀ((1 − r) S_p + r t I) w,   r = {}",
                  figure_text(*this, "ridge")),
      "S_p: scatter of the positive rows,   S_n: of the negative ones about their mean,   t: mean "
      "positive scatter of a direction",
      expansion_line(expansion_) + kernel_of(*this)};
}

Lines NearestMean::formulas() const {
  return {
      "class of x: the largest f_c(x) = (|φ(x) − m|² − |φ(x) − c|²)/2",
      fmt::format("c: mean of φ over the rows of a class,   m: over all {}", grouped(report.n)) +
          kernel_of(*this)};
}

Lines Ekpca::formulas() const {
  return {fmt::format("y(x) = Aᵀ k(x) − b,   k(x) = (k(x, pⱼ))ⱼ over {} patterns p of {} rows",
                      grouped(expansion_.points().n()), grouped(report.n)),
          fmt::format("{} components of largest variance in their span", expansion_.functions()) +
              kernel_of(*this)};
}

}  // namespace mercer
