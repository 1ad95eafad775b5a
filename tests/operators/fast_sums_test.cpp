// Every operator that puts something shorter in the place of the kernel matrix, over many
// geometries: its product against the direct sum in double precision stays within its own bound,
//   |error|_2 <= error() |u|_2,   and   |error_i| <= eps sum_j |u_j|   where it promises that.
#include "mercer/operators/factored.h"
#include "mercer/operators/geometry.h"
#include "mercer/operators/recipe.h"
#include "tests/support/dense.h"
#include "tests/support/random_points.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>

namespace mercer {
namespace fast_sums_test {

using test::kUnit;

constexpr const char* kShapes[] = {"uniform", "normal",   "clusters", "far clusters",
                                   "copies",  "constant", "line",     "outlier"};

Points shaped(const std::string& shape, Index n, Index dim, std::uint64_t seed) {
  Points x = test::random_points({.n = n, .dim = dim, .seed = seed});
  const Points spot = test::random_points({.n = 7, .dim = dim, .seed = seed + 1});
  if (shape == "uniform") return x.unaryExpr([](double t) { return std::erf(t / std::sqrt(2)); });
  if (shape == "copies")
    for (Index i = 0; i < n; ++i) x.row(i) = x.row(i % 20).eval();
  if (shape == "constant") x.col(dim - 1).setConstant(3);
  if (shape == "line") x = (x.col(0) * Eigen::RowVectorXd::LinSpaced(dim, 1, 2)).eval();
  if (shape == "outlier") x.row(n / 2) *= 5;
  const double apart = shape == "clusters" ? 3 : 1e6;
  if (shape == "clusters" || shape == "far clusters")
    for (Index i = 0; i < n; ++i)
      x.row(i) = 0.3 * x.row(i) + (shape == "clusters" ? spot.row(i % 7) : spot.row(i % 2)) * apart;
  return x;
}

/// A problem for one operator, with the error of an entry that it is allowed.
struct Posed {
  Points x;
  Context context;
  GramProblem problem;

  Posed(Points rows, const std::string& kernel, double eps, std::string_view op)
      : x(std::move(rows)), problem{x, Kernel(kernel), false, 2} {
    context.budget.operator_name = op;
    const auto found = geometry_of(problem, context);
    if (found == nullptr) return;
    auto geometry = std::make_shared<Geometry>(*found);
    geometry->allow(eps, problem);
    problem.facts.geometry = geometry;
  }
};

Block product_of(const SymmetricOperator& op, const Block& u) {
  if (const FactoredOperator* factor = op.factored())
    return factor->lift(factor->restrict(u, {}), {});
  Block y(op.size(), u.cols());
  op.apply(u, y, nullptr, {});
  return y;
}

/// How many cases an operator served, and how far its bounds were from its errors.
struct Tally {
  Index served = 0, failed = 0;
  double slack = 0;  // sum of log(bound / error), non-negative weights
};

// Operators that bound every entry; of the others the norm is bounded alone.
bool bounds_entries(std::string_view name) { return name != "cholesky_features"; }

void check(const OperatorRecipe& recipe, const Posed& posed, double eps, Tally& tally) {
  if (recipe.refuse(posed.problem, posed.context.budget)) return;
  const auto op = recipe.build(posed.problem, posed.context);
  const Index n = posed.x.rows();
  Block u = test::random_points({.n = n, .dim = 2, .seed = 77});
  u.col(1) = u.col(1).cwiseAbs().eval();
  const Block exact = test::dense_kernel(posed.problem.kernel, posed.x) * u;
  const Block error = product_of(*op, u) - exact;
  ++tally.served;
  for (Index j = 0; j < 2; ++j) {
    const double sum = u.col(j).cwiseAbs().sum();
    const double rounding = 100 * kUnit * sum;
    const double norm_bound =
        op->error() * u.col(j).norm() + rounding * std::sqrt(static_cast<double>(n));
    bool good = error.col(j).norm() <= norm_bound;
    if (bounds_entries(recipe.name))
      good = good && test::max_abs(error.col(j)) <= eps * sum + rounding;
    if (!good) ++tally.failed;
    EXPECT_TRUE(good) << recipe.name << ": error " << test::max_abs(error.col(j)) << " of "
                      << eps * sum << ", norm " << error.col(j).norm() << " of " << norm_bound;
  }
  const double norm = std::max(error.col(1).norm(), kUnit * exact.col(1).norm());
  tally.slack += std::log(std::max(1.0, op->error() * u.col(1).norm() / norm));
}

TEST(FastSums, StayWithinTheirOwnBoundsOverManyGeometries) {
  std::map<std::string, Tally> tallies;
  std::uint64_t seed = 100;
  for (const OperatorRecipe* recipe : operator_recipes()) {
    if (recipe->name.ends_with("_gram") || recipe->name == "covariance") continue;
    for (const Index dim : {1, 2, 3, 4, 6, 10})
      for (const double sigma : {0.05, 0.5, 2.0, 8.0})
        for (const double eps : {1e-3, 1e-6, 1e-9, 1e-12})
          for (const char* shape : kShapes) {
            ++seed;
            if (seed % 3 != 0) continue;  // a third of all combinations, by turns
            SCOPED_TRACE(std::string(shape) + " dim " + std::to_string(dim) + " sigma " +
                         std::to_string(sigma) + " eps " + std::to_string(std::log10(eps)));
            const std::string spec = "gaussian:sigma=" + std::to_string(sigma);
            const Posed posed(shaped(shape, 240, dim, seed), spec, eps, recipe->name);
            check(*recipe, posed, eps, tallies[std::string(recipe->name)]);
          }
  }
  Index served = 0;
  for (const auto& [name, tally] : tallies) {
    served += tally.served;
    if (tally.served == 0) continue;
    const double slack = std::exp(tally.slack / static_cast<double>(tally.served));
    EXPECT_LE(slack, 100) << name;
    RecordProperty(name, std::to_string(tally.served) + " cases, slack " + std::to_string(slack));
  }
  EXPECT_GE(served, 500);
}

}  // namespace fast_sums_test
}  // namespace mercer
