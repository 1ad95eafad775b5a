// What solvers that work on a block of vectors promise of positive matrices whose spectra are known
// by construction.
#pragma once

#include "mercer/core/error.h"
#include "mercer/solvers/recipe.h"
#include "tests/support/spectra.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>

namespace mercer::test {

inline EigenRequest positive_request(Index count, double tolerance, std::string_view variant = {}) {
  EigenRequest request;
  request.count = count;
  request.tolerance = tolerance;
  request.matrix.positive = true;
  request.matrix.rank_tolerance = 1e-13;
  request.search.variant = variant;
  return request;
}

/// Ritz values are below the truth, and where the answer is complete the truth is enclosed.
inline void expect_enclosed(const EigenResult& result, const Vector& truth, double tolerance) {
  const double largest = max_abs(truth);
  for (Index i = 0; i < result.values.size(); ++i) {
    EXPECT_LE(result.values[i], truth[i] + 1e-13 * largest) << i;
    if (result.converged && result.certificate.complete) {
      EXPECT_GE(result.values[i], truth[i] - 2 * tolerance * largest) << i;
      EXPECT_GE(result.certificate.eigenvalue_upper[i], truth[i] - 1e-14 * largest) << i;
    }
  }
}

inline void expect_known_spectra(const SolverRecipe& solver) {
  for (const std::string& kind : spectrum_kinds())
    for (const Index n : {1, 2, 3, 60, 200})
      for (const double tolerance : {1e-4, 1e-10}) {
        SCOPED_TRACE(kind + " n=" + std::to_string(n) + " tolerance=" + std::to_string(tolerance));
        const Vector truth = spectrum_of(kind, n);
        const CountingOperator a(matrix_with(truth, 3));
        const Index count = std::min<Index>(6, n);
        const EigenResult result = solver.run(a, positive_request(count, tolerance), {});
        ASSERT_EQ(result.values.size(), count);
        EXPECT_TRUE(result.converged) << result.stop.words();
        EXPECT_EQ(result.applications, a.passes);
        EXPECT_EQ(result.columns, a.columns);
        EXPECT_LE(max_abs(result.certificate.residuals), tolerance);
        expect_enclosed(result, truth, tolerance);
      }
}

inline void expect_rounding_reached(const SolverRecipe& solver, std::string_view variant = {}) {
  for (const std::string kind : {"geometric", "algebraic", "clustered", "multiple"}) {
    SCOPED_TRACE(kind + " " + std::string(variant));
    const Block matrix = matrix_with(spectrum_of(kind, 200), 4);
    const EigenResult result =
        solver.run(CountingOperator(matrix), positive_request(6, 1e-14, variant), {});
    ASSERT_EQ(result.values.size(), 6);
    EXPECT_LE(residual_ratio(matrix, result.vectors, result.values), kRatio);
    EXPECT_LE(orthogonality_ratio(result.vectors), kRatio);
    EXPECT_LE(value_ratio(result.values, spectrum_of(kind, 200).head(6), 200, 1.0), kRatio);
  }
}

inline void expect_every_copy_found(const SolverRecipe& solver) {
  for (const SymmetricCase& c : symmetric_cases())
    for (const Index count : c.counts)
      for (const double tolerance : {1e-3, 1e-8}) {
        SCOPED_TRACE(c.name + " k=" + std::to_string(count));
        const EigenResult result =
            solver.run(CountingOperator(c.matrix), positive_request(count, tolerance), {});
        EXPECT_TRUE(result.converged) << result.stop.words();
        ASSERT_EQ(result.values.size(), count);
        expect_enclosed(result, c.truth, tolerance);
        for (Index i = 0; i < count; ++i)
          EXPECT_NEAR(result.values[i], c.truth[i], 2 * tolerance * c.truth[0]) << i;
      }
}

inline void expect_scale_not_to_matter(const SolverRecipe& solver) {
  const Vector truth = spectrum_of("algebraic", 80);
  const Block matrix = matrix_with(truth, 12);
  for (const double scale : {1e150, 1e-150}) {
    const EigenResult result =
        solver.run(CountingOperator(scale * matrix), positive_request(4, 1e-10), {});
    EXPECT_TRUE(result.converged) << result.stop.words();
    for (Index i = 0; i < 4; ++i) EXPECT_NEAR(result.values[i] / scale, truth[i], 1e-12);
  }
}

inline void expect_limit_of_passes_kept(const SolverRecipe& solver, Index passes) {
  const CountingOperator a(matrix_with(spectrum_of("algebraic", 200), 13));
  EigenRequest request = positive_request(5, 1e-12);
  request.search.passes = passes;
  const EigenResult result = solver.run(a, request, {});
  EXPECT_EQ(a.passes, passes);
  EXPECT_FALSE(result.converged);
  EXPECT_EQ(result.stop.reason, StopReason::passes_used_up);
  EXPECT_EQ(result.stop.words(), std::to_string(passes) + " passes were not enough");
  ASSERT_EQ(result.values.size(), 5);
  expect_enclosed(result, spectrum_of("algebraic", 200), 1);
  EXPECT_LE(orthogonality_ratio(result.vectors), kRatio);
}

inline void expect_best_when_the_time_is_over(const SolverRecipe& solver) {
  const CountingOperator a(matrix_with(spectrum_of("algebraic", 200), 14));
  Context context;
  context.observer.out_of_time = [&] { return a.passes >= 6; };
  const EigenResult result = solver.run(a, positive_request(5, 1e-13), context);
  EXPECT_FALSE(result.converged);
  EXPECT_EQ(result.stop.words(), "the time allowed ran out");
  EXPECT_NEAR(result.values[0], 1, 0.05);
}

inline void expect_stop_when_cancelled(const SolverRecipe& solver) {
  const CountingOperator a(matrix_with(spectrum_of("algebraic", 200), 14));
  Context context;
  context.observer.cancelled = [&] { return a.passes >= 2; };
  EXPECT_THROW(solver.run(a, positive_request(5, 1e-13), context), Error);
  EXPECT_LE(a.passes, 3);
}

}  // namespace mercer::test
