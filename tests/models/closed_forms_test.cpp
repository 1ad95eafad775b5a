// Data whose kernel PCA is known by a formula: circles, simplices, cubes, clusters, explicit
// features.
#include "mercer/core/text.h"
#include "mercer/models/kind/kernel_pca.h"
#include "mercer/models/kind/pca.h"
#include "tests/support/dense.h"
#include "tests/support/errors.h"
#include "tests/support/random_points.h"

#include <gtest/gtest.h>

#include <numbers>

namespace mercer {
namespace closed_forms_test {

using test::kRatio;
using test::kUnit;

KernelPca fit(const Points& x, const std::string& kernel, Components components) {
  return KernelPca::fit(x, {.kernel = kernel, .components = components});
}

Points circle(Index n, double radius) {
  Points x(n, 2);
  for (Index i = 0; i < n; ++i) {
    const double angle = 2 * std::numbers::pi * static_cast<double>(i) / static_cast<double>(n);
    x.row(i) << radius * std::cos(angle), radius * std::sin(angle);
  }
  return x;
}

/// Eigenvalues of the circulant matrix with this first row: its Fourier transform.
std::vector<double> fourier(const std::vector<double>& row) {
  const auto n = static_cast<double>(row.size());
  std::vector<double> values;
  for (std::size_t f = 0; f < row.size(); ++f) {
    double sum = 0;
    for (std::size_t j = 0; j < row.size(); ++j)
      sum += row[j] * std::cos(2 * std::numbers::pi * static_cast<double>(f * j) / n);
    values.push_back(sum);
  }
  return values;
}

TEST(ClosedForm, PointsOnACircleGiveTheFourierModes) {
  constexpr Index n = 24;
  constexpr double radius = 1.3, sigma = 0.8;
  std::vector<double> row;
  for (Index j = 0; j < n; ++j) {
    const double chord = 2 * radius * std::sin(std::numbers::pi * static_cast<double>(j) / n);
    row.push_back(std::exp(-chord * chord / (2 * sigma * sigma)));
  }
  std::vector<double> modes = fourier(row);
  const double constant = modes[0];
  modes.erase(modes.begin());  // centring removes frequency zero and nothing else
  std::sort(modes.begin(), modes.end(), std::greater<>());
  const KernelPca model = fit(circle(n, radius), "gaussian:sigma=0.8", 10);
  for (Index i = 0; i < 10; ++i)
    EXPECT_NEAR(model.report.spectrum->eigenvalues[i], modes[static_cast<std::size_t>(i)],
                kRatio * n * kUnit * modes[0]);
  const KernelPca plain = KernelPca::fit(
      circle(n, radius), {.kernel = "gaussian:sigma=0.8", .components = 1, .center = false});
  EXPECT_NEAR(plain.report.spectrum->eigenvalues[0], constant, kRatio * n * kUnit * constant);
  // The first pair spans cos and sin of the angle.
  const Block scores = model.scores().leftCols(2);
  const Block unit =
      scores * model.report.spectrum->eigenvalues.head(2).cwiseSqrt().cwiseInverse().asDiagonal();
  const Block plane = circle(n, std::sqrt(2.0 / n));
  EXPECT_LE(test::subspace_angle(plane, unit),
            kRatio * n * kUnit * modes[0] / (modes[0] - modes[2]));
}

TEST(ClosedForm, ACircleCutInsideAPairIsReported) {
  EXPECT_TRUE(test::has_warning(fit(circle(12, 1), "gaussian:sigma=1", 3).report.warnings,
                                WarningCode::split_cluster));
  EXPECT_FALSE(test::has_warning(fit(circle(12, 1), "gaussian:sigma=1", 4).report.warnings,
                                 WarningCode::split_cluster));
}

TEST(ClosedForm, ASimplexHasOneEigenvalueForAllComponents) {
  const Points x = Points::Identity(10, 10);
  const double c = std::exp(-1.0);  // all distances are sqrt(2), sigma = 1
  const KernelPca model = fit(x, "gaussian:sigma=1", Components::all());
  ASSERT_EQ(model.report.spectrum->eigenvalues.size(), 9);
  for (const double mu : model.report.spectrum->eigenvalues)
    EXPECT_NEAR(mu, 1 - c, kRatio * 10 * kUnit);
}

TEST(ClosedForm, TwoTightClustersHaveOneComponent) {
  constexpr Index first = 7, second = 12;
  Points x(first + second, 2);
  x.topRows(first).setZero();
  x.bottomRows(second).rowwise() = Eigen::RowVector2d(1, 2);
  const double distance = 2 - 2 * std::exp(-2.5);  // k_aa + k_bb - 2 k_ab
  const KernelPca model = fit(x, "gaussian:sigma=1", 3);
  const double expected = first * second / 19.0 * distance;
  ASSERT_EQ(model.report.spectrum->eigenvalues.size(), 1);
  EXPECT_TRUE(test::has_warning(model.report.warnings, WarningCode::rank_lower));
  EXPECT_NEAR(model.report.spectrum->eigenvalues[0], expected, kRatio * 19 * kUnit * expected);
  EXPECT_NEAR(model.report.spectrum->ratios[0], 1, kRatio * 19 * kUnit);
  const Block scores = model.scores();
  EXPECT_NEAR(std::abs(scores(0, 0) - scores(first, 0)), std::sqrt(distance), kRatio * 19 * kUnit);
}

TEST(ClosedForm, TwoPointsHaveHalfTheirSquaredFeatureDistance) {
  Points x(2, 1);
  x << 1, 1.5;
  const KernelPca model = fit(x, "gaussian:sigma=0.25", 1);
  const double mu = 1 - std::exp(-2.0);
  EXPECT_NEAR(model.report.spectrum->eigenvalues[0], mu, 4 * kUnit);
  EXPECT_NEAR(std::abs(model.scores()(0, 0)), std::sqrt(mu / 2), 4 * kUnit);
  EXPECT_EQ(model.scores()(0, 0), -model.scores()(1, 0));
}

Points cube(Index dim) {
  Points x(Index{1} << dim, dim);
  for (Index i = 0; i < x.rows(); ++i)
    for (Index j = 0; j < dim; ++j) x(i, j) = static_cast<double>(i >> j & 1);
  return x;
}

TEST(ClosedForm, PairsAreClustersAndNearPairsAreNot) {
  const std::vector<Range> pairs = {{0, 2}, {2, 4}};
  EXPECT_EQ(fit(circle(40, 1), "gaussian:sigma=1", 4).report.spectrum->clusters, pairs);
  Points ellipse = circle(40, 1);
  ellipse.col(1) *= 1.001;  // splits each pair by about a thousandth
  EXPECT_EQ(fit(ellipse, "gaussian:sigma=1", 4).report.spectrum->clusters, std::vector<Range>{});
}

TEST(ClosedForm, EqualEigenvaluesAreReportedAsOneCluster) {
  const std::vector<Range> eight = {{0, 8}};
  EXPECT_EQ(fit(cube(8), "gaussian:gamma=0.3", 8).report.spectrum->clusters, eight);
  EXPECT_EQ(fit(cube(8), "gaussian:gamma=0.3", 1).report.spectrum->clusters, std::vector<Range>{});
  const std::vector<Range> two_levels = {{0, 8}, {8, 12}};
  EXPECT_EQ(fit(cube(8), "gaussian:gamma=0.3", 12).report.spectrum->clusters, two_levels);
}

TEST(ClosedForm, AllEightCopiesOfTheCubesEigenvalueAreFound) {
  // The kernel is a product over coordinates: (1 + e)^(8 - w) (1 - e)^w, C(8, w) times, e =
  // exp(-0.3).
  const double e = std::exp(-0.3);
  const auto level = [&](double w) { return std::pow(1 + e, 8 - w) * std::pow(1 - e, w); };
  EXPECT_NEAR(level(1), 12.557, 5e-4);
  for (const Index k : {8, 9, 12}) {
    const KernelPca model = fit(cube(8), "gaussian:gamma=0.3", k);
    ASSERT_EQ(model.report.spectrum->eigenvalues.size(), k);
    for (Index i = 0; i < k; ++i)
      EXPECT_NEAR(model.report.spectrum->eigenvalues[i], level(i < 8 ? 1 : 2),
                  kRatio * 256 * kUnit * level(0));
    EXPECT_EQ(test::has_warning(model.report.warnings, WarningCode::split_cluster), k != 8) << k;
    EXPECT_TRUE(model.report.spectrum->certificate.complete);
  }
  // The eight span what is linear in the coordinates.
  const Block scores = fit(cube(8), "gaussian:gamma=0.3", 8).scores() / std::sqrt(level(1));
  const Block linear = (2 * cube(8).array() - 1).matrix() / 16;
  EXPECT_LE(test::subspace_angle(linear, scores),
            kRatio * 256 * kUnit * level(0) / (level(1) - level(2)));
}

TEST(ClosedForm, APolynomialOnACubeHasAWholeNumberSpectrum) {
  // (x.y + 1)^2 on {-1, 1}^5: x.y = sum of coordinates' products; squares are 1. Features: constant
  // 6, five coordinates with 2, ten products with 2; eigenvalues are 32 times these.
  const Points x = 2 * cube(5).array() - 1;
  const KernelPca model = fit(x, "polynomial:degree=2", Components::all());
  ASSERT_EQ(model.report.spectrum->eigenvalues.size(), 15);
  for (const double mu : model.report.spectrum->eigenvalues)
    EXPECT_NEAR(mu, 64, kRatio * 32 * kUnit * 192);
}

TEST(ClosedForm, AQuadraticKernelIsPcaOfItsSixFeatures) {
  const Points x = test::random_points({.n = 60, .dim = 2, .seed = 1});
  const double s = std::sqrt(2.0);
  Points features(60, 6);
  for (Index i = 0; i < 60; ++i) {
    const double a = x(i, 0), b = x(i, 1);
    features.row(i) << 1, s * a, s * b, a * a, b * b, s * a * b;
  }
  const KernelPca model = fit(x, "polynomial:degree=2", 5);
  const Pca pca = Pca::fit(features, {.components = 5});
  const double mu = pca.report.spectrum->eigenvalues[0];
  EXPECT_LE(test::max_abs(model.report.spectrum->eigenvalues - pca.report.spectrum->eigenvalues),
            1e-12 * mu);
  EXPECT_LE(test::difference_up_to_sign(model.scores(), pca.transform(features, {})),
            1e-12 * std::sqrt(mu) * 10);
  EXPECT_NEAR(model.report.spectrum->ratios.sum(), 1, 1e-12);
}

TEST(ClosedForm, ALinearKernelIsPcaAndClassicalScaling) {
  const Points x = test::random_points({.n = 40, .dim = 5, .seed = 2}) *
                   Vector(Vector::LinSpaced(5, 1, 3)).asDiagonal();
  const KernelPca model = fit(x, "linear", 5);
  const Pca pca = Pca::fit(x, {.components = 5});
  Block squared(40, 40);
  for (Index i = 0; i < 40; ++i)
    for (Index j = 0; j < 40; ++j) squared(i, j) = (x.row(i) - x.row(j)).squaredNorm();
  const test::DenseEigen scaling = test::dense_eigen(-0.5 * test::double_centred(squared));
  const double mu = scaling.values[0];
  EXPECT_LE(test::max_abs(model.report.spectrum->eigenvalues - scaling.values.head(5)), 1e-12 * mu);
  EXPECT_LE(test::max_abs(pca.report.spectrum->eigenvalues - scaling.values.head(5)), 1e-12 * mu);
  const Block coordinates =
      scaling.vectors.leftCols(5) * scaling.values.head(5).cwiseSqrt().asDiagonal();
  EXPECT_LE(test::difference_up_to_sign(model.scores(), coordinates), 1e-12 * mu);
  EXPECT_LE(test::difference_up_to_sign(pca.transform(x, {}), coordinates), 1e-12 * mu);
  // The offset of the kernel is removed by centring.
  EXPECT_LE(test::max_abs(fit(x, "linear:offset=3", 5).scores() - model.scores()), 1e-12 * mu);
}

TEST(ClosedForm, AWideGaussianIsPca) {
  const Points x = test::random_points({.n = 50, .dim = 4, .seed = 3}) *
                   Vector(Vector::LinSpaced(4, 4, 1)).asDiagonal();
  const Pca pca = Pca::fit(x, {.components = 4});
  const double radius = test::centred_rows(x).rowwise().norm().maxCoeff();
  const Block scores = pca.transform(x, {});
  for (const double gamma : {1e-6, 1e-8, 1e-10, 1e-12, 1e-14, 1e-100, 1e-300}) {
    const KernelPca wide = fit(x, "gaussian:gamma=" + exact(gamma), 4);
    // K = 1 - g r^2 + g^2 r^4 / 2 ...: relative error g (2R)^2 / 2, over the gaps of the spectrum
    // (a fifth of mu_1 at least); and rounding.
    const double limit = 10 * gamma * radius * radius + kRatio * 50 * kUnit * 10;
    const Vector mu = wide.report.spectrum->eigenvalues / (2 * gamma);
    EXPECT_LE(test::max_abs(mu - pca.report.spectrum->eigenvalues),
              limit * pca.report.spectrum->eigenvalues[0])
        << gamma;
    EXPECT_LE(test::difference_up_to_sign(wide.scores() / std::sqrt(2 * gamma), scores),
              10 * limit * test::max_abs(scores))
        << gamma;
    EXPECT_LE(test::difference_up_to_sign(wide.transform(x, {}) / std::sqrt(2 * gamma), scores),
              10 * limit * test::max_abs(scores))
        << gamma;
  }
}

TEST(ClosedForm, ANarrowGaussianIsTheIdentity) {
  const Points x = test::random_points({.n = 30, .dim = 3, .seed = 4});
  for (const char* spec : {"gaussian:sigma=1e-3", "gaussian:gamma=1e300"}) {
    const KernelPca model = fit(x, spec, Components::all());
    ASSERT_EQ(model.report.spectrum->eigenvalues.size(), 29);
    for (const double mu : model.report.spectrum->eigenvalues)
      EXPECT_NEAR(mu, 1, kRatio * 30 * kUnit);
    EXPECT_TRUE(test::has_warning(model.report.warnings, WarningCode::kernel_near_identity));
  }
}

}  // namespace closed_forms_test
}  // namespace mercer
