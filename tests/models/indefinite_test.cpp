// Kernels that are not positive semidefinite: each policy against the eigenpairs of the matrix
// written out. tanh(5 x.y + 0.5) on positive data, most of whose spectrum is negative. And what the
// reports warn of.
#include "mercer/models/kind/kernel_pca.h"
#include "tests/support/dense.h"
#include "tests/support/errors.h"
#include "tests/support/random_points.h"

#include <gtest/gtest.h>

#include <numeric>

namespace mercer {
namespace indefinite_test {

using test::kRatio;
using test::kUnit;

constexpr Index kRows = 40;
const char* const kSpec = "sigmoid:scale=5,offset=0.5";

struct Indefinite : testing::Test {
  Points x = test::random_points({.n = kRows, .dim = 3, .seed = 1}).cwiseAbs() * 0.5;
  Block k = test::dense_kernel(kSpec, x), centred = test::double_centred(k);
  test::DenseEigen known = test::dense_eigen(centred);
  double total = known.values.cwiseAbs().sum();
  double rounding = kRatio * kRows * kUnit * test::max_abs(k);

  KernelPca fit(const char* policy, Components components = 4, bool center = true) const {
    return KernelPca::fit(
        x, {.kernel = kSpec, .components = components, .center = center, .indefinite = policy});
  }
  /// Positions into the known spectrum by falling magnitude.
  std::vector<Index> by_magnitude() const {
    std::vector<Index> order(kRows);
    std::iota(order.begin(), order.end(), Index{0});
    std::stable_sort(order.begin(), order.end(), [&](Index a, Index b) {
      return std::abs(known.values[a]) > std::abs(known.values[b]);
    });
    return order;
  }
  /// |mu|^1/2 u for the four of largest magnitude.
  Block scores_by_magnitude() const {
    Block y(kRows, 4);
    for (Index j = 0; j < 4; ++j) {
      const Index p = by_magnitude()[static_cast<std::size_t>(j)];
      y.col(j) = std::sqrt(std::abs(known.values[p])) * known.vectors.col(p);
    }
    return y;
  }
};

TEST_F(Indefinite, TheDataAreIndefiniteIndeed) {
  EXPECT_LT(known.values[kRows - 1], -0.05 * known.values[0]);
  EXPECT_GT(known.values[4], 10 * rounding);
}

TEST_F(Indefinite, ClipKeepsTheLargestByValueAndReportsTheNegativeMass) {
  const KernelPca model = fit("clip");
  EXPECT_LE(test::max_abs(model.report.spectrum->eigenvalues - known.values.head(4)), rounding);
  const double negative = -known.values.cwiseMin(0).sum() / total;
  EXPECT_NEAR(model.report.spectrum->negative_share, negative, kRows * rounding);
  EXPECT_LE(test::max_abs(model.report.spectrum->ratios - known.values.head(4) / total),
            kRows * rounding);
  EXPECT_TRUE(test::has_warning(model.report.warnings, WarningCode::negative_eigenvalues));
  const double loss = rounding / std::sqrt(known.values[3]) * 10;
  EXPECT_LE(test::max_abs(model.transform(x, {}) - model.scores()), loss);
}

TEST_F(Indefinite, ClipOfAllKeepsThePositiveOnes) {
  const KernelPca model = fit("clip", Components::all());
  const Index positive =
      (known.values.array() > 10 * kRows * kUnit * test::max_abs(known.values)).count();
  EXPECT_EQ(model.report.spectrum->eigenvalues.size(), positive);
  EXPECT_GT(model.report.spectrum->eigenvalues.minCoeff(), 0);
}

TEST_F(Indefinite, AShareIsOfTheSumOfMagnitudes) {
  const KernelPca model = fit("clip", Components::share(0.2));
  const Index count = model.report.spectrum->eigenvalues.size();
  EXPECT_GE(known.values.head(count).sum(), 0.2 * total);
  EXPECT_LT(known.values.head(count - 1).sum(), 0.2 * total);
}

TEST_F(Indefinite, FlipOrdersByMagnitudeAndTransformsConsistently) {
  const KernelPca model = fit("flip");
  Vector expected(4);
  for (Index j = 0; j < 4; ++j)
    expected[j] = std::abs(known.values[by_magnitude()[static_cast<std::size_t>(j)]]);
  EXPECT_LE(test::max_abs(model.report.spectrum->eigenvalues - expected), rounding);
  const double loss = 100 * rounding / std::sqrt(expected[3]);
  EXPECT_LE(test::difference_up_to_sign(model.scores(), scores_by_magnitude()), loss);
  EXPECT_LE(test::max_abs(model.transform(x, {}) - model.scores()), loss);
  EXPECT_EQ(model.signature().size(), 0);
}

TEST_F(Indefinite, FlipOfAllIsTheSquareRootOfTheSquaredMatrix) {
  const KernelPca model = fit("flip", Components::all());
  const Block magnitude =
      known.vectors * known.values.cwiseAbs().asDiagonal() * known.vectors.transpose();
  EXPECT_LE(test::max_abs(model.scores() * model.scores().transpose() - magnitude),
            10 * rounding * kRows);
}

TEST_F(Indefinite, KreinKeepsTheSignsAndReproducesTheDistances) {
  const KernelPca model = fit("krein", Components::all());
  const Block y = model.scores();
  const Vector& sign = model.signature();
  ASSERT_EQ(sign.size(), y.cols());
  EXPECT_EQ(sign.minCoeff(), -1);
  EXPECT_EQ(sign.maxCoeff(), 1);
  for (Index i = 0; i < kRows; ++i)
    for (Index j = 0; j < kRows; ++j) {
      const double distance = ((y.row(i) - y.row(j)).cwiseAbs2() * sign)[0];
      EXPECT_NEAR(distance, k(i, i) + k(j, j) - 2 * k(i, j), 10 * kRows * rounding);
    }
  const Block four = fit("krein").scores();
  EXPECT_LE(test::difference_up_to_sign(four, scores_by_magnitude()), 100 * rounding);
}

TEST_F(Indefinite, KreinSignsSurviveTheState) {
  const KernelPca model = fit("krein");
  EXPECT_TRUE(KernelPca::from(model.state()).signature() == model.signature());
}

TEST_F(Indefinite, ShiftRaisesEveryEigenvalueByTheSmallest) {
  const KernelPca model = fit("shift");
  const double shift = -known.values[kRows - 1];
  const Vector expected = known.values.head(4).array() + shift;
  EXPECT_LE(test::max_abs(model.report.spectrum->eigenvalues - expected), 2 * rounding);
  EXPECT_NEAR(model.report.spectrum->trace, centred.trace() + shift * (kRows - 1),
              kRows * rounding);
  EXPECT_LE(test::max_abs(model.report.spectrum->ratios - expected / model.report.spectrum->trace),
            kRows * rounding);
  // A new row has nothing added to its kernel values: mu / (mu + shift) of a training row's score.
  const Vector share = known.values.head(4).cwiseQuotient(expected);
  EXPECT_LE(test::max_abs(model.transform(x, {}) - model.scores() * share.asDiagonal()),
            100 * rounding);
}

TEST_F(Indefinite, ShiftWithoutCentringRaisesAllRows) {
  const KernelPca model = fit("shift", 3, false);
  const Vector values = test::dense_eigen(k).values;
  const double shift = -values[kRows - 1];
  EXPECT_LE(
      test::max_abs(model.report.spectrum->eigenvalues - Vector(values.head(3).array() + shift)),
      2 * rounding);
  EXPECT_NEAR(model.report.spectrum->trace, k.trace() + shift * kRows, kRows * rounding);
}

TEST_F(Indefinite, ErrorRefusesWhatIsIndefiniteAndNothingElse) {
  EXPECT_EQ(test::code_of([&] { fit("error"); }), "M242");
  const auto definite = [&](const char* spec) {
    return test::code_of([&] { KernelPca::fit(x, {.kernel = spec, .indefinite = "error"}); });
  };
  EXPECT_EQ(definite("gaussian"), "no error");
  EXPECT_EQ(definite("linear"), "no error");
  EXPECT_EQ(definite("polynomial:degree=2"), "no error");
  EXPECT_EQ(test::code_of([&] { fit("clap"); }), "M102");
}

TEST_F(Indefinite, DefiniteKernelsAreTheSameUnderEveryPolicy) {
  const auto model = [&](const char* policy) {
    return KernelPca::fit(x,
                          {.kernel = "gaussian:sigma=0.5", .components = 4, .indefinite = policy});
  };
  const KernelPca reference = model("clip");
  EXPECT_EQ(reference.report.spectrum->negative_share, 0);
  for (const char* policy : {"flip", "shift", "krein", "error"})
    EXPECT_TRUE(model(policy).scores() == reference.scores()) << policy;
}

TEST_F(Indefinite, ANegativeDefiniteKernelHasNothingToShow) {
  const auto call = [&] { KernelPca::fit(x, {.kernel = "-1*gaussian:sigma=0.5"}); };
  EXPECT_EQ(test::code_of(call), "M244");
  const KernelPca flipped =
      KernelPca::fit(x, {.kernel = "-1*gaussian:sigma=0.5", .indefinite = "flip"});
  const KernelPca plain = KernelPca::fit(x, {.kernel = "gaussian:sigma=0.5"});
  EXPECT_LE(test::difference_up_to_sign(flipped.scores(), plain.scores()), 100 * rounding);
}

Warnings warnings_of(const Points& x, const char* spec, Components components) {
  return KernelPca::fit(x, {.kernel = spec, .components = components}).report.warnings;
}

TEST(FitWarnings, FewerSignificantComponentsThanAskedFor) {
  const Points x = test::random_points({.n = 30, .dim = 2, .seed = 2});
  // Five monomials of degree 1 and 2 in two variables vary.
  const KernelPca model = KernelPca::fit(x, {.kernel = "polynomial:degree=2", .components = 8});
  EXPECT_EQ(model.report.spectrum->eigenvalues.size(), 5);
  EXPECT_TRUE(test::has_warning(model.report.warnings, WarningCode::rank_lower));
  EXPECT_FALSE(
      test::has_warning(warnings_of(x, "polynomial:degree=2", 5), WarningCode::rank_lower));
  EXPECT_FALSE(test::has_warning(warnings_of(x, "polynomial:degree=2", Components::all()),
                                 WarningCode::rank_lower));
}

TEST(FitWarnings, WidthsThatShowNothing) {
  const Points x = test::random_points({.n = 30, .dim = 2, .seed = 3});
  EXPECT_TRUE(test::has_warning(warnings_of(x, "gaussian:sigma=1e-6", 2),
                                WarningCode::kernel_near_identity));
  EXPECT_TRUE(test::has_warning(warnings_of(x, "gaussian:sigma=1e6", 2),
                                WarningCode::kernel_near_constant));
  for (const WarningCode code :
       {WarningCode::kernel_near_identity, WarningCode::kernel_near_constant,
        WarningCode::negative_eigenvalues, WarningCode::split_cluster})
    EXPECT_FALSE(test::has_warning(warnings_of(x, "gaussian", 2), code));
}

}  // namespace indefinite_test
}  // namespace mercer
