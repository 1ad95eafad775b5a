// Fits with float tiles on tables that are hard for them: what is stated, held to the matrix itself
// in float64.
#include "mercer/core/random.h"
#include "mercer/models/kind/kernel_pca.h"
#include "mercer/models/kind/pca.h"
#include "mercer/operators/centered.h"
#include "tests/support/dense.h"
#include "tests/support/random_points.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>

namespace mercer {
namespace float_edges_test {

/// Unit vectors behind the scores, and what the centred matrix makes of them.
struct Checked {
  Block vectors;
  Vector residuals;  // relative to the largest eigenvalue

  Checked(const KernelPca& model, const Points& x, double sigma) {
    vectors =
        model.scores() * model.report.spectrum->eigenvalues.cwiseSqrt().cwiseInverse().asDiagonal();
    // Differences are formed one by one: no product of long rows.
    Block image = Block::Zero(x.rows(), vectors.cols());
    for (Index i = 0; i < x.rows(); ++i) {
      const Vector k =
          ((x.rowwise() - x.row(i)).rowwise().squaredNorm() / (-2 * sigma * sigma)).array().exp();
      image.row(i) = k.transpose() * vectors;
    }
    remove_means(image);
    image -= vectors * model.report.spectrum->eigenvalues.asDiagonal();
    residuals = image.colwise().norm() / model.report.spectrum->eigenvalues[0];
  }
};

TEST(FloatEdges, AFarClusterOfTwentyRowsIsNotOverlooked) {
  constexpr Index kRows = 3200, kDim = 20;  // enough rows for float tiles to be chosen
  for (std::uint64_t seed = 0; seed < 5; ++seed) {
    Points x = 0.02 * test::random_points({.n = kRows, .dim = kDim, .seed = seed});
    const Random random(seed, 9);
    Vector place(kDim);
    for (Index j = 0; j < kDim; ++j) place[j] = random.normal(static_cast<std::uint64_t>(j));
    place *= 20 / place.norm();
    for (std::uint64_t c = 0; c < 20; ++c) {
      const auto i = static_cast<Index>(random.below(kRows, 100 + c));
      x.row(i) = 0.5 * x.row(i) + place.transpose();
    }
    const KernelPca model = KernelPca::fit(x, {.kernel = "gaussian:sigma=1", .components = 2});
    ASSERT_NE(model.report.plan.solver_name, "dense");
    const Checked truth(model, x, 1);
    for (Index j = 0; j < 2; ++j)
      EXPECT_LE(truth.residuals[j], model.report.spectrum->certificate.residuals[j] * 1.01) << seed;
    EXPECT_EQ(model.report.converged,
              model.report.spectrum->certificate.residuals.maxCoeff() <= 1e-6);
  }
}

TEST(FloatEdges, OrdinaryTablesAreStillServed) {
  const Points x = test::random_points({.n = 3200, .dim = 20, .seed = 3});
  const Report report = KernelPca::fit(x, {.kernel = "gaussian:sigma=6", .components = 3}).report;
  EXPECT_TRUE(report.converged);
  EXPECT_EQ(report.spectrum->certificate.kind, ProofKind::probabilistic)
      << "float tiles gave the answer";
}

// By magnitude the angle rests on the same theorem as by value, and needs what tiles round as well.
TEST(FloatEdges, TheAngleOfFlippedComponentsHasTheRoundingOfTiles) {
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    const Points x = (255 * test::random_points({.n = 4, .dim = 4, .seed = seed}).cwiseAbs())
                         .array()
                         .min(255)
                         .round();
    const auto fit = [&](const char* solver, Precision precision, double tolerance) {
      Context context;
      context.budget.solver_name = solver;
      context.budget.operator_name = "blocked_gram";
      context.budget.precision = precision;
      return KernelPca::fit(x,
                            {.kernel = "gaussian:sigma=143",
                             .components = 1,
                             .tolerance = Tolerance(tolerance),
                             .indefinite = "flip"},
                            context);
    };
    const KernelPca rough = fit("lanczos:partial", Precision::single_, 1e-2);
    const KernelPca exact = fit("dense", Precision::double_, 1e-6);
    if (!std::isfinite(rough.report.spectrum->certificate.angle)) continue;
    const Vector u = rough.scores().col(0).normalized(), v = exact.scores().col(0).normalized();
    const double sine = (u - v * v.dot(u)).norm();
    EXPECT_LE(sine, rough.report.spectrum->certificate.angle + 1e-14) << seed;
  }
}

TEST(FloatEdges, FactorsHaveNoFloatForm) {
  const Points x = test::random_points({.n = 200, .dim = 20, .seed = 1});
  Context context;
  context.budget.precision = Precision::single_;
  context.budget.solver_name = "block_krylov";
  context.budget.operator_name = "covariance";
  const Report one = KernelPca::fit(x, {.kernel = "linear", .components = 3}, context).report,
               two = KernelPca::fit(x, {.kernel = "linear", .components = 3}, context).report;
  EXPECT_TRUE(one.converged);
  EXPECT_EQ(one.plan.precision, Precision::double_);
  EXPECT_EQ(one.spectrum->certificate.residuals, two.spectrum->certificate.residuals);
}

}  // namespace float_edges_test
}  // namespace mercer
