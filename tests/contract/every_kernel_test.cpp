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
namespace every_kernel_test {

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
      "laplacian:length=0.25",
      "laplacian:gamma=0.001",
      "exponential:length=0.5",
      "exponential:gamma=0.001",
      "matern:nu=0.5,length=2",
      "matern:nu=1.5,length=0.25",
      "matern:nu=2.5,length=8",
      "rational_quadratic:alpha=0.5,length=0.5",
      "rational_quadratic:alpha=30,length=4",
      "inverse_multiquadric:c=0.125",
      "inverse_multiquadric:c=50",
      "multiquadric:c=0.125",
      "multiquadric:c=50",
      "chi_squared:gamma=0.125",
      "chi_squared:gamma=4",
      "power_distance:exponent=0.5",
      "power_distance:exponent=1.75",
      "power_distance:exponent=2",
      "log_distance:exponent=0.75",
      "log_distance:exponent=1",
      "thin_plate_spline:c=3",
      "thin_plate_spline:c=0.125",
      "shifted_thin_plate_spline:c=0.25",
      "shifted_thin_plate_spline:c=6",
      "gaussian:sigma=1+0.5*linear",
      "2*gaussian:sigma=0.5*polynomial:degree=2",
      "gaussian:sigma=0.3+gaussian:sigma=3+0.25*sigmoid:scale=0.125",
      "laplacian:length=2*exponential:length=1+cosine",
      "cosine*matern:nu=2.5,length=1+0.5*linear*cosine",
      "chi_squared:gamma=0.5*laplacian:length=3+0.25*chi_squared_similarity",
      "multiquadric:c=1+power_distance:exponent=1+2*gaussian:sigma=1",
      "thin_plate_spline:c=1+0.5*log_distance:exponent=2+rational_quadratic:alpha=2,length=1",
      "additive_chi_squared+inverse_multiquadric:c=1*linear",
  };
  const Points x = test::random_points({.n = 20, .dim = 3, .seed = 3});
  for (const FamilyInfo& family : kernel_families())
    specs.push_back(Kernel(family.name).resolve(x, {}).spec());
  return specs;
}

/// Normal data, of which chi-squared kernels see the magnitude.
Points data_for(const Kernel& kernel, test::RandomPoints wanted) {
  const Points x = test::random_points(wanted);
  return kernel.non_negative() ? Points(x.cwiseAbs()) : x;
}

class EveryKernel : public testing::TestWithParam<std::string> {
 protected:
  Kernel kernel{GetParam()};
};
INSTANTIATE_TEST_SUITE_P(Catalogue, EveryKernel, testing::ValuesIn(all_specs()));

enum class Distances { automatic, direct };

/// Worst |tile - formula| in units of the a priori bound, over a tile of awkward shape.
template <class T>
double worst_tile_ratio(const Kernel& kernel, const Points& x, const Points& y,
                        Distances distances) {
  const double unit = std::is_same_v<T, float> ? kUnitSingle : kUnit;
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
      const auto row = test::row_span(x, a), column = test::row_span(y, b);
      const test::TilePair pair(row, column, test::row_span(moved_x, a), test::row_span(moved_y, b),
                                unit, direct);
      const double expected = kernel(row, column);
      if (unit == kUnitSingle && std::abs(expected) > 1e30) continue;  // a fit refuses it
      const double ratio = std::abs(got - expected) / test::entry_bound(kernel, pair).error;
      EXPECT_FALSE(std::isnan(ratio)) << got;
      worst = std::max(worst, ratio);
    }
  return worst;
}

TEST_P(EveryKernel, TilesEqualTheScalarFormulaWithinTheAPrioriError) {
  double worst = 0;
  for (const Index dim : {1, 2, 3, 8, 17, 100}) {
    const Points x = data_for(kernel, {.n = 23, .dim = dim, .seed = 11});
    const Points y = data_for(kernel, {.n = 71, .dim = dim, .seed = 12});
    for (const Distances distances : {Distances::automatic, Distances::direct}) {
      const double in_double = worst_tile_ratio<double>(kernel, x, y, distances);
      const double in_single = worst_tile_ratio<float>(kernel, x, y, distances);
      EXPECT_LE(in_double, 1) << "dim " << dim;
      EXPECT_LE(in_single, 1) << "dim " << dim;
      worst = std::max({worst, in_double, in_single});
    }
  }
  RecordProperty("worst_ratio", std::to_string(worst));
}

TEST_P(EveryKernel, TilesOfCopiesOfRowsOnALineFarAwayAndTinyKeepTheBound) {
  const Points base = data_for(kernel, {.n = 71, .dim = 3, .seed = 13});
  const Points line = base.col(0) * Eigen::RowVector3d(1, 2, 0.5);
  Points copies = base;
  for (Index i = 0; i < 71; i += 2) copies.row(i) = copies.row(i / 2);
  copies.row(5).setZero();
  copies.row(6) = -copies.row(5);  // minus zero
  const Points far = base.array() + 1e6, tiny = base * 1e-15;
  double worst = 0;
  for (const Points* y : std::vector<const Points*>{&line, &copies, &far, &tiny}) {
    const Points x = y->topRows(23);
    const double in_double = worst_tile_ratio<double>(kernel, x, *y, Distances::automatic);
    const double in_single = worst_tile_ratio<float>(kernel, x, *y, Distances::automatic);
    EXPECT_LE(in_double, 1);
    EXPECT_LE(in_single, 1);
    worst = std::max({worst, in_double, in_single});
  }
  const Points least = base * 1e-140;  // its squares are no floats
  const double at_least =
      worst_tile_ratio<double>(kernel, least.topRows(23), least, Distances::automatic);
  EXPECT_LE(at_least, 1);
  RecordProperty("worst_ratio", std::to_string(std::max(worst, at_least)));
}

