// Regression on components: rows that come sparse, fits that are stopped, memory that is short.
#include "mercer/models/kind/pcr.h"
#include "mercer/models/kind/pls.h"
#include "tests/support/dense.h"
#include "tests/support/errors.h"
#include "tests/support/random_points.h"
#include "tests/support/regression_tables.h"
#include "tests/support/sparse_rows.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>

namespace mercer {
namespace regression_limits_test {

using test::training_of;

double apart(const Block& a, const Block& b) { return test::max_abs(a - b) / test::max_abs(b); }

Points sample(Index n, Index dim, std::uint64_t seed) {
  const Points x = test::random_points({.n = n, .dim = dim, .seed = seed});
  return 2 * x * test::random_orthonormal(dim, dim, seed + 1);
}

Points targets_of(const Points& x, Index count, std::uint64_t seed) {
  return Points(x * test::random_points({.n = x.cols(), .dim = count, .seed = seed}) +
                0.3 * test::random_points({.n = x.rows(), .dim = count, .seed = seed + 1}));
}

TEST(RegressionLimits, SparseRowsAreFittedAsTheyAre) {
  for (const auto& [n, dim] : {std::pair<Index, Index>{40, 12}, {10, 90}})
    for (const char* kernel : {"linear", "gaussian:sigma=2"}) {
      Points x = sample(n, dim, 34);
      x = (x.array().abs() < 1.5).select(0.0, x);
      const Points y = targets_of(x, 2, 35);
      const Dataset sparse = test::sparse_rows(x);
      Training training = training_of(x, y);
      training.rows = sparse.view();
      const PlsOptions options{.components = 4, .kernel = kernel};
      const Pls model = Pls::fit(training, options), known = Pls::fit(training_of(x, y), options);
      EXPECT_LE(apart(model.predict(sparse), known.predict(x)), 1e-12) << n << kernel;
      const Pcr regression = Pcr::fit(training, {.components = 4}),
                dense = Pcr::fit(training_of(x, y), {.components = 4});
      EXPECT_LE(apart(regression.predict(sparse), dense.predict(x)), 1e-12) << n;
    }
}

TEST(RegressionLimits, StopsWhenItIsToldToAndKeepsWithinItsMemory) {
  const Points x = sample(300, 20, 36), y = targets_of(x, 2, 37);
  for (const char* algorithm : {"nipals", "simpls", "deflation", "kernel"}) {
    const PlsOptions options{.components = Components::automatic(), .algorithm = algorithm};
    // At the n-th question, for several n, wherever the fit is then.
    for (const int allowed : {0, 20, 100}) {
      std::atomic<int> asked{0};
      Context context;
      context.observer.cancelled = [&] { return asked++ >= allowed; };
      EXPECT_EQ(test::code_of([&] { Pls::fit(training_of(x, y), options, context); }), "M001")
          << algorithm << allowed;
      asked = std::max(0, allowed - 20);
      EXPECT_EQ(test::code_of([&] {
                  Pcr::fit(training_of(x, y), {.components = Components::automatic()}, context);
                }),
                "M001");
    }
    Context late;
    late.observer.out_of_time = [] { return true; };
    EXPECT_EQ(test::code_of([&] { Pls::fit(training_of(x, y), options, late); }), "M303");
    Context small;
    small.budget.memory = 20000;
    small.account.emplace(small.budget.memory);
    EXPECT_EQ(test::code_of([&] { Pls::fit(training_of(x, y), options, small); }), "M301");
  }
}

}  // namespace regression_limits_test
}  // namespace mercer
