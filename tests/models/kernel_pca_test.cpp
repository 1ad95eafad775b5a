// Kernel PCA: the algebra that its scores, coefficients and eigenvalues must satisfy, in
// LAPACK-style ratios against the Gram matrix written out by the scalar kernel.
#include "mercer/models/kind/kernel_pca.h"

#include "mercer/operators/centered.h"
#include "mercer/operators/recipe.h"
#include "tests/support/dense.h"
#include "tests/support/errors.h"
#include "tests/support/random_points.h"

#include <gtest/gtest.h>

namespace mercer {
namespace kernel_pca_test {

using test::kRatio;
using test::kUnit;

KernelPca fit(const Points& x, const std::string& kernel, Components components) {
  return KernelPca::fit(x, {.kernel = kernel, .components = components});
}

/// A fit beside the matrices that it should agree with.
struct Fitted {
  std::string spec;
  Points x = test::random_points({.n = 70, .dim = 4, .seed = 1});
  KernelPca model;
  Block k, centred, y, a, u;
  Vector mu;
  double n = 70;

  Fitted(const std::string& kernel, Components components)
      : spec(kernel),
        model(fit(x, kernel, components)),
        k(test::dense_kernel(model.kernel(), x)),
        centred(test::double_centred(k)),
        y(model.scores()),
        a(model.coefficients()),
        mu(model.report.spectrum->eigenvalues) {
    u = y * mu.cwiseSqrt().cwiseInverse().asDiagonal();
  }
  /// Rounding of K reaches a score of component j as n u max|K| / sqrt(mu_j).
  double score_rounding() const {
    return n * kUnit * (test::max_abs(k) / std::sqrt(mu.minCoeff()) + std::sqrt(mu[0]));
  }
};

class KernelPcaAlgebra : public testing::TestWithParam<const char*> {
 protected:
  Fitted f{GetParam(), 5};
};
INSTANTIATE_TEST_SUITE_P(Kernels, KernelPcaAlgebra,
                         testing::Values("gaussian", "gaussian:sigma=0.7", "gaussian:sigma=30",
                                         "polynomial:degree=3,scale=0.25",
                                         "polynomial:degree=2,offset=0", "linear:offset=2+gaussian",
                                         "gaussian:sigma=2+0.5*linear"));

TEST_P(KernelPcaAlgebra, ScoresAreCentredAndOrthogonalWithTheEigenvaluesAsSquares) {
  EXPECT_LE(test::max_abs(f.y.colwise().sum()), kRatio * f.n * f.score_rounding());
  const Block squares = f.y.transpose() * f.y - Block(f.mu.asDiagonal());
  EXPECT_LE(test::max_abs(squares), kRatio * f.n * kUnit * f.mu[0]);
}

TEST_P(KernelPcaAlgebra, CoefficientsGiveUnitAxesAndTheScores) {
  const Block unit = f.a.transpose() * f.centred * f.a - Block::Identity(5, 5);
  const double rounding = f.n * kUnit * test::max_abs(f.k) * f.n / f.mu.minCoeff();
  EXPECT_LE(test::max_abs(unit), kRatio * rounding);
  EXPECT_LE(test::max_abs(f.centred * f.a - f.y), kRatio * f.score_rounding());
  EXPECT_LE(test::max_abs(f.a.colwise().sum()), kRatio * kUnit * f.n * test::max_abs(f.a));
}

TEST_P(KernelPcaAlgebra, TheRatiosOfTheDensePathAreBelowThirty) {
  // Errors of the entries enter as data errors: n u |A| becomes n u |A| + N e_K max|K|.
  const double entries = f.k.norm() / f.centred.norm();
  const double r1 = test::residual_ratio(f.centred, f.u, f.mu) / std::max(1.0, entries);
  const double r2 = test::orthogonality_ratio(f.u);
  const double r5 =
      test::max_abs((f.a.colwise().squaredNorm().transpose().cwiseProduct(f.mu) - Vector::Ones(5)) /
                    (f.n * kUnit));
  EXPECT_LE(r1, kRatio);
  EXPECT_LE(r2, kRatio);
  EXPECT_LE(r5, kRatio);
  const Vector known = test::dense_eigen(f.centred).values.head(5);
  EXPECT_LE(test::value_ratio(f.mu, known, 70, f.k.norm()), kRatio);
  RecordProperty("r1", std::to_string(r1));
  RecordProperty("r2", std::to_string(r2));
  RecordProperty("r5", std::to_string(r5));
}

TEST_P(KernelPcaAlgebra, EigenvaluesAddUpToTheTraceAndRowsOfTheCentredMatrixToZero) {
  const Fitted all(GetParam(), Components::all());
  const double trace = all.centred.trace();
  // Dropped pairs are below the rank tolerance, 10 N u mu_1 each.
  const double r3 = std::abs(trace - all.mu.sum()) / (trace * all.n * kUnit);
  const double spread = all.k.cwiseAbs().sum() / all.n / trace;
  EXPECT_LE(r3, kRatio * std::max(10.0, spread));
  EXPECT_NEAR(all.model.report.spectrum->trace, trace,
              kRatio * all.n * kUnit * std::max(trace, spread * trace));

  const Context context;
  const GramProblem problem{all.x, all.model.kernel(), true};
  const auto gram = operator_recipe("dense_gram").build(problem, context);
  Block formed(70, 70);
  Centered(*gram).form(formed, context);
  const double r4 = test::max_abs(formed.rowwise().sum()) / (all.n * kUnit * test::max_abs(all.k));
  EXPECT_LE(r4, kRatio);
  RecordProperty("r3", std::to_string(r3));
  RecordProperty("r4", std::to_string(r4));
}

TEST_P(KernelPcaAlgebra, TrainingRowsAreTransformedToTheirScores) {
  const double error = test::max_abs(f.model.transform(f.x, {}) - f.y);
  EXPECT_LE(error, kRatio * f.score_rounding());
  RecordProperty("ratio", std::to_string(error / f.score_rounding()));
}

TEST_P(KernelPcaAlgebra, NewRowsAreCentredWithTheTrainingMeans) {
  const Points fresh = test::random_points({.n = 9, .dim = 4, .seed = 2});
  const Block cross = test::dense_kernel(f.model.kernel(), fresh, f.x);
  const Eigen::RowVectorXd row_means = f.k.colwise().mean();
  Block centred = cross.rowwise() - row_means;
  centred.colwise() -= (cross.rowwise().mean().array() - row_means.mean()).matrix().eval();
  const Block expected = centred * f.u * f.mu.cwiseSqrt().cwiseInverse().asDiagonal();
  EXPECT_LE(test::max_abs(f.model.transform(fresh, {}) - expected), kRatio * f.score_rounding());
}

TEST_P(KernelPcaAlgebra, ExplainedVarianceIsAShareOfTheTrace) {
  const Vector ratios = f.mu / f.centred.trace();
  const double spread = f.k.cwiseAbs().sum() / f.n / f.centred.trace();
  EXPECT_LE(test::max_abs(f.model.report.spectrum->ratios - ratios),
            kRatio * f.n * kUnit * (1 + spread));
}

TEST_P(KernelPcaAlgebra, MoreComponentsLeaveTheFirstOnesUnchanged) {
  const KernelPca more = fit(f.x, GetParam(), 9);
  EXPECT_LE(test::max_abs(more.scores().leftCols(5) - f.y), 10 * kRatio * f.score_rounding());
}

TEST(KernelPca, AConstantInTheKernelChangesNothing) {
  const Points x = test::random_points({.n = 50, .dim = 3, .seed = 3});
  const KernelPca plain = fit(x, "gaussian:sigma=1.5+linear", 4);
  // tanh(1) everywhere: a constant kernel. Its rounding is that of entries of this size.
  for (const double constant : {1.0, 1e3, 1e6}) {
    const std::string sum =
        "gaussian:sigma=1.5+linear+" + std::to_string(constant) + "*sigmoid:scale=0,offset=1";
    const KernelPca moved = fit(x, sum, 4);
    const double rounding =
        kRatio * 50 * kUnit * (constant + 10) / std::sqrt(plain.report.spectrum->eigenvalues[3]);
    EXPECT_LE(test::max_abs(moved.scores() - plain.scores()), rounding) << constant;
  }
}

TEST(KernelPca, ATermOfEachPointAloneChangesNothing) {
  // On rows moved by c the linear part gains c.x + c.y + c.c, and the Gaussian part does not
  // notice.
  const Points x = test::coarse_points({.n = 50, .dim = 3, .seed = 4});
  const Points moved = x.array() + 16;
  const KernelPca here = fit(x, "gaussian:sigma=1.5+linear", 4);
  const KernelPca there = fit(moved, "gaussian:sigma=1.5+linear", 4);
  const double rounding =
      kRatio * 50 * kUnit * 3 * 20 * 20 / std::sqrt(here.report.spectrum->eigenvalues[3]);
  EXPECT_LE(test::max_abs(here.scores() - there.scores()), rounding);
}

TEST(KernelPca, AFactorOfTheKernelMultipliesEigenvalues) {
  const Points x = test::random_points({.n = 50, .dim = 3, .seed = 5});
  const KernelPca once = fit(x, "gaussian:sigma=1.5", 4), four = fit(x, "4*gaussian:sigma=1.5", 4);
  EXPECT_LE(
      test::max_abs(four.report.spectrum->eigenvalues - 4 * once.report.spectrum->eigenvalues),
      kRatio * 50 * kUnit * 50);
  EXPECT_LE(test::max_abs(four.scores() - 2 * once.scores()), kRatio * 50 * kUnit * 10);
}

TEST(KernelPca, EveryPointTwiceDoublesEigenvaluesAndKeepsNewScores) {
  const Points x = test::random_points({.n = 40, .dim = 3, .seed = 6});
  Points twice(80, 3);
  twice << x, x;
  const KernelPca once = fit(x, "gaussian:sigma=1.5", 4),
                  both = fit(twice, "gaussian:sigma=1.5", 4);
  EXPECT_LE(
      test::max_abs(both.report.spectrum->eigenvalues - 2 * once.report.spectrum->eigenvalues),
      kRatio * 80 * kUnit * 80);
  const Points fresh = test::random_points({.n = 11, .dim = 3, .seed = 7});
  EXPECT_LE(test::difference_up_to_sign(both.transform(fresh, {}), once.transform(fresh, {})),
            kRatio * 80 * kUnit * 10);
}

TEST(KernelPca, ComponentsAsAShareAreTheFewestThatExplainIt) {
  const Points x = test::random_points({.n = 60, .dim = 3, .seed = 8});
  const Vector all = fit(x, "gaussian:sigma=1", Components::all()).report.spectrum->ratios;
  for (const double share : {0.1, 0.5, 0.9, 0.99}) {
    const Report report = fit(x, "gaussian:sigma=1", Components::share(share)).report;
    const Index count = report.spectrum->eigenvalues.size();
    EXPECT_GE(report.spectrum->ratios.sum(), share);
    EXPECT_LT(all.head(count - 1).sum(), share);
  }
}

TEST(KernelPca, AllComponentsAreTheSignificantOnes) {
  const Points x = test::random_points({.n = 30, .dim = 3, .seed = 9});
  EXPECT_EQ(fit(x, "gaussian:sigma=0.5", Components::all()).report.spectrum->eigenvalues.size(),
            29);
  EXPECT_EQ(fit(x, "linear", Components::all()).report.spectrum->eigenvalues.size(), 3);
  // Monomials of degree 1 and 2 in 3 variables: 9, and the constant has no variance.
  EXPECT_EQ(fit(x, "polynomial:degree=2", Components::all()).report.spectrum->eigenvalues.size(),
            9);
}

TEST(KernelPca, TheDefaultIsTwoOrWhatThereIs) {
  const Points x = test::random_points({.n = 2, .dim = 1, .seed = 10});
  EXPECT_EQ(KernelPca::fit(x).report.spectrum->eigenvalues.size(), 1);
  EXPECT_EQ(test::code_of([&] { fit(x, "gaussian", 2); }), "M233");
}

TEST(KernelPca, WithoutCentringTheMeanIsAComponentToo) {
  const Points x = test::random_points({.n = 40, .dim = 3, .seed = 11});
  const Points fresh = test::random_points({.n = 6, .dim = 3, .seed = 12});
  for (const char* spec :
       {"gaussian:sigma=1.5", "linear", "polynomial:degree=2", "gaussian:sigma=100"}) {
    const KernelPca model = KernelPca::fit(x, {.kernel = spec, .components = 3, .center = false});
    const Block k = test::dense_kernel(spec, x);
    const test::DenseEigen known = test::dense_eigen(k);
    const Vector mu = known.values.head(3);
    EXPECT_LE(test::value_ratio(model.report.spectrum->eigenvalues, mu, 40, mu[0]), kRatio) << spec;
    EXPECT_NEAR(model.report.spectrum->trace, k.trace(), kRatio * 40 * kUnit * k.trace());
    const Block vectors = known.vectors.leftCols(3);
    const Block y = vectors * mu.cwiseSqrt().asDiagonal();
    const double gap = std::min(mu[0] - mu[1], std::min(mu[1] - mu[2], mu[2] - known.values[3]));
    const double rounding = kRatio * 40 * kUnit * mu[0] / gap * std::sqrt(mu[0]);
    EXPECT_LE(test::difference_up_to_sign(model.scores(), y), rounding) << spec;
    EXPECT_LE(test::max_abs(model.transform(x, {}) - model.scores()), rounding) << spec;
    const Block expected =
        test::dense_kernel(spec, fresh, x) * vectors * mu.cwiseSqrt().cwiseInverse().asDiagonal();
    EXPECT_LE(test::difference_up_to_sign(model.transform(fresh, {}), expected), 10 * rounding)
        << spec;
  }
}

TEST(KernelPca, EveryOperatorGivesTheSameLinearModel) {
  const Points x = test::random_points({.n = 45, .dim = 6, .seed = 13});
  const Points fresh = test::random_points({.n = 8, .dim = 6, .seed = 14});
  const KernelPca reference = fit(x, "linear", 4);
  for (const char* name : {"covariance", "linear_gram", "dense_gram"}) {
    Context context;
    context.budget.operator_name = name;
    const KernelPca model = KernelPca::fit(x, {.kernel = "linear", .components = 4}, context);
    EXPECT_EQ(model.report.plan.operator_name, name);
    const double mu = reference.report.spectrum->eigenvalues[0];
    EXPECT_LE(test::value_ratio(model.report.spectrum->eigenvalues,
                                reference.report.spectrum->eigenvalues, 45, mu),
              kRatio);
    EXPECT_LE(test::max_abs(model.scores() - reference.scores()),
              100 * kRatio * 45 * kUnit * std::sqrt(mu));
    EXPECT_LE(test::max_abs(model.transform(fresh, {}) - reference.transform(fresh, {})),
              100 * kRatio * 45 * kUnit * std::sqrt(mu));
  }
}

}  // namespace kernel_pca_test
}  // namespace mercer
