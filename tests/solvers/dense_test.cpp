// The dense solver: what it knows when its time is over, and that it can be stopped. Time is a
// count of questions here, never a clock.
#include "tests/support/dense.h"

#include "mercer/solvers/recipe.h"
#include "tests/support/errors.h"
#include "tests/support/random_points.h"

#include <gtest/gtest.h>

#include <cmath>

namespace mercer {
namespace dense_test {

/// Eigenvalues 1, 0.8, 0.64, ...
Block falling(Index n) {
  const Block q = test::random_orthonormal(n, n, 1);
  Vector values(n);
  for (Index i = 0; i < n; ++i) values[i] = std::pow(0.8, static_cast<double>(i));
  return q * values.asDiagonal() * q.transpose();
}

/// A context whose time is over at the question after `questions`.
struct Late {
  int asked = 0;
  Context context;
  explicit Late(int questions) {
    context.budget.threads = 1;
    context.observer.out_of_time = [this, questions] { return ++asked > questions; };
  }
};

EigenResult solve(const Block& matrix, const EigenRequest& request, const Context& context) {
  return solver_recipe("dense").run(test::MatrixOperator(matrix), request, context);
}

/// Questions a whole solve asks.
int questions_of(const Block& matrix, const EigenRequest& request) {
  Late late(1 << 30);
  solve(matrix, request, late.context);
  return late.asked;
}

void expect_marked(const Block& matrix, const EigenResult& result) {
  EXPECT_FALSE(result.converged);
  EXPECT_TRUE(result.stop.words().starts_with("the time")) << result.stop.words();
  EXPECT_LE(test::orthogonality_ratio(result.vectors), test::kRatio);
  ASSERT_EQ(result.values.size(), result.vectors.cols());
  const Block residuals = matrix * result.vectors - result.vectors * result.values.asDiagonal();
  if (result.spectrum.all_values.size() > 0)
    return;  // complete but for vectors: the caller measures them
  ASSERT_EQ(result.certificate.residuals.size(), result.values.size());
  EXPECT_FALSE(result.certificate.complete);
  for (Index j = 0; j < residuals.cols(); ++j)
    EXPECT_LE(residuals.col(j).norm(), result.certificate.residuals[j] * 1.01 + 1e-13);
}

TEST(Dense, OutOfTimeInTheReductionItGivesTheLeadingPairsWithTheirResiduals) {
  const Block matrix = falling(120);
  for (const int questions : {40, 80, 150, 200}) {
    Late late(questions);
    const EigenResult result = solve(matrix, {.count = 4, .tolerance = 1e-6}, late.context);
    expect_marked(matrix, result);
    EXPECT_EQ(result.values.size(), 4);
    EXPECT_EQ(result.spectrum.all_values.size(), 0);
  }
}

TEST(Dense, OutOfTimeOfAllComponentsThoseWithinTheToleranceAreKept) {
  const Block matrix = falling(120);
  for (const bool all : {true, false}) {
    const EigenRequest request = {.share = all ? 0 : 0.999, .all = all, .tolerance = 1e-6};
    Index before = 0;
    for (const int questions : {60, 100, 150}) {
      Late late(questions);
      const EigenResult result = solve(matrix, request, late.context);
      expect_marked(matrix, result);
      EXPECT_LE(result.certificate.residuals.maxCoeff(), 1.1e-6);
      EXPECT_GE(result.values.size(), std::max<Index>(1, before));
      EXPECT_NEAR(result.values[0], 1, 1e-9);
      before = result.values.size();
    }
    EXPECT_GT(before, 5);
  }
}

TEST(Dense, OutOfTimeAtAnyQuestionItAnswersOrSaysThatThereIsNoAnswer) {
  const Block matrix = falling(70);
  const EigenRequest request = {.all = true, .tolerance = 1e-6};
  const int whole = questions_of(matrix, request);
  EXPECT_GT(whole, 70);
  for (int questions = 0; questions < whole; ++questions) {
    Late late(questions);
    try {
      expect_marked(matrix, solve(matrix, request, late.context));
    } catch (const Error& error) {
      EXPECT_EQ(code_text(error.code()), "M303");
      EXPECT_LT(questions, 8) << "something was known by then";
    }
  }
}

TEST(Dense, IsStoppedAtAnyQuestion) {
  const Block matrix = falling(70);
  const int whole = questions_of(matrix, {.all = true});
  for (int questions = 0; questions < whole; questions += 7) {
    Context context;
    int asked = 0;
    context.budget.threads = 1;
    context.observer.cancelled = [&] { return ++asked > questions; };
    EXPECT_EQ(test::code_of([&] { solve(matrix, {.all = true}, context); }), "M001") << questions;
  }
}

}  // namespace dense_test
}  // namespace mercer
