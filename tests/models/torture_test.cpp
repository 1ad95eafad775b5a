// Numerical torture: data at which kernel PCA usually breaks. Eigenvalues are compared with 113-bit
// arithmetic on the same rounded input; larger cases with invariants.
#include "mercer/core/text.h"
#include "mercer/models/kind/kernel_pca.h"
#include "mercer/models/kind/pca.h"
#include "mercer/operators/centered.h"
#include "mercer/operators/recipe.h"
#include "tests/oracle/quad_reference.h"
#include "tests/support/dense.h"
#include "tests/support/errors.h"
#include "tests/support/fitted.h"
#include "tests/support/random_points.h"

#include <gtest/gtest.h>

namespace mercer {
namespace torture_test {

using test::kRatio;
using test::kUnit;

KernelPca fit(const Points& x, const std::string& kernel, Components components) {
  return KernelPca::fit(x, {.kernel = kernel, .components = components});
}

double relative_error(const Vector& got, const Vector& known) {
  return test::max_abs((got - known).cwiseQuotient(known));
}

/// r1 to r5 of a fit, against the matrix its own operator forms.
void expect_ratios(const Points& x, const KernelPca& model) {
  const Context context;
  const auto n = static_cast<double>(x.rows());
  const GramProblem problem{x, model.kernel(), true};
  const auto gram = operator_recipe("dense_gram").build(problem, context);
  Block formed(x.rows(), x.rows());
  Centered(*gram).form(formed, context);
  const Vector& mu = model.report.spectrum->eigenvalues;
  const Block u = model.scores() * mu.cwiseSqrt().cwiseInverse().asDiagonal();
  const double largest = test::max_abs(gram->diagonal(context)) + test::max_abs(formed);
  EXPECT_LE(test::residual_ratio(formed, u, mu), kRatio);
  EXPECT_LE(test::orthogonality_ratio(u), kRatio);
  EXPECT_NEAR(model.report.spectrum->trace, formed.trace(), kRatio * n * kUnit * formed.trace());
  EXPECT_LE(test::max_abs(formed.rowwise().sum()), kRatio * n * kUnit * largest);
  const Vector squares = model.coefficients().colwise().squaredNorm().transpose();
  EXPECT_LE(test::max_abs(squares.cwiseProduct(mu) - Vector::Ones(mu.size())), kRatio * n * kUnit);
}

TEST(Torture, N1TranslationByUpTo1e8SpreadsLeavesTenDigits) {
  const Points x = test::random_points({.n = 48, .dim = 3, .seed = 1});
  double worst = 0;
  for (const double distance : {1.0, 1e2, 1e4, 1e6, 1e8}) {
    const Points moved = x.array() + distance;  // rounded: the reference sees the same numbers
    const KernelPca model = fit(moved, "gaussian:sigma=1.5", 6);
    const Vector exact = oracle::quad_kernel_pca(moved, oracle::quad_gaussian(1.5)).values.head(6);
    const double error = relative_error(model.report.spectrum->eigenvalues, exact);
    EXPECT_LE(error, 1e-10) << distance;
    worst = std::max(worst, error);
    EXPECT_LE(test::max_abs(model.transform(moved, {}) - model.scores()), 1e-10) << distance;
  }
  RecordProperty("worst", brief(worst));
}

TEST(Torture, N1AddingExactly1e8ToEveryCoordinateChangesNothing) {
  const Points x = test::coarse_points({.n = 48, .dim = 3, .seed = 2});
  const KernelPca here = fit(x, "gaussian", 6), there = fit(x.array() + 1e8, "gaussian", 6);
  EXPECT_LE(relative_error(there.report.spectrum->eigenvalues, here.report.spectrum->eigenvalues),
            1e-12);
  EXPECT_LE(test::max_abs(there.scores() - here.scores()), 1e-12);
  EXPECT_EQ(there.kernel().spec(), here.kernel().spec());
}

TEST(Torture, N1LinearMethodsFarFromTheOriginKeepTheirDigits) {
  const Points x = test::coarse_points({.n = 40, .dim = 3, .seed = 3});
  for (const double distance : {1e4, 1e6, 1e8}) {
    const Points moved = x.array() + distance;  // exact
    const Vector known = Pca::fit(x, {.components = 3}).report.spectrum->eigenvalues;
    EXPECT_LE(
        relative_error(Pca::fit(moved, {.components = 3}).report.spectrum->eigenvalues, known),
        1e-12)
        << distance;
    for (const char* name : {"covariance", "linear_gram", "dense_gram"}) {
      Context context;
      context.budget.operator_name = name;
      const KernelPca model = KernelPca::fit(moved, {.kernel = "linear", .components = 3}, context);
      EXPECT_LE(relative_error(model.report.spectrum->eigenvalues, known), 1e-12)
          << name << " " << distance;
      EXPECT_LE(test::max_abs(model.transform(moved, {}) - model.scores()), 1e-10)
          << name << " " << distance;
    }
  }
}

TEST(Torture, N1WarnsWhenTheDataThemselvesLostDigits) {
  const Points x = test::random_points({.n = 30, .dim = 3, .seed = 4});
  const auto warned = [&](double distance) {
    const auto model = test::fitted<KernelPca>(Points(x.array() + distance), {}, {});
    return test::has_warning(model->report.warnings, WarningCode::digits_lost);
  };
  EXPECT_FALSE(warned(1e2));
  EXPECT_TRUE(warned(1e8));
}

TEST(Torture, N2PowersOfTwoChangeNoBit) {
  const Points x = test::random_points({.n = 40, .dim = 4, .seed = 5});
  const Points fresh = test::random_points({.n = 9, .dim = 4, .seed = 6});
  const KernelPca base = fit(x, "gaussian", 4);
  for (const int power : {-1000, -500, -1, 1, 500, 1000}) {
    const double factor = std::ldexp(1.0, power);
    const KernelPca model = fit(x * factor, "gaussian", 4);
    EXPECT_TRUE(model.scores() == base.scores()) << power;
    EXPECT_TRUE(model.transform(Points(fresh * factor), {}) == base.transform(fresh, {})) << power;
  }
}

TEST(Torture, N2EveryScaleOfTheRangeGivesTheSameScores) {
  const Points x = test::random_points({.n = 40, .dim = 4, .seed = 7});
  const KernelPca base = fit(x, "gaussian", 4);
  for (const double scale : {1e-300, 1e-150, 1e150, 1e300}) {
    const KernelPca model = fit(x * scale, "gaussian", 4);
    EXPECT_LE(test::max_abs(model.scores() - base.scores()), 1e-11) << scale;
    const KernelPca loaded = KernelPca::from(model.state());
    EXPECT_TRUE(loaded.transform(Points(x * scale), {}) == model.transform(Points(x * scale), {}))
        << scale;
  }
}

TEST(Torture, N3LinearMethodsScaleOrSayThatTheyCannot) {
  const Points x = test::random_points({.n = 30, .dim = 3, .seed = 8});
  const Vector base = Pca::fit(x, {.components = 3}).report.spectrum->eigenvalues;
  for (const double scale : {1e-140, 1e140}) {
    const Pca model = Pca::fit(Points(x * scale), {.components = 3});
    const Vector mu = (model.report.spectrum->eigenvalues / scale) / scale;
    EXPECT_LE(relative_error(mu, base), 1e-12) << scale;
    EXPECT_LE(test::max_abs(model.reconstruct(Points(x * scale)) / scale - x), 1e-13) << scale;
    const Vector gram = fit(x * scale, "linear", 3).report.spectrum->eigenvalues;
    EXPECT_LE(relative_error((gram / scale) / scale, base), 1e-12) << scale;
  }
  EXPECT_EQ(test::code_of([&] { Pca::fit(Points(x * 1e160), {}); }), "M221");
  EXPECT_EQ(test::code_of([&] { fit(x * 1e160, "linear", 2); }), "M221");
  EXPECT_EQ(test::code_of([&] { fit(x * 1e80, "polynomial:degree=3", 2); }), "M221");
}

TEST(Torture, N4DenormalAndMixedScalesGiveNumbers) {
  const Points x = test::random_points({.n = 40, .dim = 3, .seed = 22});
  const KernelPca base = fit(x, "gaussian", 2), tiny = fit(x * 1e-310, "gaussian", 2);
  // 1e-310 holds 2e13 denormal steps: what rounding the input to them does.
  EXPECT_LE(test::max_abs(tiny.scores() - base.scores()), 1e-12);
  Points mixed = x;
  mixed.col(0) *= 1e300;
  mixed.col(1) *= 1e-310;
  const auto model = test::fitted<KernelPca>(mixed, {}, {});
  EXPECT_TRUE(model->transform(mixed, {}).allFinite());
  EXPECT_TRUE(test::has_warning(model->report.warnings, WarningCode::scales_differ));
}

TEST(Torture, AnOutlierCostsTheOthersNoDigits) {
  for (const double outlier : {1e3, 1e6, 1e9, 1e12, 1e15}) {
    Points x = test::random_points({.n = 40, .dim = 3, .seed = 23});
    x(0, 0) = outlier;
    const KernelPca model = fit(x, "gaussian:sigma=2", 5);
    const Vector exact = oracle::quad_kernel_pca(x, oracle::quad_gaussian(2)).values.head(5);
    EXPECT_LE(relative_error(model.report.spectrum->eigenvalues, exact), 1e-12) << outlier;
    EXPECT_LE(test::max_abs(model.transform(x, {}) - model.scores()), 1e-12) << outlier;
  }
}

TEST(Torture, AWidthFarBelowTheDataMakesEveryPointAlone) {
  Points x = test::random_points({.n = 20, .dim = 3, .seed = 24});
  x.row(1) = x.row(0);  // two that are not
  for (const double scale : {1e10, 1e100, 1e200, 1e300})
    for (const Precision precision : {Precision::double_, Precision::single_}) {
      Context context;
      context.budget.precision = precision;
      const KernelPca model =
          KernelPca::fit(Points(x * scale),
                         {.kernel = "gaussian:sigma=1", .components = Components::all()}, context);
      ASSERT_EQ(model.report.spectrum->eigenvalues.size(), 18) << scale;
      EXPECT_NEAR(model.report.spectrum->eigenvalues[0], 2 - 2.0 / 20, 0.1) << scale;
      EXPECT_NEAR(model.report.spectrum->eigenvalues[17], 1, 1e-12) << scale;
    }
}

TEST(Torture, N5CopiesOfPointsKeepRankVariancesAndScores) {
  const Points five = test::random_points({.n = 5, .dim = 3, .seed = 9});
  const KernelPca once = fit(five, "gaussian:sigma=1", 4);
  for (const Index copies : {2, 100}) {
    const Points x = five.replicate(copies, 1);
    const KernelPca model = fit(x, "gaussian:sigma=1", Components::all());
    const double n = static_cast<double>(x.rows());
    ASSERT_EQ(model.report.spectrum->eigenvalues.size(), 4) << copies;
    const Vector variances = model.report.spectrum->eigenvalues / n;
    EXPECT_LE(relative_error(variances, once.report.spectrum->eigenvalues / 5),
              kRatio * n * kUnit * 5);
    const Block y = model.scores();
    for (Index i = 5; i < x.rows(); ++i)
      EXPECT_LE(test::max_abs(y.row(i) - y.row(i % 5)), kRatio * n * kUnit) << copies;
    expect_ratios(x, model);
  }
  EXPECT_EQ(test::code_of([&] { fit(five.topRows(1).replicate(9, 1), "gaussian", 2); }), "M231");
  Points but_one = Points::Zero(20, 2);
  but_one(7, 0) = 1;
  EXPECT_EQ(fit(but_one, "gaussian", Components::all()).report.spectrum->eigenvalues.size(), 1);
}

TEST(Torture, N6FewRowsFewColumnsAndConstantColumns) {
  for (const Index n : {2, 3, 4})
    for (const Index dim : {1, 2, 50}) {
      SCOPED_TRACE(std::to_string(n) + " x " + std::to_string(dim));
      const Points x = test::random_points({.n = n, .dim = dim, .seed = 10});
      const KernelPca model = fit(x, "gaussian", Components::all());
      EXPECT_EQ(model.report.spectrum->eigenvalues.size(), n - 1);
      expect_ratios(x, model);
    }
  Points x = test::random_points({.n = 30, .dim = 5, .seed = 11});
  const KernelPca without = fit(x.leftCols(3), "gaussian", 3);
  x.col(3).setConstant(0.1);
  x.col(4).setConstant(-1e5);
  const KernelPca with = fit(x, "gaussian", 3);
  EXPECT_LE(test::max_abs(with.scores() - without.scores()), kRatio * 30 * kUnit * 10);
  expect_ratios(x, with);
  EXPECT_EQ(test::code_of([&] { fit(x.topRows(1), "gaussian", 1); }), "M230");
}

TEST(Torture, N6TenRowsOfAMillionColumns) {
  const Points x = test::random_points({.n = 10, .dim = 1'000'000, .seed = 12});
  const KernelPca model = fit(x, "gaussian", Components::all());
  EXPECT_EQ(model.report.spectrum->eigenvalues.size(), 9);
  expect_ratios(x, model);
  const Block exact = test::double_centred(test::dense_kernel(model.kernel(), x));
  const Vector known = test::dense_eigen(exact).values.head(9);
  // Sums of a million squares: (d + 3) u 4 R^2 gamma at worst, its square root in practice.
  EXPECT_LE(test::max_abs(model.report.spectrum->eigenvalues - known),
            kRatio * std::sqrt(1e6) * kUnit);
}

/// n x dim, centred, with these singular values.
Points with_singular_values(Index n, Index dim, const Vector& values) {
  Block u = test::random_points({.n = n, .dim = values.size(), .seed = 13});
  u.rowwise() -= u.colwise().mean().eval();
  const Block q = test::orthonormal(u);
  return q * values.asDiagonal() * test::random_orthonormal(dim, values.size(), 14).transpose();
}

TEST(Torture, N7ARankIsFoundForConditionsUpTo1e12) {
  for (const double condition : {1.0, 1e3, 1e6, 1e12}) {
    Vector values(7);  // singular values: their squares are the eigenvalues
    for (Index i = 0; i < 7; ++i) values[i] = std::pow(condition, -static_cast<double>(i) / 12);
    const Points x = with_singular_values(60, 20, values);
    for (const char* name : {"covariance", "linear_gram", "dense_gram"}) {
      Context context;
      context.budget.operator_name = name;
      const KernelPca all =
          KernelPca::fit(x, {.kernel = "linear", .components = Components::all()}, context);
      EXPECT_EQ(all.report.spectrum->eigenvalues.size(), 7) << name << " " << condition;
      const KernelPca ten = KernelPca::fit(x, {.kernel = "linear", .components = 10}, context);
      EXPECT_EQ(ten.report.spectrum->eigenvalues.size(), 7) << name << " " << condition;
      EXPECT_TRUE(test::has_warning(ten.report.warnings, WarningCode::rank_lower));
    }
  }
  // C(d + p, p) - 1 monomials vary: 2 variables, degree 3 gives 9; 3 variables, degree 2 gives 9.
  EXPECT_EQ(fit(test::random_points({.n = 60, .dim = 2, .seed = 15}), "polynomial:degree=3",
                Components::all())
                .report.spectrum->eigenvalues.size(),
            9);
  EXPECT_EQ(fit(test::random_points({.n = 60, .dim = 3, .seed = 16}), "polynomial:degree=2",
                Components::all())
                .report.spectrum->eigenvalues.size(),
            9);
}

TEST(Torture, N12TheLargestPairsOfAnIndefiniteKernelAreRight) {
  const Points x = test::random_points({.n = 40, .dim = 3, .seed = 17}).cwiseAbs() * 0.5;
  const oracle::QuadEigen exact =
      oracle::quad_kernel_pca(x, [](const oracle::Quad* a, const oracle::Quad* b, Index dim) {
        const oracle::Quad e = expq(-2 * (5 * oracle::quad_dot(a, b, dim) + oracle::Quad(0.5)));
        return (1 - e) / (1 + e);
      });
  const KernelPca model = fit(x, "sigmoid:scale=5,offset=0.5", 4);
  EXPECT_LE(relative_error(model.report.spectrum->eigenvalues, exact.values.head(4)), 1e-12);
  const double negative = -exact.values.cwiseMin(0).sum() / exact.values.cwiseAbs().sum();
  EXPECT_NEAR(model.report.spectrum->negative_share, negative, 1e-12);
  EXPECT_GT(negative, 0.05);
  EXPECT_TRUE(test::has_warning(model.report.warnings, WarningCode::negative_eigenvalues));
}

TEST(Torture, N14AHugeConstantCostsItsOwnRoundingOnly) {
  const Points x = test::random_points({.n = 50, .dim = 3, .seed = 18});
  const KernelPca plain = fit(x, "gaussian:sigma=1.5", 3);
  for (const double constant : {1e6, 1e12}) {
    const KernelPca model =
        fit(x, "gaussian:sigma=1.5+" + exact(constant) + "*sigmoid:scale=0,offset=1", 3);
    // Each entry of the centred matrix is wrong by 4 eps of the largest, an eigenvalue by N times
    // it.
    EXPECT_LE(
        test::max_abs(model.report.spectrum->eigenvalues - plain.report.spectrum->eigenvalues),
        50 * 4 * 2 * kUnit * constant)
        << constant;
  }
}

TEST(Torture, N19OrderOfRowsAndColumnsAndRotationsKeepTheSpectrum) {
  const Points x = test::random_points({.n = 60, .dim = 6, .seed = 19});
  for (const char* spec :
       {"gaussian:sigma=2", "linear", "polynomial:degree=3,scale=0.1", "sigmoid:scale=0.05"}) {
    const Vector mu = fit(x, spec, 5).report.spectrum->eigenvalues;
    const auto error = [&](const Points& other) {
      return test::max_abs(fit(other, spec, 5).report.spectrum->eigenvalues - mu) / mu[0];
    };
    EXPECT_LE(error(x.colwise().reverse()), 1e-12) << spec;
    EXPECT_LE(error(x.rowwise().reverse()), 1e-12) << spec;
    EXPECT_LE(error(x * test::random_orthonormal(6, 6, 20)), 1e-12) << spec;
  }
}

TEST(Torture, N20TransformIsConsistent) {
  const Points x = test::random_points({.n = 600, .dim = 5, .seed = 21});
  for (const char* spec : {"gaussian", "linear", "polynomial:degree=2,scale=0.1"}) {
    const KernelPca model = fit(x, spec, 4);
    const Block scores = model.scores(), again = model.transform(x, {});
    const double largest = test::max_abs(scores);
    EXPECT_LE(test::max_abs(again - scores), 1e-10 * largest) << spec;
    for (const Index i : {0, 255, 256, 511, 512, 599}) {
      const Points row = x.row(i);
      EXPECT_LE(test::max_abs(model.transform(row, {}) - again.row(i)), 1e-12 * largest) << spec;
    }
    const Eigen::MatrixXf rounded = x.cast<float>();
    EXPECT_LE(test::max_abs(model.transform(rounded, {}) - again), 1e-4 * largest) << spec;
    Context single;
    single.budget.precision = Precision::single_;
    const KernelPca rough = KernelPca::fit(x, {.kernel = spec, .components = 2}, single);
    EXPECT_LE(test::difference_up_to_sign(rough.transform(x, single), scores.leftCols(2)),
              1e-4 * largest)
        << spec;
  }
}

}  // namespace torture_test
}  // namespace mercer
