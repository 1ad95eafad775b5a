// Monomials of a polynomial kernel: F F' is the kernel matrix to rounding, counts are binomial
// coefficients, the small matrix is that of the features written out. Taylor features: the stated
// number of terms keeps the stated error, and one term fewer does not, for rows at the edge.
#include "mercer/operators/geometry.h"
#include "mercer/operators/monomial_map.h"
#include "mercer/operators/recipe.h"
#include "tests/support/dense.h"
#include "tests/support/errors.h"
#include "tests/support/random_points.h"

#include <gtest/gtest.h>

#include <cmath>

namespace mercer {
namespace features_test {

using test::kRatio;
using test::kUnit;

Block written_out(const PanelFeatures& map, const Points& x) {
  Block f(x.rows(), map.width());
  map.fill(x, {0, x.rows()}, f);
  return f;
}

std::string spec_of(Index degree, double scale, double offset) {
  return "polynomial:degree=" + std::to_string(degree) + ",scale=" + std::to_string(scale) +
         ",offset=" + std::to_string(offset);
}

TEST(PolynomialFeatures, MultiplyToTheKernel) {
  double worst = 0;
  for (const Index dim : {1, 2, 3, 7})
    for (const Index degree : {1, 2, 3, 6})
      for (const double offset : {0.0, 0.5, 3.0})
        for (const double size : {1.0, 1e-3, 200.0}) {
          const Points x = size * test::random_points({.n = 40, .dim = dim, .seed = 31});
          const Kernel kernel(spec_of(degree, 0.75, offset));
          const auto map = MonomialMap::polynomial(*kernel.only<Polynomial>(), dim, 1 / size);
          const Block f = written_out(*map, x);
          EXPECT_EQ(static_cast<double>(map->width()),
                    polynomial_width(*kernel.only<Polynomial>(), dim));
          const Block k = test::dense_kernel(kernel, x);
          const double ratio = test::max_abs(f * f.transpose() - k) / (kUnit * test::max_abs(k));
          EXPECT_LE(ratio, 100 * kRatio) << kernel.spec() << " dim " << dim;
          worst = std::max(worst, ratio);
        }
  RecordProperty("worst_ratio", std::to_string(worst));
}

TEST(PolynomialFeatures, AreAsManyAsThereAreMonomials) {
  const auto width = [](Index degree, double offset, Index dim) {
    return polynomial_width(Polynomial{static_cast<double>(degree), 1, offset}, dim);
  };
  EXPECT_EQ(width(3, 1, 10), 286);  // C(13, 3)
  EXPECT_EQ(width(3, 0, 10), 220);  // C(12, 3)
  EXPECT_EQ(width(1, 0, 4), 4);
  EXPECT_EQ(width(5, 0, 1), 1);
  EXPECT_EQ(width(2, 1, 100), 5151);
}

/// The operator of a problem, asked for by name.
std::unique_ptr<SymmetricOperator> built(const char* name, GramProblem& problem,
                                         const Context& context) {
  problem.facts.geometry = geometry_of(problem, context);
  const OperatorRecipe& recipe = operator_recipe(name);
  if (recipe.refuse(problem, context.budget)) return nullptr;
  return recipe.build(problem, context);
}

TEST(PolynomialFeatures, TakeTheLongWayWhereTheyAreMany) {
  // C(22, 3) = 1540 and C(26, 3) = 2600 have a covariance matrix, C(34, 3) = 5984 have not.
  Context context;
  context.budget.operator_name = "polynomial_features";
  for (const Index dim : {19, 31}) {
    const Points x = test::random_points({.n = 12500, .dim = dim, .seed = 33}) / 8;
    GramProblem problem{x, Kernel("polynomial:degree=3"), false, 3};
    const auto op = built("polynomial_features", problem, context);
    ASSERT_NE(op, nullptr);
    const bool small = dim == 19;
    EXPECT_EQ(op->size(), small ? 1540 : 12500);
    EXPECT_EQ(op->factored() != nullptr, small);
    const Block u = test::random_points({.n = 12500, .dim = 2, .seed = 34});
    Block y(op->size(), 2);
    if (small) {
      const FactoredOperator& factor = *op->factored();
      y = factor.lift(factor.restrict(u, context), context);
    } else {
      op->apply(u, y, nullptr, context);
      EXPECT_NEAR(op->diagonal(context)[7],
                  Kernel("polynomial:degree=3")(test::row_span(x, 7), test::row_span(x, 7)),
                  1e-12 * op->diagonal(context)[7]);
    }
    const Block some = test::dense_kernel(problem.kernel, x.topRows(20), x) * u;
    EXPECT_LE(test::max_abs(y.topRows(20) - some), 1e-11 * test::max_abs(some));
  }
}

TEST(PolynomialFeatures, AreRefusedWithTheReason) {
  const Points x = test::random_points({.n = 60, .dim = 6, .seed = 35});
  Budget named;
  named.operator_name = "polynomial_features";
  const auto reason = [&](const char* spec, const Budget& budget) {
    return operator_recipe("polynomial_features")
        .refuse({x, Kernel(spec), true, 2}, budget)
        .value_or("");
  };
  EXPECT_EQ(reason("polynomial:degree=2", named), "");
  EXPECT_EQ(reason("polynomial:degree=2", {}), "few rows: direct tiles take no time");
  EXPECT_EQ(reason("polynomial:degree=3", named), "more features (84) than half the rows");
  EXPECT_EQ(reason("polynomial:degree=2,offset=-1", named),
            "a negative offset has no real features");
  EXPECT_EQ(reason("polynomial:degree=40", named), "would take 9.37e+06 features");
  EXPECT_EQ(reason("gaussian", named), "the kernel is not polynomial");
}

TEST(TaylorFeatures, KeepTheErrorThatTheirNumberIsChosenFor) {
  for (const Index dim : {1, 2, 4})
    for (const double reach : {0.2, 1.0, 2.0})
      for (const double eps : {1e-3, 1e-7, 1e-11}) {
        // On the sphere, where the expansion is at its worst.
        Points x = test::random_points({.n = 30, .dim = dim, .seed = 41});
        x.rowwise().normalize();
        x *= reach;
        const Index terms = taylor_terms_for(reach, reach, eps);
        const Kernel kernel("gaussian:sigma=1");
        const auto error = [&](Index p) {
          const auto map = MonomialMap::gaussian(1, {1, Vector::Zero(dim)}, p, reach);
          const Block f = written_out(*map, x);
          return test::max_abs(f * f.transpose() - test::dense_kernel(kernel, x));
        };
        EXPECT_LE(error(terms), eps + 100 * kUnit) << dim << " " << reach << " " << eps;
        EXPECT_GT(error(std::max<Index>(1, terms - 2)), eps / 10) << dim << " " << reach;
      }
}

TEST(TaylorFeatures, SayWhichRowsTheyCover) {
  const auto map = MonomialMap::gaussian(2, {1, Vector::Ones(2)}, 5, 1.5);
  const Points near = Eigen::RowVector2d(1, 3.9), far = Eigen::RowVector2d(1, 4.1);
  EXPECT_TRUE(map->covers(near.data()));
  EXPECT_FALSE(map->covers(far.data()));
  EXPECT_FALSE(map->covers_all());
}

}  // namespace features_test
}  // namespace mercer
