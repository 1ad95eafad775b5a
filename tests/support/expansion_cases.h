// Tables and problems on which expansions of a kernel are held to their bounds: rows that are
// spread evenly, clustered, repeated, in a plane, or far apart, with a geometry made by hand, so
// that the error allowed is the test's choice.
#pragma once

#include "mercer/core/random.h"
#include "mercer/operators/geometry.h"
#include "mercer/operators/recipe.h"
#include "tests/support/dense.h"
#include "tests/support/errors.h"
#include "tests/support/random_points.h"

#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace mercer::test {

/// Sums of a few hundred terms in double, in two orders.
constexpr double kSumRounding = 1e-14;

struct TableCase {
  Index n, dim;
  int layout = 0;  // 0 uniform, 1 clustered, 2 duplicates, 3 a constant column, 4 far apart
};
constexpr int kLayouts = 5;

inline Points table(const TableCase& c, std::uint64_t seed) {
  const Random random(seed);
  Points x(c.n, c.dim);
  for (Index i = 0; i < x.size(); ++i) x.data()[i] = random.uniform(static_cast<std::uint64_t>(i));
  const Points centres = random_points({.n = 7, .dim = c.dim, .seed = seed + 1});
  for (Index i = 0; i < c.n; ++i) {
    if (c.layout == 1) x.row(i) = 0.05 * x.row(i) + centres.row(i % 7);
    if (c.layout == 2) x.row(i) = x.row(i % 20);
    if (c.layout == 4 && i % 2 == 1) x.row(i).array() += 1e6;
  }
  if (c.layout == 3) x.col(c.dim - 1).setConstant(3);
  return x;
}

/// A problem with its geometry, made by hand: every row is part of the sample.
struct Expanded {
  Context context;
  Points x;
  GramProblem problem;

  Expanded(Points rows, const std::string& kernel, double eps)
      : x(std::move(rows)), problem{x, Kernel(kernel), false, 1} {
    const Frame frame = make_frame(problem.kernel, x, false, context);
    problem.facts.frame = std::make_shared<Frame>(frame);
    auto geometry = std::make_shared<Geometry>();
    geometry->scale = frame.scale;
    geometry->centre = frame.centre;
    geometry->sample.rows = (x * frame.scale).rowwise() - frame.centre.transpose();
    geometry->extent.low = geometry->sample.rows.colwise().minCoeff();
    geometry->extent.high = geometry->sample.rows.colwise().maxCoeff();
    geometry->extent.middle = (geometry->extent.low + geometry->extent.high) / 2;
    geometry->extent.ball = (geometry->sample.rows.rowwise() - geometry->extent.middle.transpose())
                                .rowwise()
                                .norm()
                                .maxCoeff();
    geometry->constant = frame.less_diagonal;
    geometry->allowed = eps;
    if (const auto* gaussian = problem.kernel.only<Gaussian>()) {
      geometry->width = gaussian->rescaled(frame.scale).sigma;
      geometry->clusters = cluster_shape(geometry->sample.rows, geometry->width, eps);
    }
    geometry->near = near_shape(geometry->sample.rows, problem.kernel, frame.scale, x.rows(), eps);
    problem.facts.geometry = geometry;
  }
};

/// Products of operators built and used with 1, 2, 3 and 7 threads, row sums as the last column:
/// they must be the same to the last bit.
inline void expect_same_bytes_with_any_threads(const OperatorRecipe& recipe, Expanded& made,
                                               Index columns) {
  ASSERT_FALSE(recipe.refuse(made.problem, {}));
  const Index n = made.x.rows();
  const Block u = random_points({.n = n, .dim = columns, .seed = 9});
  std::vector<Block> products;
  for (const Index threads : {1, 2, 3, 7}) {
    made.context.budget.threads = threads;
    Block v(n, columns + 1);
    PassSums sums;
    recipe.build(made.problem, made.context)->apply(u, v.leftCols(columns), &sums, made.context);
    v.col(columns) = sums.row_sums;
    products.push_back(std::move(v));
  }
  for (const Block& product : products) EXPECT_TRUE(product == products[0]);
}

inline void expect_stops_when_cancelled(const OperatorRecipe& recipe, Expanded& made) {
  made.context.observer.cancelled = [] { return true; };
  EXPECT_EQ(code_of([&] { recipe.build(made.problem, made.context); }), "M001");
}

inline std::string refusal(const OperatorRecipe& recipe, const Expanded& made) {
  return recipe.refuse(made.problem, {}).value_or("serves");
}

}  // namespace mercer::test
