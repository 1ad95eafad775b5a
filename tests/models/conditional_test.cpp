// Kernels that are positive semidefinite only conditionally. Of order 1 (distances with a minus
// sign) centring is enough, and the result is classical scaling of k_ii + k_jj - 2 k_ij; of order 2
// (thin plate splines) affine functions of the rows are removed, for new rows too:
//   kc(x, y) = k(x, y) - t(x)'k_y - t(y)'k_x + t(x)'K t(y),   t(x) = Q R^-T (1, x).
#include "mercer/core/text.h"
#include "mercer/models/kind/kernel_pca.h"
#include "tests/support/dense.h"
#include "tests/support/errors.h"
#include "tests/support/random_points.h"

#include <Eigen/QR>
#include <gtest/gtest.h>

namespace mercer {
namespace conditional_test {

using test::kRatio;
using test::kUnit;

KernelPca fit(const Points& x, const std::string& kernel, Components components) {
  return KernelPca::fit(x, {.kernel = kernel, .components = components});
}

/// [1, X].
Block affine_functions(const Points& x) {
  Block functions(x.rows(), x.cols() + 1);
  functions << Vector::Ones(x.rows()), x;
  return functions;
}

/// Rows t(x): the weights on the training rows that reproduce every affine function at x.
Block affine_weights(const Points& training, const Points& x) {
  const Block functions = affine_functions(training);
  const Eigen::HouseholderQR<Block> qr(functions);
  const Index width = functions.cols();
  const Block q = qr.householderQ() * Block::Identity(training.rows(), width);
  const Block r = qr.matrixQR().topRows(width).triangularView<Eigen::Upper>();
  const Block s =
      r.transpose().triangularView<Eigen::Lower>().solve(affine_functions(x).transpose());
  return (q * s).transpose();
}

Points stacked(const Points& a, const Points& b) {
  Points both(a.rows() + b.rows(), a.cols());
  both << a, b;
  return both;
}

/// kc on training and new rows together, written out.
Block joint_matrix(const char* spec, const Points& training, const Points& fresh) {
  const Points all = stacked(training, fresh);
  Block e = Block::Identity(all.rows(), all.rows());
  e.leftCols(training.rows()) -= affine_weights(training, all);
  return e * test::dense_kernel(spec, all) * e.transpose();
}

TEST(Conditional, WithoutCentringTheyAreRefused) {
  const Points x = test::random_points({.n = 20, .dim = 2, .seed = 1}).cwiseAbs();
  for (const char* spec : {"power_distance", "log_distance", "multiquadric", "thin_plate_spline",
                           "shifted_thin_plate_spline", "additive_chi_squared",
                           "gaussian+power_distance", "linear:offset=-1"}) {
    const auto code = [&](bool center) {
      return test::code_of([&] { KernelPca::fit(x, {.kernel = spec, .center = center}); });
    };
    EXPECT_EQ(code(false), "M232") << spec;
    EXPECT_EQ(code(true), "no error") << spec;
  }
}

TEST(Conditional, OfOrderOneTheyAreClassicalScaling) {
  const Points x = test::random_points({.n = 30, .dim = 3, .seed = 2}).cwiseAbs();
  for (const char* spec :
       {"power_distance:exponent=1", "power_distance:exponent=0.5", "log_distance:exponent=2",
        "log_distance:exponent=0.7", "multiquadric:c=0.5", "additive_chi_squared"}) {
    const KernelPca model = fit(x, spec, Components::all());
    EXPECT_EQ(model.report.spectrum->negative_share, 0) << spec;
    EXPECT_FALSE(test::has_warning(model.report.warnings, WarningCode::negative_eigenvalues));
    const Block k = test::dense_kernel(spec, x), y = model.scores();
    const double rounding = kRatio * 30 * kUnit * test::max_abs(k);
    for (Index i = 0; i < 30; ++i)
      for (Index j = 0; j < 30; ++j)
        ASSERT_NEAR((y.row(i) - y.row(j)).squaredNorm(), k(i, i) + k(j, j) - 2 * k(i, j),
                    10 * rounding)
            << spec;
    // Every score is divided by the root of its eigenvalue.
    const double least = std::sqrt(model.report.spectrum->eigenvalues.minCoeff());
    EXPECT_LE(test::max_abs(model.transform(x, {}) - y), rounding / least) << spec;
  }
}

TEST(Conditional, TheSquaredDistanceIsTwiceTheLinearKernel) {
  const Points x = test::random_points({.n = 40, .dim = 4, .seed = 3}) *
                   Vector(Vector::LinSpaced(4, 4, 1)).asDiagonal();
  const Points fresh = test::random_points({.n = 9, .dim = 4, .seed = 4});
  const KernelPca squared = fit(x, "power_distance:exponent=2", 4), linear = fit(x, "linear", 4);
  const double mu = linear.report.spectrum->eigenvalues[0], unit = kRatio * 40 * kUnit;
  EXPECT_LE(
      test::max_abs(squared.report.spectrum->eigenvalues - 2 * linear.report.spectrum->eigenvalues),
      unit * 4 * mu);
  EXPECT_LE(test::difference_up_to_sign(squared.scores(), std::sqrt(2.0) * linear.scores()),
            10 * unit * std::sqrt(mu));
  EXPECT_LE(test::difference_up_to_sign(squared.transform(fresh, {}),
                                        std::sqrt(2.0) * linear.transform(fresh, {})),
            10 * unit * std::sqrt(mu));
}

TEST(Conditional, TheChiSquaredDistanceIsTwiceTheSimilarity) {
  const Points x = test::random_points({.n = 40, .dim = 5, .seed = 5}).cwiseAbs();
  const Points fresh = test::random_points({.n = 9, .dim = 5, .seed = 6}).cwiseAbs();
  const KernelPca distance = fit(x, "additive_chi_squared", 4);
  const KernelPca similarity = fit(x, "chi_squared_similarity", 4);
  const double unit = kRatio * 40 * kUnit * 10;
  EXPECT_LE(test::max_abs(distance.report.spectrum->eigenvalues -
                          2 * similarity.report.spectrum->eigenvalues),
            unit);
  EXPECT_LE(test::difference_up_to_sign(distance.scores(), std::sqrt(2.0) * similarity.scores()),
            10 * unit);
  EXPECT_LE(test::difference_up_to_sign(distance.transform(fresh, {}),
                                        std::sqrt(2.0) * similarity.transform(fresh, {})),
            10 * unit);
  EXPECT_EQ(test::code_of([&] { distance.transform(Points(-fresh), {}); }), "M222");
  EXPECT_EQ(test::code_of([&] { fit(-x, "chi_squared", 2); }), "M222");
}

struct Plate : testing::TestWithParam<Index> {
  Points x = 2 * test::random_points({.n = 60, .dim = GetParam(), .seed = 7}).array() + 1;
  Points fresh = 3 * test::random_points({.n = 11, .dim = GetParam(), .seed = 8});
  double largest = test::max_abs(test::dense_kernel("thin_plate_spline", stacked(x, fresh)));
  double rounding = kRatio * 60 * kUnit * largest;
};
INSTANTIATE_TEST_SUITE_P(Dimensions, Plate, testing::Values(1, 2, 3, 5));

TEST_P(Plate, IsDefiniteOnceAffineFunctionsAreRemoved) {
  for (const char* spec : {"thin_plate_spline", "shifted_thin_plate_spline:c=0.7"}) {
    const KernelPca model =
        KernelPca::fit(x, {.kernel = spec, .components = Components::all(), .indefinite = "error"});
    EXPECT_EQ(model.report.spectrum->negative_share, 0);
    EXPECT_LE(model.report.spectrum->eigenvalues.size(), 60 - GetParam() - 1);
    const Block joint = joint_matrix(spec, x, fresh);
    const Vector known = test::dense_eigen(joint.topLeftCorner(60, 60)).values;
    const Index k = model.report.spectrum->eigenvalues.size();
    EXPECT_LE(test::max_abs(model.report.spectrum->eigenvalues - known.head(k)), rounding) << spec;
    EXPECT_NEAR(model.report.spectrum->trace, known.sum(), 60 * rounding);
    // Scores are orthogonal to every affine function.
    EXPECT_LE(test::max_abs(affine_functions(x).transpose() * model.scores()), rounding);
  }
}

TEST_P(Plate, WithTheConstantAloneHasOneNegativeEigenvalueForEachColumn) {
  const KernelPca model = KernelPca::fit(x, {.kernel = "thin_plate_spline",
                                             .components = Components::all(),
                                             .indefinite = "krein",
                                             .nullspace = "constant"});
  EXPECT_EQ((model.signature().array() < 0).count(), GetParam());
  EXPECT_GT(model.report.spectrum->negative_share, 0.05);
  EXPECT_TRUE(test::has_warning(model.report.warnings, WarningCode::negative_eigenvalues));
}

TEST_P(Plate, TheUnitOfDistanceIsAFactorAndNothingElse) {
  const KernelPca one = fit(x, "thin_plate_spline:c=1", 5);
  for (const double c : {0.2, 2.5, 40.0}) {
    const KernelPca other = fit(x, "thin_plate_spline:c=" + exact(c), 5);
    const double size =
        test::max_abs(test::dense_kernel("thin_plate_spline:c=" + exact(c), x)) * c * c;
    const double unit = kRatio * 60 * kUnit * (size + largest);
    EXPECT_LE(test::max_abs(c * c * other.report.spectrum->eigenvalues -
                            one.report.spectrum->eigenvalues),
              unit)
        << c;
    const Vector& mu = one.report.spectrum->eigenvalues;
    const double gap = (mu.head(4) - mu.tail(4)).minCoeff();
    EXPECT_LE(
        test::difference_up_to_sign((c * other.scores()).leftCols(4), one.scores().leftCols(4)),
        unit / gap * std::sqrt(mu[0]))
        << c;
    EXPECT_LE(test::difference_up_to_sign((c * other.transform(fresh, {})).leftCols(4),
                                          one.transform(fresh, {}).leftCols(4)),
              unit / gap * std::sqrt(mu[0]))
        << c;
  }
  const Vector shifted = fit(x, "shifted_thin_plate_spline:c=2", 5).report.spectrum->eigenvalues;
  EXPECT_GT(test::max_abs(shifted - one.report.spectrum->eigenvalues),
            0.01 * one.report.spectrum->eigenvalues[0]);
}

TEST_P(Plate, NewRowsAreSeenByTheSameFunctions) {
  for (const char* spec : {"thin_plate_spline", "shifted_thin_plate_spline:c=0.7"}) {
    const KernelPca model = fit(x, spec, 5);
    const double least = std::sqrt(model.report.spectrum->eigenvalues.minCoeff());
    EXPECT_LE(test::max_abs(model.transform(x, {}) - model.scores()), rounding / least) << spec;
    // kc of old and new rows together is positive semidefinite, and scores are its projections.
    const Block joint = joint_matrix(spec, x, fresh);
    EXPECT_GE(test::dense_eigen(joint).values.minCoeff(), -10 * rounding) << spec;
    const Block expected = joint.bottomLeftCorner(11, 60) * model.coefficients();
    EXPECT_LE(test::max_abs(model.transform(fresh, {}) - expected), rounding / least) << spec;
    // What the components leave of a new row's square is not negative.
    const Vector squares = model.transform(fresh, {}).rowwise().squaredNorm();
    EXPECT_GE((joint.diagonal().tail(11) - squares).minCoeff(), -rounding / least) << spec;
    const KernelPca loaded = KernelPca::from(model.state());
    EXPECT_TRUE(loaded.transform(fresh, {}) == model.transform(fresh, {})) << spec;
    EXPECT_TRUE(loaded.scores() == model.scores()) << spec;
  }
}

TEST(PlateEdges, RowsOnAPlaneRemoveOneFunctionLess) {
  Points flat = test::random_points({.n = 40, .dim = 3, .seed = 9});
  flat.col(2) = 2 * flat.col(0) - flat.col(1) + Vector::Constant(40, 3);
  const KernelPca model = fit(flat, "thin_plate_spline", Components::all());
  EXPECT_EQ(model.report.spectrum->negative_share, 0);
  EXPECT_TRUE(model.transform(flat, {}).allFinite());
  const double rounding = kRatio * 40 * kUnit * test::max_abs(test::dense_kernel("tps", flat));
  const double least = std::sqrt(model.report.spectrum->eigenvalues.minCoeff());
  EXPECT_LE(test::max_abs(model.transform(flat, {}) - model.scores()), rounding / least);
  // The same points in coordinates of their plane.
  const Block basis =
      Eigen::ColPivHouseholderQR<Block>(test::centred_rows(flat).transpose()).householderQ() *
      Block::Identity(3, 2);
  const Points inside = test::centred_rows(flat) * basis;
  const KernelPca plane = fit(inside, "thin_plate_spline", 5);
  EXPECT_LE(test::max_abs(plane.report.spectrum->eigenvalues -
                          model.report.spectrum->eigenvalues.head(5)),
            10 * rounding);
}

TEST(PlateEdges, RowsThatAffineFunctionsExplainFullyAreTooFew) {
  for (const Index dim : {1, 2, 4}) {
    const auto code = [&](Index n, const char* nullspace) {
      const Points x = test::random_points({.n = n, .dim = dim, .seed = 10});
      return test::code_of([&] {
        KernelPca::fit(x, {.kernel = "thin_plate_spline", .components = 1, .nullspace = nullspace});
      });
    };
    EXPECT_EQ(code(dim + 1, "affine"), "M230") << dim;
    EXPECT_EQ(code(dim + 2, "affine"), "no error") << dim;
    EXPECT_EQ(code(dim + 2, "plane"), "M102") << dim;
  }
  const Points x = test::random_points({.n = 6, .dim = 2, .seed = 11});
  EXPECT_EQ(test::code_of([&] { fit(x, "thin_plate_spline", 4); }), "M233");
  EXPECT_EQ(test::code_of([&] { fit(x, "thin_plate_spline", 3); }), "no error");
}

TEST(PlateEdges, OffsetsAndScalesOfTheRowsDoNotMatter) {
  const Points x = test::coarse_points({.n = 40, .dim = 2, .seed = 12});
  const KernelPca here = fit(x, "thin_plate_spline", 4);
  const KernelPca there = fit(x.array() + 1e6, "thin_plate_spline", 4);  // exact
  EXPECT_LE(test::max_abs(there.scores() - here.scores()), 1e-10);
  EXPECT_LE(test::max_abs(there.transform(Points(x.array() + 1e6), {}) - here.scores()), 1e-10);
  for (const double scale : {1e-100, 1e100}) {  // with c scaled alike nothing changes
    const KernelPca other = fit(x * scale, "thin_plate_spline:c=" + exact(scale), 4);
    EXPECT_LE(test::max_abs(other.scores() - here.scores()), 1e-11) << scale;
    EXPECT_LE(test::max_abs(other.transform(Points(x * scale), {}) - here.scores()), 1e-10)
        << scale;
  }
}

TEST(PlatePolicies, EachIsThatOfTheMatrixWrittenOut) {
  const Points x = test::random_points({.n = 40, .dim = 2, .seed = 13});
  const Block k = test::dense_kernel("thin_plate_spline", x), centred = test::double_centred(k);
  const test::DenseEigen known = test::dense_eigen(centred);
  const double rounding = kRatio * 40 * kUnit * test::max_abs(k);
  const double negative = -known.values.cwiseMin(0).sum() / known.values.cwiseAbs().sum();
  const auto plate = [&](const char* policy) {
    return KernelPca::fit(x, {.kernel = "thin_plate_spline",
                              .components = 3,
                              .indefinite = policy,
                              .nullspace = "constant"});
  };
  const auto expect = [&](const char* policy, const Vector& values) {
    const KernelPca model = plate(policy);
    EXPECT_LE(test::max_abs(model.report.spectrum->eigenvalues - values), 2 * rounding) << policy;
    EXPECT_NEAR(model.report.spectrum->negative_share, negative, 40 * rounding) << policy;
  };
  expect("clip", known.values.head(3));
  expect("shift", known.values.head(3).array() - known.values[39]);
  Vector magnitudes = known.values.cwiseAbs();
  std::sort(magnitudes.data(), magnitudes.data() + 40, std::greater<>());
  expect("flip", magnitudes.head(3));
  expect("krein", magnitudes.head(3));
  EXPECT_EQ(plate("krein").signature()[0], -1);  // the affine directions dominate
  EXPECT_EQ(test::code_of([&] { plate("error"); }), "M242");
}

}  // namespace conditional_test
}  // namespace mercer
