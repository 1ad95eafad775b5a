// What every kernel family must satisfy, found through the catalogue: a new family is tested by
// existing. The oracle is the scalar formula, itself checked against long double.
// Offsets and weights are chosen to be exact in float, so that the bound need not carry them.
#include "mercer/core/text.h"
#include "mercer/kernels/tile.h"
#include "mercer/operators/centered.h"
#include "mercer/operators/recipe.h"
#include "tests/support/dense.h"
#include "tests/support/entry_bound.h"
#include "tests/support/random_points.h"

#include <gtest/gtest.h>

#include <type_traits>

namespace mercer {
namespace {

using test::kUnit;
using test::kUnitSingle;

/// Every family with its defaults and with chosen parameters, and sums and products of them.
std::vector<std::string> all_specs() {
  std::vector<std::string> specs = {
      "linear:offset=2",
      "polynomial:degree=1,scale=2,offset=0",
      "polynomial:degree=2,scale=0.5,offset=0",
      "polynomial:degree=5,scale=0.125,offset=0.25",
      "gaussian:sigma=0.3",
      "gaussian:gamma=3",
      "gaussian:sigma=1000",
      "sigmoid:scale=0.25,offset=-0.125",
      "gaussian:sigma=1+0.5*linear",
      "2*gaussian:sigma=0.5*polynomial:degree=2",
      "gaussian:sigma=0.3+gaussian:sigma=3+0.25*sigmoid:scale=0.125",
  };
  const Points x = test::random_points({.n = 20, .dim = 3, .seed = 3});
  for (const FamilyInfo& family : kernel_families())
    specs.push_back(Kernel(family.name).resolve(x, {}).spec());
  return specs;
}

class EveryKernel : public testing::TestWithParam<std::string> {
 protected:
  Kernel kernel{GetParam()};
};
INSTANTIATE_TEST_SUITE_P(Catalogue, EveryKernel, testing::ValuesIn(all_specs()));

enum class Distances { automatic, direct };

/// Worst |tile - formula| in units of the a priori bound, over a tile of awkward shape.
template <class T>
double worst_tile_ratio(const Kernel& kernel, Index dim, Distances distances) {
  const double unit = std::is_same_v<T, float> ? kUnitSingle : kUnit;
  const Points x = test::random_points({.n = 23, .dim = dim, .seed = 11});
  const Points y = test::random_points({.n = 71, .dim = dim, .seed = 12});
  Frame frame = make_frame(kernel, y, false, {});
  if (distances == Distances::direct) frame.direct_double = frame.direct_single = true;
  const bool direct = unit == kUnit ? frame.direct_double : frame.direct_single;
  const TilePoints<T> rows(kernel, frame, x, {}), cols(kernel, frame, y, {});
  typename TileKernel<T>::Scratch scratch;
  const Range part{3, 20}, across{2, 71};
  const Index ld = 80;  // wider than the tile: the rest must stay untouched
  std::vector<T> out(static_cast<std::size_t>(part.size() * ld), T(-77));
  TileKernel<T>(kernel, frame).fill(rows, part, cols, across, out.data(), ld, scratch);

  const Eigen::RowVectorXd centre = frame.centre.transpose() / frame.scale;
  const Points moved_x = x.rowwise() - centre, moved_y = y.rowwise() - centre;
  double worst = 0;
  for (Index i = 0; i < part.size(); ++i)
    for (Index j = 0; j < ld; ++j) {
      const double got = out[static_cast<std::size_t>(i * ld + j)];
      if (j >= across.size()) {
        EXPECT_EQ(got, -77);
        continue;
      }
      const Index a = part.begin + i, b = across.begin + j;
      const auto radial =
          test::pair_errors(test::row_span(moved_x, a), test::row_span(moved_y, b), unit, direct);
      const auto dot = test::pair_errors(test::row_span(x, a), test::row_span(y, b), unit, direct);
      const double error = std::abs(got - kernel(test::row_span(x, a), test::row_span(y, b)));
      worst = std::max(worst, error / test::entry_bound(kernel, radial, dot, unit).error);
    }
  return worst;
}

TEST_P(EveryKernel, TilesEqualTheScalarFormulaWithinTheAPrioriError) {
  double worst = 0;
  for (const Index dim : {1, 2, 3, 8, 17, 100}) {
    for (const Distances distances : {Distances::automatic, Distances::direct}) {
      const double in_double = worst_tile_ratio<double>(kernel, dim, distances);
      const double in_single = worst_tile_ratio<float>(kernel, dim, distances);
      EXPECT_LE(in_double, 1) << "dim " << dim;
      EXPECT_LE(in_single, 1) << "dim " << dim;
      worst = std::max({worst, in_double, in_single});
    }
  }
  RecordProperty("worst_ratio", std::to_string(worst));
}

TEST_P(EveryKernel, IsSymmetricToTheLastBit) {
  const Points x = test::random_points({.n = 40, .dim = 7, .seed = 21});
  const Block k = test::dense_kernel(kernel, x);
  EXPECT_TRUE(k == k.transpose());
}

TEST_P(EveryKernel, ItsSpecificationReadsBackAsTheSameKernel) {
  const Kernel again(kernel.spec());
  EXPECT_EQ(again.spec(), kernel.spec());
  const Points x = test::random_points({.n = 12, .dim = 4, .seed = 22});
  EXPECT_TRUE(test::dense_kernel(again, x) == test::dense_kernel(kernel, x));
}

TEST_P(EveryKernel, MatricesArePositiveSemidefiniteWhereItIsClaimed) {
  if (kernel.definite() == Definite::no) return;  // nothing is claimed
  const Points x = test::random_points({.n = 200, .dim = 3, .seed = 23});
  const Context context;
  const GramProblem problem{x, kernel, false};
  const auto gram = operator_recipe("dense_gram").build(problem, context);
  Block k(200, 200);
  gram->form(k);
  EXPECT_TRUE(k == k.transpose());
  if (kernel.definite() == Definite::centred) center_in_place(k, context);
  const Vector values = test::dense_eigen(k).values;
  EXPECT_GE(values[199], -30 * 200 * kUnit * values[0]);
}

TEST_P(EveryKernel, TheDiagonalComesFromTheFormula) {
  const Points x = 3 * test::random_points({.n = 30, .dim = 5, .seed = 24});
  const Frame frame = make_frame(kernel, x, false, {});
  const TileKernel<double> tiles(kernel, frame);
  const Vector diagonal = tiles.diagonal(TilePoints<double>(kernel, frame, x, {}));
  for (Index i = 0; i < x.rows(); ++i) {
    const auto row = test::row_span(x, i);
    const auto self = test::pair_errors(row, row, kUnit, true);
    const double tolerance = test::entry_bound(kernel, self, self, kUnit).error;
    EXPECT_NEAR(diagonal[i], kernel(row, row), tolerance);
  }
}

TEST_P(EveryKernel, TurningTheDataChangesNothing) {
  const Points x = test::random_points({.n = 25, .dim = 4, .seed = 25});
  const Block turn = test::random_orthonormal(4, 4, 26);
  const Points turned = x * turn;
  for (Index i = 0; i < 25; ++i)
    for (Index j = 0; j < 25; ++j) {
      const auto pair = test::pair_errors(test::row_span(x, i), test::row_span(x, j), kUnit, false);
      // Turning a row moves it by (d + 2) u of its length at most: ten times the bound is ample.
      EXPECT_NEAR(kernel(test::row_span(turned, i), test::row_span(turned, j)),
                  kernel(test::row_span(x, i), test::row_span(x, j)),
                  10 * test::entry_bound(kernel, pair, pair, kUnit).error);
    }
}

TEST(KernelFamilies, IsFoundByItsAliasAndShowsItsParameters) {
  for (const FamilyInfo& family : kernel_families()) {
    EXPECT_EQ(family.formula.find('{'), std::string::npos) << family.formula;
    EXPECT_FALSE(family.summary.empty());
    EXPECT_FALSE(family.parameters.empty());
    if (family.alias.empty()) continue;
    EXPECT_EQ(Kernel(family.alias).spec(), Kernel(family.name).spec());
  }
  EXPECT_GE(kernel_families().size(), 4U);
}

TEST(ScalarKernel, EqualsLongDoubleOnTenThousandPairs) {
  const Points x = test::random_points({.n = 100, .dim = 6, .seed = 31});
  const Kernel gaussian("gaussian:sigma=1.5"), cubic("polynomial:degree=3,scale=0.5,offset=0.25"),
      sigmoid("sigmoid:scale=0.5,offset=0.25"), linear("linear:offset=0.5");
  const auto check = [&](const Kernel& kernel, std::span<const double> a, std::span<const double> b,
                         long double expected) {
    const auto pair = test::pair_errors(a, b, kUnit, true);
    const double tolerance = test::entry_bound(kernel, pair, pair, kUnit).error;
    ASSERT_LE(std::abs(static_cast<double>(kernel(a, b) - expected)), tolerance);
  };
  for (Index i = 0; i < 100; ++i)
    for (Index j = 0; j < 100; ++j) {
      const auto a = test::row_span(x, i), b = test::row_span(x, j);
      long double dot = 0, squared = 0;
      for (std::size_t k = 0; k < a.size(); ++k) {
        const long double p = a[k], q = b[k];
        dot += p * q;
        squared += (p - q) * (p - q);
      }
      check(gaussian, a, b, std::exp(-squared / (2 * 1.5L * 1.5L)));
      check(cubic, a, b, std::pow(dot / 2 + 0.25L, 3));
      check(sigmoid, a, b, std::tanh(dot / 2 + 0.25L));
      check(linear, a, b, dot + 0.5L);
    }
}

TEST(KernelConventions, WidthAndGammaOfTheGaussianAreOneParameter) {
  EXPECT_EQ(Kernel("gaussian:gamma=0.125").spec(), "gaussian:sigma=2");
  const Points x = test::random_points({.n = 15, .dim = 3, .seed = 41});
  for (const double gamma : {1e-14, 0.1, 0.3, 7.0, 1e9}) {
    const Kernel by_gamma("gaussian:gamma=" + exact(gamma));
    const Kernel by_sigma("gaussian:sigma=" + exact(std::sqrt(0.5 / gamma)));
    EXPECT_EQ(by_gamma.spec(), by_sigma.spec());
    EXPECT_TRUE(test::dense_kernel(by_gamma, x) == test::dense_kernel(by_sigma, x));
    // Two roundings on the way to sigma, where relative errors halve, and two on the way back.
    EXPECT_NEAR(by_gamma.describe()["gamma"].as_number(), gamma, 8 * kUnit * gamma);
  }
}

TEST(KernelConventions, ScikitLearnAndKernlabSpellingsAreUnderstood) {
  const auto same = [](const char* ours, const char* theirs) {
    EXPECT_EQ(Kernel(ours).spec(), Kernel(theirs).spec());
  };
  same("polynomial:degree=4,scale=0.2,offset=3", "poly:degree=4,gamma=0.2,coef0=3");
  same("sigmoid:scale=0.2,offset=3", "tanh:gamma=0.2,coef0=3");
  same("gaussian:gamma=0.3", "rbf:gamma=0.3");
  same("gaussian:gamma=0.3", "rbfdot:sigma=0.3");  // kernlab's sigma multiplies |x - y|^2
  same("gaussian:gamma=1", "rbfdot");
  same("polynomial:degree=1,scale=1,offset=1", "polydot");
  same("polynomial:degree=3,scale=2,offset=0", "polydot:degree=3,scale=2,offset=0");
  same("sigmoid:scale=1,offset=1", "tanhdot");
  same("linear", "vanilladot");
}

/// Tiles of a Gaussian between points of every kind: equal, close, far, and beyond all squares.
template <class T>
void expect_gaussian_within_limits(const char* spec) {
  Points x = test::random_points({.n = 64, .dim = 5, .seed = 51});
  x.row(1) = x.row(0);
  x.row(2) = x.row(0) * (1 + 1e-15);
  const Kernel kernel(spec);
  for (const bool direct : {false, true}) {
    Frame frame = make_frame(kernel, x, false, {});
    frame.direct_double = frame.direct_single = direct;
    Points fresh = x;
    fresh.row(3) *= 1e30;
    fresh.row(4) *= 1e300;
    fresh.row(5).setConstant(-1e308);
    const TilePoints<T> known(kernel, frame, x, {}), rows(kernel, frame, fresh, {});
    typename TileKernel<T>::Scratch scratch;
    std::vector<T> out(64 * 64);
    TileKernel<T>(kernel, frame).fill(rows, {0, 64}, known, {0, 64}, out.data(), 64, scratch);
    for (const T value : out) EXPECT_TRUE(value >= 0 && value <= 1) << value;
    for (const std::size_t far : {3U, 4U, 5U})
      for (std::size_t j = 0; j < 64; ++j) EXPECT_EQ(out[far * 64 + j], 0);
    EXPECT_EQ(TileKernel<T>(kernel, frame).diagonal(known), Vector::Ones(64));
  }
}

TEST(GaussianKernel, IsNeverAboveOneNorBelowZeroAndExactlyOneOnTheDiagonal) {
  for (const char* spec : {"gaussian:sigma=1e-3", "gaussian:sigma=1", "gaussian:sigma=40"}) {
    expect_gaussian_within_limits<float>(spec);
    expect_gaussian_within_limits<double>(spec);
  }
}

TEST(GaussianKernel, ATileFarFromTheOriginIsAsGoodAsOneAtTheOrigin) {
  const Kernel kernel("gaussian:sigma=1.5");
  const Points x = test::coarse_points({.n = 50, .dim = 3, .seed = 52});
  const Points far = x.array() + 1e8;  // exact
  const Frame frame = make_frame(kernel, far, true, {});
  const TilePoints<double> points(kernel, frame, far, {});
  TileKernel<double>::Scratch scratch;
  Points k(50, 50);
  TileKernel<double>(kernel, frame).fill(points, {0, 50}, points, {0, 50}, k.data(), 50, scratch);
  for (Index i = 0; i < 50; ++i)
    for (Index j = 0; j < 50; ++j) {
      // The frame's centre is the rounded mean: rows are as long as before, to 1e-8.
      const auto pair = test::pair_errors(test::row_span(x, i), test::row_span(x, j), kUnit, false);
      const double bound = test::entry_bound(kernel, pair, pair, kUnit).error;
      EXPECT_NEAR(k(i, j), kernel(test::row_span(x, i), test::row_span(x, j)), 2 * bound);
    }
}

TEST(GaussianKernel, LessOneIsExactForAWidthFarAboveTheSpread) {
  const Kernel kernel("gaussian:gamma=1e-14");
  const Points x = test::random_points({.n = 40, .dim = 4, .seed = 53});
  const Frame frame = make_frame(kernel, x, true, {});
  ASSERT_TRUE(frame.minus_one);
  const TilePoints<double> points(kernel, frame, x, {});
  TileKernel<double>::Scratch scratch;
  Points k(40, 40);
  TileKernel<double>(kernel, frame).fill(points, {0, 40}, points, {0, 40}, k.data(), 40, scratch);
  for (Index i = 0; i < 40; ++i)
    for (Index j = 0; j < 40; ++j) {
      const auto pair = test::pair_errors(test::row_span(x, i), test::row_span(x, j), kUnit, false);
      EXPECT_NEAR(k(i, j), std::expm1(-1e-14 * pair.terms.squared), 2e-14 * pair.squared);
    }
  EXPECT_EQ(TileKernel<double>(kernel, frame).diagonal(points), Vector::Zero(40));
}

}  // namespace
}  // namespace mercer