TEST_P(EveryKernel, IsSymmetricToTheLastBit) {
  const Points x = data_for(kernel, {.n = 40, .dim = 7, .seed = 21});
  const Block k = test::dense_kernel(kernel, x);
  EXPECT_TRUE(k == k.transpose());
}

TEST_P(EveryKernel, ItsSpecificationReadsBackAsTheSameKernel) {
  const Kernel again(kernel.spec());
  EXPECT_EQ(again.spec(), kernel.spec());
  const Points x = data_for(kernel, {.n = 12, .dim = 4, .seed = 22});
  EXPECT_TRUE(test::dense_kernel(again, x) == test::dense_kernel(kernel, x));
}

/// I - QQ' for the affine functions of the rows, applied from both sides.
Block without_affine(const Block& k, const Points& x) {
  Block functions(x.rows(), x.cols() + 1);
  functions << Vector::Ones(x.rows()), x;
  const Block q = test::orthonormal(functions);
  const Block half = k - q * (q.transpose() * k);
  return half - half * q * q.transpose();
}

TEST_P(EveryKernel, MatricesArePositiveSemidefiniteWhereItIsClaimed) {
  if (kernel.definite() == Definite::no) return;  // nothing is claimed
  double worst = 0;
  for (const Index dim : {1, 2, 5}) {
    const Points x = data_for(kernel, {.n = 200, .dim = dim, .seed = 23});
    const Context context;
    const GramProblem problem{x, kernel, kernel.definite() != Definite::always};
    const auto gram = operator_recipe("dense_gram").build(problem, context);
    Block k(200, 200);
    gram->form(k, context);
    EXPECT_TRUE(k == k.transpose());
    const double size = k.norm();
    if (kernel.definite() == Definite::centred) center_in_place(k, context);
    if (kernel.definite() == Definite::affine) k = without_affine(k, x);
    const double least = test::dense_eigen(k).values.minCoeff();
    EXPECT_GE(least, -30 * 200 * kUnit * size) << "dim " << dim;
    worst = std::max(worst, -least / (200 * kUnit * size));
  }
  RecordProperty("worst_ratio", std::to_string(worst));
}

TEST_P(EveryKernel, TheDiagonalComesFromTheFormula) {
  const Points x = 3 * data_for(kernel, {.n = 30, .dim = 5, .seed = 24});
  const Frame frame = make_frame(kernel, x, false, {});
  const TileKernel<double> tiles(kernel, frame);
  const Vector diagonal = tiles.diagonal(TilePoints<double>(kernel, frame, x, {}));
  for (Index i = 0; i < x.rows(); ++i) {
    const auto row = test::row_span(x, i);
    const double tolerance = test::entry_bound(kernel, {row, row, kUnit, true}).error;
    EXPECT_NEAR(diagonal[i], kernel(row, row), tolerance);
  }
}

TEST_P(EveryKernel, TurningTheDataChangesNothingUnlessCoordinatesAreSummed) {
  if (kernel.uses(Form::differences) || kernel.uses(Form::sums)) return;
  const Points x = test::random_points({.n = 25, .dim = 4, .seed = 25});
  const Block turn = test::random_orthonormal(4, 4, 26);
  const Points turned = x * turn;
  for (Index i = 0; i < 25; ++i)
    for (Index j = 0; j < 25; ++j) {
      // Turning a row moves it by (d + 2) u of its length at most: ten times the bound is ample.
      // Equal rows stay equal.
      const auto row = test::row_span(x, i), column = test::row_span(x, j);
      EXPECT_NEAR(kernel(test::row_span(turned, i), test::row_span(turned, j)), kernel(row, column),
                  10 * test::entry_bound(kernel, {row, column, kUnit, false}).error);
    }
}

TEST(KernelFamilies, IsFoundByItsAliasAndShowsItsParameters) {
  for (const FamilyInfo& family : kernel_families()) {
    EXPECT_EQ(family.formula.find('{'), std::string::npos) << family.formula;
    EXPECT_FALSE(family.summary.empty());
    // A kernel without parameters says nothing of them, others name the first.
    const std::string spec = Kernel(family.name).spec();
    EXPECT_EQ(family.parameters.empty(), spec.find(':') == std::string::npos) << spec;
    if (family.alias.empty()) continue;
    EXPECT_EQ(Kernel(family.alias).spec(), Kernel(family.name).spec());
  }
  EXPECT_GE(kernel_families().size(), 18U);
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
  same("exponential:length=0.5", "laplacedot:sigma=2");  // kernlab's is Euclidean
  same("exponential:length=1", "laplacedot");
  same("laplacian:gamma=4", "laplacian:length=0.25");  // scikit-learn's sums coordinates
  same("thin_plate_spline", "tps:c=1");
}

}  // namespace every_kernel_test
}  // namespace mercer
