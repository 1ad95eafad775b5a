// What rounding of kernel values may and may not do to the number of components: no component of
// its making is kept, and none is lost because float tiles cannot see it.
#include "mercer/models/kind/kernel_pca.h"
#include "tests/support/random_points.h"

#include <gtest/gtest.h>

#include <string_view>

namespace mercer {
namespace rounding_test {

KernelPca fit(const Points& x, const KernelPcaOptions& options, std::string_view op,
              std::string_view solver, Precision precision = Precision::automatic) {
  Context context;
  context.budget.operator_name = op;
  context.budget.solver_name = solver;
  context.budget.precision = precision;
  return KernelPca::fit(x, options, context);
}

// Float tiles cannot tell values below 3e-6 of the largest from their rounding; double ones can.
TEST(Rounding, ComponentsThatFloatTilesCannotSeeAreSoughtInDouble) {
  const Points x = test::random_points({.n = 3200, .dim = 2, .seed = 4});
  const KernelPcaOptions options{.kernel = "gaussian:sigma=3", .components = 30};
  const auto values = [&](Precision precision) {
    return fit(x, options, "blocked_gram", "block_krylov", precision).report.spectrum->eigenvalues;
  };
  const Vector found = values(Precision::automatic), truth = values(Precision::double_);
  ASSERT_EQ(truth.size(), 30);
  ASSERT_LT(truth[29], 1e-6 * truth[0]);
  ASSERT_EQ(found.size(), 30);
  EXPECT_LE((found - truth).cwiseAbs().maxCoeff(), 1e-6 * truth[0]);
  EXPECT_LT(values(Precision::single_).size(), 30);  // asked for, so it stays
}

// A stored matrix of doubles may not fit where that of floats did: it is then not stored.
TEST(Rounding, GoingOnInDoubleKeepsToTheMemory) {
  const Points x = test::random_points({.n = 3200, .dim = 2, .seed = 4});
  const KernelPcaOptions options{.kernel = "gaussian:sigma=3", .components = 30};
  Context context;
  context.budget.operator_name = "dense_gram";
  context.budget.solver_name = "block_krylov";
  context.budget.memory = KernelPca::plan(x, options, context).predicted.bytes;
  const KernelPca model = KernelPca::fit(x, options, context);
  EXPECT_EQ(model.report.spectrum->eigenvalues.size(), 30);
  EXPECT_EQ(model.report.plan.operator_name, "blocked_gram");
  context.budget.memory *= 2;
  EXPECT_EQ(KernelPca::fit(x, options, context).report.plan.operator_name, "dense_gram");
}

// The tolerance is relative to the largest eigenvalue. Smaller components than that must not be
// what the search left over: they are looked for until they are known, or left out.
TEST(Rounding, ComponentsBelowTheToleranceAreKnownOrLeftOut) {
  const Points x = test::random_points({.n = 900, .dim = 3, .seed = 6});
  for (const char* kernel : {"gaussian:sigma=100", "sigmoid:scale=0.01,offset=0"})
    for (const double tolerance : {1e-3, 1e-6}) {
      const KernelPcaOptions options{
          .kernel = kernel, .components = 40, .tolerance = Tolerance(tolerance)};
      const Vector truth = fit(x, options, "dense_gram", "dense").report.spectrum->eigenvalues;
      ASSERT_LT(truth[truth.size() - 1], 1e-7 * truth[0]);
      for (const char* solver : {"block_krylov", "lobpcg", "lanczos", "subspace"}) {
        const Report report = fit(x, options, "blocked_gram", solver).report;
        const Vector& found = report.spectrum->eigenvalues;
        ASSERT_LE(found.size(), truth.size()) << kernel << solver;
        EXPECT_GE(found.size(), 8) << kernel << solver;
        for (Index i = 0; i < found.size(); ++i)
          EXPECT_NEAR(found[i] / truth[i], 1, 0.05) << kernel << solver << tolerance << " " << i;
      }
    }
}

// Far from the origin entries are a million times what centring leaves of them. Monomials, centred
// before they are multiplied, know the truth.
TEST(Rounding, ThatOfALargeKernelIsNoComponent) {
  const Points x = test::random_points({.n = 600, .dim = 2, .seed = 9}).array() + 1000;
  for (const char* kernel : {"polynomial:degree=2", "polynomial:degree=3"}) {
    const KernelPcaOptions options{.kernel = kernel, .components = 9};
    const Vector truth =
        fit(x, options, "polynomial_features", "dense").report.spectrum->eigenvalues;
    for (const std::string_view op : {"blocked_gram", "dense_gram"})
      for (const std::string_view solver : {"dense", "block_krylov"}) {
        const Vector found = fit(x, options, op, solver).report.spectrum->eigenvalues;
        ASSERT_GE(found.size(), 2) << kernel << op << solver;
        ASSERT_LE(found.size(), truth.size()) << kernel << op << solver;
        for (Index i = 0; i < found.size(); ++i)
          EXPECT_NEAR(found[i] / truth[i], 1, 1e-3) << kernel << op << solver << i;
      }
  }
}

}  // namespace rounding_test
}  // namespace mercer
