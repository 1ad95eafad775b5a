// polynomial_features: the polynomial kernel through its monomials, K = F F' exactly, with
// C(dim + degree, degree) columns. One pass over the rows gives the small matrix F'F; where that
// would be too large, products F (F'u) cost n times the number of features.
#include "mercer/core/text.h"
#include "mercer/operators/geometry.h"
#include "mercer/operators/monomial_map.h"
#include "mercer/operators/recipe.h"

#include <fmt/format.h>

#include <cmath>

namespace mercer {
namespace polynomial_features_kind {
namespace {

// Seconds for one number of a feature: a product, a scaling, a copy less the mean.
constexpr double kNumberSeconds = 1.2e-9;

double width_of(const GramProblem& problem) {
  return polynomial_width(*problem.kernel.only<Polynomial>(), problem.points.dim());
}

std::optional<std::string> refuse(const GramProblem& problem, const Budget& budget) {
  if (problem.given != Given::table) return "the matrix is given";
  const Polynomial* family = problem.kernel.only<Polynomial>();
  if (family == nullptr) return "the kernel is not polynomial";
  if (family->offset < 0) return "a negative offset has no real features";
  if (budget.precision == Precision::single_) return "it computes in double only";
  if (problem.points.n() < kManyRows && budget.operator_name.empty())
    return "few rows: direct tiles take no time";
  const double width = width_of(problem);
  const double made = monomial_count(problem.points.dim(), static_cast<Index>(family->degree));
  if (made > kMostMonomials) return fmt::format("would take {} features", brief(made, 3));
  if (2 * width > static_cast<double>(problem.points.n()))
    return fmt::format("more features ({}) than half the rows", grouped(static_cast<Index>(width)));
  return std::nullopt;
}

Index size(const GramProblem& problem) { return panel_size(width_of(problem), problem); }

Cost cost(const GramProblem& problem, const Machine& machine, Precision, Index columns) {
  Cost cost = panel_cost(width_of(problem), kNumberSeconds, 0, problem, machine, columns);
  cost.terms = width_of(problem);
  cost.terms_name = "features";
  return cost;
}

std::unique_ptr<SymmetricOperator> build(const GramProblem& problem, const Context& context) {
  const Frame frame = frame_of(problem, context);
  return panel_operator(MonomialMap::polynomial(*problem.kernel.only<Polynomial>(),
                                                problem.points.dim(), frame.scale),
                        0, problem, context);
}

}  // namespace
}  // namespace polynomial_features_kind

const OperatorRecipe& polynomial_features_recipe() {
  using namespace polynomial_features_kind;
  static constexpr OperatorRecipe recipe{
      "polynomial_features",
      "monomials of a polynomial kernel: exact, time linear in the rows",
      refuse,
      size,
      cost,
      build};
  return recipe;
}

}  // namespace mercer
