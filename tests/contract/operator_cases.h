// Problems on which every operator is tried, and an operator built for one of them.
#pragma once

#include "mercer/data/row_moments.h"
#include "mercer/operators/axes_rows.h"
#include "mercer/operators/centered.h"
#include "mercer/operators/factored.h"
#include "mercer/operators/geometry.h"
#include "mercer/operators/recipe.h"
#include "tests/support/dense.h"
#include "tests/support/errors.h"
#include "tests/support/random_points.h"

#include <gtest/gtest.h>

#include <fstream>
#include <limits>
#include <memory>
#include <optional>

namespace mercer::operator_cases {

using test::kRatio;
using test::kUnit;

struct Case {
  std::string kernel;
  Index n, dim;
  bool center;
  Index tile;            // 0: the default
  bool by_axes = false;  // operators that walk over rows, where scores are by axes
};

inline std::vector<Case> all_cases() {
  std::vector<Case> cases;
  for (const char* kernel :
       {"linear", "linear:offset=3", "gaussian:sigma=1.5", "polynomial:degree=2",
        "sigmoid:scale=0.25", "gaussian:sigma=2+0.5*linear"})
    for (const bool center : {false, true}) {
      cases.push_back({kernel, 37, 3, center, 8});  // 8 does not divide 37
      cases.push_back({kernel, 5, 40, center, 0});
      cases.push_back({kernel, 2, 1, center, 0});
      cases.push_back({kernel, 530, 4, center, 0});  // more than one tile of the default size
    }
  for (const bool center : {false, true})
    for (const auto& [n, dim] : {std::pair<Index, Index>{37, 3}, {5, 40}, {5000, 4}, {600, 300}})
      cases.push_back({"linear", n, dim, center, 0, true});
  return cases;
}

/// Makes it the problem of a model that scores by axes.
inline void ask_by_axes(GramProblem& problem) {
  problem.by_axes = true;
  problem.facts.moments = std::make_shared<const RowMoments>(
      moments_of(ViewSource(problem.points), {.scatter = true}, {}));
  problem.facts.frame =
      std::make_shared<const Frame>(frame_by_axes(*problem.facts.moments, problem.center));
}

/// An operator with the context and the points it views.
struct Built {
  Context context;
  Points x;
  GramProblem problem;
  std::unique_ptr<SymmetricOperator> inner;
  std::unique_ptr<Centered> centered;

  Built(const OperatorRecipe& recipe, const Case& c)
      : x(test::random_points({.n = c.n, .dim = c.dim, .seed = 5})),
        problem{x, Kernel(c.kernel), c.center, 1} {
    x.array() += 0.5;  // so that centring has something to do
    context.budget.tile = c.tile;
    context.budget.operator_name = recipe.name;  // also for rows so few that nobody would
    if (c.by_axes) {
      if (recipe.streams == Streams::no) return;
      ask_by_axes(problem);
    }
    problem.facts.geometry = geometry_of(problem, context);
    if (recipe.refuse(problem, context.budget)) return;
    inner = recipe.build(problem, context);
    if (c.center && !factored()) centered = std::make_unique<Centered>(*inner);
  }
  bool factored() const { return inner->factored() != nullptr; }
  const SymmetricOperator& matrix() const { return centered ? *centered : *inner; }

  Block kernel_matrix() const { return problem.center ? test::double_centred(values()) : values(); }
  const FactoredOperator& factor() const { return *inner->factored(); }
  Block written_factor() const {
    return factor().lift(Block::Identity(inner->size(), inner->size()), context);
  }
  const Block& expected() const {
    if (!expected_) {
      const Block f = factored() ? written_factor() : Block();
      expected_ = factored() ? Block(f.transpose() * f / factor().gram_factor()) : kernel_matrix();
    }
    return *expected_;
  }
  /// The largest entry that rounding is relative to: of K itself, before centring.
  double largest() const { return std::max(test::max_abs(values()), test::max_abs(expected())); }
  double rounding() const { return static_cast<double>(x.rows() + x.cols()) * kUnit * largest(); }
  /// What an expansion may differ by, besides rounding.
  double allowed() const { return kRatio * rounding() + inner->error(); }

 private:
  const Block& values() const {
    if (!values_) values_ = test::dense_kernel(problem.kernel, x);
    return *values_;
  }
  // Written out when they are first asked for.
  mutable std::optional<Block> values_, expected_;
};

/// Calls f(built, case) for every operator that can serve a case; returns how many did.
template <class F>
Index for_all(F&& f) {
  Index served = 0;
  for (const OperatorRecipe* recipe : operator_recipes())
    for (const Case& c : all_cases()) {
      SCOPED_TRACE(std::string(recipe->name) + " " + c.kernel + " n=" + std::to_string(c.n) +
                   (c.center ? " centred" : ""));
      const Built built(*recipe, c);
      if (!built.inner) continue;
      f(built, *recipe);
      ++served;
    }
  return served;
}

}  // namespace mercer::operator_cases
