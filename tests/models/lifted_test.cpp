// Fits through a factor, K = F F', solve a small problem and lift its vectors to the rows. What is
// stated of them must be true of the vectors that come out, scores over sqrt(mu), and of K on the
// rows, here written out in long double. Eigenvalues far below the largest are the case that
// counts: the last digit of a small direction is 1e-16 of the largest one, and lifting makes that
// 1e-16 sqrt(mu_1 / mu).
#include "mercer/models/kind/kernel_pca.h"
#include "mercer/models/kind/pca.h"
#include "tests/support/dense.h"
#include "tests/support/errors.h"
#include "tests/support/random_points.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>

namespace mercer {
namespace lifted_test {

using test::kUnit;
using Wide = long double;
using WideBlock = Eigen::Matrix<Wide, Eigen::Dynamic, Eigen::Dynamic>;

WideBlock products(const Points& x) {
  const WideBlock wide = x.cast<Wide>();
  return wide * wide.transpose();
}

WideBlock gaussian(const Points& x, double sigma) {
  WideBlock k(x.rows(), x.rows());
  for (Index i = 0; i < x.rows(); ++i)
    for (Index j = 0; j < x.rows(); ++j) {
      const Wide squared = (x.row(i).cast<Wide>() - x.row(j).cast<Wide>()).squaredNorm();
      k(i, j) = std::exp(-squared / (2 * Wide(sigma) * Wide(sigma)));
    }
  return k;
}

WideBlock centred(WideBlock k) {
  k.rowwise() -= k.colwise().mean().eval();
  k.colwise() -= k.rowwise().mean().eval();
  return k;
}

/// |K u - mu u| / mu_1 of u = scores / sqrt(mu).
Vector true_residuals(const WideBlock& k, const Block& scores, const Vector& values) {
  const Eigen::Matrix<Wide, Eigen::Dynamic, 1> mu = values.cast<Wide>();
  const WideBlock u = scores.cast<Wide>() * mu.cwiseSqrt().cwiseInverse().asDiagonal();
  const WideBlock rest = k * u - u * mu.asDiagonal();
  return (rest.colwise().norm() / mu[0]).transpose().cast<double>();
}

Context through(const std::string& op, const std::string& solver = {}) {
  Context context;
  context.budget.operator_name = op;
  context.budget.solver_name = solver;
  return context;
}

// Rounding of the features themselves, and of sqrt(mu) u, is not part of a measured residual.
constexpr double kEntries = 16 * kUnit;

void expect_true(const Report& report, const Vector& truth, double best, const std::string& what) {
  for (Index j = 0; j < truth.size(); ++j) {
    EXPECT_LE(truth[j], report.spectrum->certificate.residuals[j] + kEntries)
        << what << " component " << j;
    EXPECT_LE(truth[j], best) << what << " component " << j;
  }
}

// Rows near (1e4, 1e4, 1e4) without centring: the mean direction has 1e8 times the variance of the
// others.
Points far_away() { return test::random_points({.n = 343, .dim = 3, .seed = 11}).array() + 1e4; }

TEST(Lifted, MonomialsOfRowsFarFromTheOrigin) {
  const Points x = far_away();
  const KernelPca model = KernelPca::fit(x,
                                         {.kernel = "polynomial:degree=1,scale=3e-9,offset=1",
                                          .components = 4,
                                          .tolerance = 1e-11,
                                          .center = false},
                                         through("polynomial_features"));
  const double used = model.kernel().only<Polynomial>()->scale;
  const WideBlock k = (products(x) * Wide(used)).array() + Wide(1);
  expect_true(model.report, true_residuals(k, model.scores(), model.report.spectrum->eigenvalues),
              1e-14, "polynomial");
  EXPECT_TRUE(model.report.converged);
}

TEST(Lifted, LinearKernelsOfRowsFarFromTheOrigin) {
  const Points x = far_away();
  const KernelPca model =
      KernelPca::fit(x, {.kernel = "linear", .components = 3, .tolerance = 1e-11, .center = false},
                     through("covariance"));
  expect_true(model.report,
              true_residuals(products(x), model.scores(), model.report.spectrum->eigenvalues),
              1e-14, "linear");
}

// Axes are unit vectors, and so are their roundings: scores of small components have as much of the
// largest as the last digit of an axis gives them. That is stated.
TEST(Lifted, ScoresOfPcaAreWhatIsMeasured) {
  const Points x = far_away();
  for (const char* op : {"covariance", "linear_gram"}) {
    const Pca model =
        Pca::fit(x, {.components = 3, .tolerance = 1e-9, .center = false}, through(op));
    const Vector truth =
        true_residuals(products(x), model.transform(x, {}), model.report.spectrum->eigenvalues);
    expect_true(model.report, truth, 1e-9, op);
    EXPECT_LE(model.report.spectrum->certificate.residuals.maxCoeff(), 1e-9) << op;
    EXPECT_LE(test::orthogonality_ratio(model.axes()), test::kRatio) << op;
  }
}

// Forty different rows, ten times each: eight components fall by nine orders of magnitude.
Points repeated_rows() {
  const Points few = test::random_points({.n = 40, .dim = 1, .seed = 36});
  Points x(400, 1);
  for (Index i = 0; i < 400; ++i) x.row(i) = few.row((i * 7) % 40);
  return x;
}

TEST(Lifted, ExpansionsOfRowsThatRepeat) {
  const Points x = repeated_rows();
  for (const char* op : {"taylor_features", "fourier_features", "cholesky_features"}) {
    const bool columns = std::string(op) == "cholesky_features";
    const WideBlock k = centred(gaussian(x, columns ? 0.7 : 2.5));
    for (const char* solver : {"dense", "block_krylov"}) {
      const KernelPca model =
          KernelPca::fit(x,
                         {.kernel = columns ? "gaussian:sigma=0.7" : "gaussian:sigma=2.5",
                          .components = 6,
                          .tolerance = 1e-9},
                         through(op, solver));
      const Vector truth = true_residuals(k, model.scores(), model.report.spectrum->eigenvalues);
      expect_true(model.report, truth, 1e-9, std::string(op) + " " + solver);
      const Block scores = model.scores();
      // Y'Y = diag(mu), in the order of the components.
      const Block gram = scores.transpose() * scores;
      for (Index j = 0; j < gram.cols(); ++j)
        for (Index i = 0; i <= j; ++i)
          EXPECT_NEAR(gram(i, j) / std::sqrt(gram(i, i) * gram(j, j)), i == j ? 1 : 0,
                      400 * test::kRatio * kUnit);
    }
  }
}

// New rows are scored by what the polished vectors are made of.
TEST(Lifted, TransformGivesTheTrainingScores) {
  const Points x = far_away();
  const KernelPca model = KernelPca::fit(x,
                                         {.kernel = "polynomial:degree=1,scale=1e-8,offset=1",
                                          .components = 4,
                                          .tolerance = 1e-9,
                                          .center = false},
                                         through("polynomial_features"));
  const double rounding = 30 * kUnit * std::sqrt(model.report.spectrum->eigenvalues[0]);
  EXPECT_LE(test::max_abs(model.transform(x, {}) - model.scores()), rounding);
}

// The tolerance is relative to the largest eigenvalue. Components below it are sought all the same,
// or left out, and that is said; none is kept whose residual is as large as itself.
struct Small {
  std::string op, kernel;
  Index components;
  double tolerance;
};

void expect_resolved(const Points& x, const WideBlock& k, const Small& way, bool all) {
  const KernelPca model = KernelPca::fit(
      x, {.kernel = way.kernel, .components = way.components, .tolerance = way.tolerance},
      through(way.op, "block_krylov"));
  const Report& report = model.report;
  const Index kept = report.spectrum->eigenvalues.size();
  EXPECT_EQ(report.plan.solver_name, "block_krylov") << way.op;
  EXPECT_EQ(kept == way.components, all) << way.op << ' ' << kept;
  EXPECT_EQ(!all, test::has_warning(report.warnings, WarningCode::rank_lower)) << way.op;
  EXPECT_EQ(report.spectrum->certificate.residuals.size(), kept);
  EXPECT_EQ(report.spectrum->certificate.eigenvalue_upper.size(), kept);
  ASSERT_EQ(model.scores().cols(), kept);
  EXPECT_EQ(model.transform(x, {}).cols(), kept);
  const Vector truth = true_residuals(k, model.scores(), report.spectrum->eigenvalues);
  for (Index j = 0; j < kept; ++j) {
    const double own = report.spectrum->eigenvalues[j] / report.spectrum->eigenvalues[0];
    EXPECT_LE(report.spectrum->certificate.residuals[j], 0.1 * own) << way.op << ' ' << j;
    EXPECT_LE(truth[j], report.spectrum->certificate.residuals[j] + kEntries) << way.op << ' ' << j;
  }
}

TEST(Lifted, SmallComponentsOfIteratedFactorsAreResolvedOrLeftOut) {
  const Points x = repeated_rows();
  const auto k = [&](double sigma) { return centred(gaussian(x, sigma)); };
  expect_resolved(x, k(0.7), {"taylor_features", "gaussian:sigma=0.7", 12, 1e-7}, true);
  expect_resolved(x, k(1), {"fourier_features", "gaussian:sigma=1", 9, 1e-7}, true);
  // Below what the series leaves out.
  expect_resolved(x, k(1.5), {"fourier_features", "gaussian:sigma=1.5", 9, 1e-7}, false);
  Points columns = test::random_points({.n = 300, .dim = 60, .seed = 8});
  for (Index j = 0; j < 60; ++j) columns.col(j) *= std::pow(0.6, static_cast<double>(j));
  expect_resolved(columns, centred(products(columns)), {"covariance", "linear", 14, 1e-2}, true);
}

}  // namespace lifted_test
}  // namespace mercer
