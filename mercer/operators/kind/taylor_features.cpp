// taylor_features: a wide Gaussian through its Taylor expansion around one centre, K = F F' up to a
// stated error of every entry. C(dim + p - 1, dim) features; p grows with the radius of the data
// over the width of the kernel, so that this is a way for wide kernels in a few dimensions.
#include "mercer/core/text.h"
#include "mercer/operators/geometry.h"
#include "mercer/operators/monomial_map.h"
#include "mercer/operators/recipe.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace mercer {
namespace taylor_features_kind {
namespace {

constexpr double kNumberSeconds = 1.2e-9;  // as polynomial features
// New rows may lie this much farther out than the training rows before sums over those are needed.
constexpr double kMargin = 1.1;

double eps_of(const Geometry& geometry) { return std::max(geometry.allowed, 1e-14); }

Index terms_of(const Geometry& geometry) {
  const double reach = geometry.extent.ball / geometry.width;
  return taylor_terms_for(reach, kMargin * reach, eps_of(geometry));
}

double width_of(const GramProblem& problem) {
  const Index terms = terms_of(*problem.facts.geometry);
  return terms == 0 ? INFINITY : monomial_count(problem.points.dim(), terms - 1);
}

std::optional<std::string> refuse(const GramProblem& problem, const Budget& budget) {
  if (const auto reason = refuse_expansion(problem, budget)) return reason;
  if (problem.kernel.only<Gaussian>() == nullptr) return "the kernel is not Gaussian";
  if (problem.facts.geometry->coarse()) return "rows too far apart for so narrow a kernel";
  const double width = width_of(problem);
  if (2 * width > static_cast<double>(problem.points.n()) || width > 1e5)
    return std::isfinite(width)
               ? fmt::format("would take {} features for {} rows", brief(width, 3),
                             grouped(problem.points.n()))
               : fmt::format(
                     "too narrow for one expansion (radius {} widths)",
                     brief(problem.facts.geometry->extent.ball / problem.facts.geometry->width, 3));
  if (problem.open_count) return "it finds leading components, not all";
  if (static_cast<double>(problem.components) > width) return "more components than features";
  return std::nullopt;
}

Index size(const GramProblem& problem) { return panel_size(width_of(problem), problem); }

Cost cost(const GramProblem& problem, const Machine& machine, Precision, Index columns) {
  Cost cost = panel_cost(width_of(problem), kNumberSeconds, eps_of(*problem.facts.geometry),
                         problem, machine, columns);
  cost.terms = width_of(problem);
  cost.terms_name = "features";
  return cost;
}

std::unique_ptr<SymmetricOperator> build(const GramProblem& problem, const Context& context) {
  const Geometry& geometry = *problem.facts.geometry;
  const double reach = geometry.extent.ball / geometry.width;
  const Placement placement{geometry.scale, geometry.centre + geometry.extent.middle};
  return panel_operator(
      MonomialMap::gaussian(geometry.width, placement, terms_of(geometry), kMargin * reach),
      eps_of(geometry), problem, context);
}

}  // namespace
}  // namespace taylor_features_kind

const OperatorRecipe& taylor_features_recipe() {
  using namespace taylor_features_kind;
  static constexpr OperatorRecipe recipe{
      "taylor_features",
      "Taylor features of a wide Gaussian: time linear in the rows",
      refuse,
      size,
      cost,
      build,
      true};
  return recipe;
}

}  // namespace mercer
