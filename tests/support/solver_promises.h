// What any eigensolver's answer must satisfy on matrices whose spectra are known.
#pragma once

#include "mercer/solvers/recipe.h"
#include "tests/support/errors.h"
#include "tests/support/spectra.h"

#include <gtest/gtest.h>

#include <string>

namespace mercer::test {

/// Eigenvalues that differ by little more than rounding.
inline Vector tight_spectrum(Index n) {
  return 1 - 1e-14 * Vector::LinSpaced(n, 0, static_cast<double>(n - 1)).array();
}

/// (n - 1) / 2, ..., -(n - 1) / 2.
inline Vector both_signs(Index n) {
  const double half = static_cast<double>(n - 1) / 2;
  return Vector::LinSpaced(n, half, -half);
}

inline EigenRequest request_of(Index count, double tolerance, std::uint64_t seed = 1) {
  EigenRequest request;
  request.count = count;
  request.tolerance = tolerance;
  request.search.seed = seed;
  request.matrix.rank_tolerance = -2;
  return request;
}

/// Converged, near the truth, and inside its own enclosure.
inline void expect_answer(const EigenResult& result, const Vector& truth, Index count,
                          double tolerance, const std::string& what) {
  const double largest = truth.cwiseAbs().maxCoeff();
  ASSERT_EQ(result.values.size(), count) << what;
  EXPECT_TRUE(result.converged) << what << ": " << result.stop.words();
  EXPECT_LE(result.certificate.residuals.maxCoeff(), tolerance) << what;
  for (Index i = 0; i < count; ++i) {
    EXPECT_NEAR(result.values[i], truth[i], 2 * tolerance * largest) << what << " value " << i;
    if (!result.certificate.complete) continue;
    EXPECT_GE(result.certificate.eigenvalue_upper[i], truth[i] - 1e-14 * largest) << what << i;
  }
  EXPECT_LE(orthogonality_ratio(result.vectors), kRatio) << what;
}

/// Answers within the certificate for every kind of spectrum.
inline void expect_spectra_known(const SolverRecipe& solver) {
  for (const std::string& kind : spectrum_kinds())
    for (const Index n : {40, 200})
      for (const double tolerance : {1e-4, 1e-8, 1e-12}) {
        const Vector truth = spectrum_of(kind, n);
        const EigenResult result =
            solver.run(MatrixOperator(matrix_with(truth, 3)), request_of(6, tolerance), {});
        expect_answer(result, truth, 6, tolerance, kind + " " + std::to_string(n));
      }
}

/// Residuals and orthogonality as good as rounding allows, also of values that hardly differ.
inline void expect_rounding(const SolverRecipe& solver) {
  for (const std::string kind : {"geometric", "algebraic", "clustered", "multiple", "tight"})
    for (const Index count : {1, 4, 12}) {
      const Block a =
          matrix_with(kind == "tight" ? tight_spectrum(120) : spectrum_of(kind, 120), 4);
      const EigenResult result = solver.run(MatrixOperator(a), request_of(count, 1e-14), {});
      EXPECT_LE(residual_ratio(a, result.vectors, result.values), kRatio) << kind;
      EXPECT_LE(orthogonality_ratio(result.vectors), kRatio) << kind;
    }
}

/// By magnitude, the largest of both signs.
inline void expect_both_ends(const SolverRecipe& solver) {
  Vector truth = spectrum_of("algebraic", 100);
  for (Index i = 1; i < truth.size(); i += 3) truth[i] = -truth[i];
  EigenRequest request = request_of(6, 1e-10);
  request.order = Order::magnitude;
  expect_answer(solver.run(MatrixOperator(matrix_with(truth, 8)), request, {}), truth, 6, 1e-10,
                "magnitude");
}

/// M001 in the middle of a search.
inline void expect_cancellable(const SolverRecipe& solver) {
  const CountingOperator a(matrix_with(spectrum_of("flat", 100), 13));
  Context context;
  context.observer.cancelled = [&] { return a.passes >= 6; };
  EXPECT_EQ(code_of([&] { solver.run(a, request_of(3, 1e-13), context); }), "M001");
}

/// Every copy of a repeated eigenvalue is there, or the answer says that it is not complete.
inline void expect_no_copy_missed(const SolverRecipe& solver) {
  Index runs = 0, complete = 0;
  for (const SymmetricCase& tested : symmetric_cases())
    for (const Index count : tested.counts)
      for (const double tolerance : {1e-3, 1e-8})
        for (std::uint64_t seed = 0; seed < 3; ++seed) {
          const EigenResult result =
              solver.run(MatrixOperator(tested.matrix), request_of(count, tolerance, seed), {});
          ++runs;
          if (!result.certificate.complete && !result.stop.words().empty()) continue;
          ++complete;
          expect_answer(result, tested.truth, count, tolerance,
                        tested.name + " " + std::to_string(count));
        }
  EXPECT_GE(complete, runs * 8 / 10);
}

/// Same values and vectors, to the last bit, for any number of threads.
inline void expect_same_bytes(const SolverRecipe& solver, const SymmetricOperator& a,
                              const EigenRequest& request) {
  Context context;
  context.budget.threads = 1;
  const EigenResult one = solver.run(a, request, context);
  for (const Index threads : {2, 3, 4, 8}) {
    context.budget.threads = threads;
    const EigenResult more = solver.run(a, request, context);
    EXPECT_EQ(one.values, more.values) << threads;
    EXPECT_EQ(one.vectors, more.vectors) << threads;
  }
}

/// Matrices of order 1, 2, 3, also near the limits of the range, and zeros.
inline void expect_smallest_orders(const SolverRecipe& solver) {
  for (const Index n : {1, 2, 3})
    for (Index count = 1; count <= n; ++count)
      for (const double scale : {1.0, 1e150, 1e-150}) {
        const Vector truth = spectrum_of("geometric", n);
        const MatrixOperator a(scale * matrix_with(truth, 2));
        const EigenResult result = solver.run(a, request_of(count, 1e-12), Context{});
        ASSERT_EQ(result.values.size(), count) << n;
        EXPECT_LE(max_abs(result.values / scale - truth.head(count)), 1e-12);
        EXPECT_LE(orthogonality_ratio(result.vectors), kRatio);
      }
  EigenRequest request = request_of(2, 1e-10);
  request.matrix.rank_tolerance = 0;
  const EigenResult nothing = solver.run(MatrixOperator(Block::Zero(9, 9)), request, Context{});
  EXPECT_EQ(nothing.values.size(), 0);
}

}  // namespace mercer::test
