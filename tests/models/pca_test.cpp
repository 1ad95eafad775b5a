// PCA: reconstruction, whitening, both sides of the problem, awkward shapes. The oracle is a
// singular value decomposition by Eigen.
#include "mercer/models/kind/pca.h"

#include "tests/support/dense.h"
#include "tests/support/errors.h"
#include "tests/support/random_points.h"

#include <gtest/gtest.h>

namespace mercer {
namespace pca_test {

using test::kRatio;
using test::kUnit;

/// Columns of falling scale, turned and moved.
Points sample(Index n, Index dim, std::uint64_t seed) {
  const Vector scale = Vector::LinSpaced(dim, static_cast<double>(dim), 1);
  const Points x = test::random_points({.n = n, .dim = dim, .seed = seed}) * scale.asDiagonal() *
                   test::random_orthonormal(dim, dim, seed + 1);
  return x.rowwise() + Eigen::RowVectorXd::LinSpaced(dim, -3, 5);
}

Vector squared_singular_values(const Points& x) {
  return test::singular_values(test::centred_rows(x)).cwiseAbs2();
}

Block covariance(const Block& y) {
  const Points centred = test::centred_rows(Points(y));
  return centred.transpose() * centred / static_cast<double>(y.rows());
}

Context with_operator(const char* name) {
  Context context;
  context.budget.operator_name = name;
  return context;
}

TEST(Pca, EigenvaluesAreSquaredSingularValues) {
  for (const auto& [n, dim] : {std::pair<Index, Index>{80, 6}, {6, 30}, {20, 20}, {2, 3}}) {
    const Points x = sample(n, dim, 1);
    const Pca model = Pca::fit(x, {.components = Components::all()});
    const Vector known = squared_singular_values(x);
    const Index rank = std::min(n - 1, dim);
    ASSERT_EQ(model.report.spectrum->eigenvalues.size(), rank);
    EXPECT_LE(test::value_ratio(model.report.spectrum->eigenvalues, known.head(rank),
                                std::max(n, dim), known[0]),
              kRatio);
    EXPECT_LE(test::orthogonality_ratio(model.axes()), kRatio);
    EXPECT_NEAR(model.report.spectrum->ratios.sum(), 1,
                kRatio * static_cast<double>(n + dim) * kUnit);
    EXPECT_LE(test::max_abs(model.mean().transpose() - x.colwise().mean()), 100 * kUnit * 50);
  }
}

TEST(Pca, ReconstructionErrorIsTheSumOfTheEigenvaluesLeftOut) {
  const Points x = sample(70, 8, 2);
  const Vector known = squared_singular_values(x);
  for (const Index k : {1, 3, 7, 8}) {
    const Pca model = Pca::fit(x, {.components = k});
    const double error = (model.reconstruct(x) - x).squaredNorm();
    EXPECT_NEAR(error, known.tail(8 - k).sum(), kRatio * 70 * kUnit * known.sum()) << k;
  }
}

TEST(Pca, TheWayBackAndForthEndsWhereItBegan) {
  const Points x = sample(50, 6, 3), fresh = sample(9, 6, 4);
  for (const char* whiten : {"none", "pca", "zca"}) {
    const Pca model = Pca::fit(x, {.components = 6, .whiten = whiten});
    const Points back = model.inverse(model.transform(fresh, {}), {});
    EXPECT_LE(test::max_abs(back - fresh), 50 * kRatio * kUnit * test::max_abs(fresh)) << whiten;
    const Pca few = Pca::fit(x, {.components = 2, .whiten = whiten});
    const Block scores = few.transform(fresh, {});
    EXPECT_LE(test::max_abs(few.transform(few.inverse(scores, {}), {}) - scores),
              50 * kRatio * kUnit * 20)
        << whiten;
  }
  const Pca model = Pca::fit(x, {.components = 2});
  EXPECT_EQ(test::code_of([&] { model.inverse(Block::Zero(3, 3), {}); }), "M712");
  EXPECT_EQ(test::code_of([&] { model.inverse(Block::Constant(3, 2, std::nan("")), {}); }), "M212");
}

TEST(Pca, WhitenedScoresAreUncorrelatedWithDeviationOne) {
  const Points x = sample(90, 5, 5);
  for (const char* whiten : {"pca", "zca"}) {
    const Pca model = Pca::fit(x, {.components = 5, .whiten = whiten});
    const Block scores = model.transform(x, {});
    ASSERT_EQ(scores.cols(), 5);
    const double condition =
        model.report.spectrum->eigenvalues[0] / model.report.spectrum->eigenvalues[4];
    EXPECT_LE(test::max_abs(covariance(scores) - Block::Identity(5, 5)),
              kRatio * 90 * kUnit * condition)
        << whiten;
    EXPECT_LE(test::max_abs(scores.colwise().mean()), kRatio * 90 * kUnit) << whiten;
  }
}

TEST(Pca, ZcaIsTheSymmetricWhiteningAndStaysClosestToTheData) {
  const Points x = sample(90, 4, 6);
  const Pca model = Pca::fit(x, {.components = 4, .whiten = "zca"});
  const test::DenseEigen eigen = test::dense_eigen(covariance(x));
  const Block map = eigen.vectors * eigen.values.cwiseSqrt().cwiseInverse().asDiagonal() *
                    eigen.vectors.transpose();
  const Block expected = test::centred_rows(x) * map;
  EXPECT_LE(test::max_abs(model.transform(x, {}) - expected), kRatio * 90 * kUnit * 100);
}

TEST(Pca, BothSidesOfTheProblemGiveTheSameModel) {
  for (const auto& [n, dim] : {std::pair<Index, Index>{60, 7}, {12, 9}}) {
    const Points x = sample(n, dim, 7);
    const Points fresh = sample(5, dim, 8);
    const Pca primal = Pca::fit(x, {.components = 5}, with_operator("covariance"));
    for (const char* name : {"linear_gram", "dense_gram"}) {
      const Pca dual = Pca::fit(x, {.components = 5}, with_operator(name));
      const Vector& mu = primal.report.spectrum->eigenvalues;
      double gap = mu[4];
      for (Index i = 1; i < 5; ++i) gap = std::min(gap, mu[i - 1] - mu[i]);
      const double turn = kRatio * static_cast<double>(n + dim) * kUnit * mu[0] / gap;
      EXPECT_LE(test::value_ratio(dual.report.spectrum->eigenvalues, mu, n, mu[0]), kRatio) << name;
      EXPECT_LE(test::max_abs(dual.axes() - primal.axes()), 10 * turn) << name;
      EXPECT_LE(test::max_abs(dual.transform(fresh, {}) - primal.transform(fresh, {})), 100 * turn)
          << name;
      EXPECT_LE(test::orthogonality_ratio(dual.axes()), kRatio) << name;
    }
  }
}

TEST(Pca, WideDataOfTenRowsAndAHundredThousandColumns) {
  const Points x = test::random_points({.n = 10, .dim = 100000, .seed = 9});
  const Pca model = Pca::fit(x, {.components = 9});
  EXPECT_NE(model.report.plan.operator_name, "covariance");
  const Points centred = test::centred_rows(x);
  const Vector known = test::dense_eigen(centred * centred.transpose()).values;
  EXPECT_LE(test::max_abs(model.report.spectrum->eigenvalues - known.head(9)),
            kRatio * 100 * kUnit * known[0]);
  EXPECT_LE(test::orthogonality_ratio(model.axes()), kRatio);
  EXPECT_LE(test::max_abs(model.reconstruct(x) - x), 1e3 * kUnit * 10);
}

TEST(Pca, TallDataOfAHundredThousandRows) {
  const Points x = sample(100000, 3, 10);
  const Pca model = Pca::fit(x, {.components = 3});
  EXPECT_EQ(model.report.plan.operator_name, "covariance");
  const Points centred = test::centred_rows(x);
  const Vector known = test::dense_eigen(centred.transpose() * centred).values;
  // Random signs: rounding of a sum of n grows as sqrt(n) where the worst case has n.
  EXPECT_LE(test::max_abs(model.report.spectrum->eigenvalues - known),
            kRatio * std::sqrt(1e5) * kUnit * known[0]);
}

TEST(Pca, RankDeficientDataKeepTheirRank) {
  for (const auto& [n, dim] : {std::pair<Index, Index>{50, 8}, {8, 50}}) {
    const Points x = sample(n, 3, 11) * Block(test::random_orthonormal(dim, 3, 12)).transpose();
    const Pca all = Pca::fit(x, {.components = Components::all()});
    EXPECT_EQ(all.report.spectrum->eigenvalues.size(), 3);
    const Pca asked = Pca::fit(x, {.components = 6});
    EXPECT_EQ(asked.report.spectrum->eigenvalues.size(), 3);
    EXPECT_TRUE(test::has_warning(asked.report.warnings, WarningCode::rank_lower));
    EXPECT_LE(test::max_abs(all.reconstruct(x) - x), kRatio * 50 * kUnit * test::max_abs(x));
    const Pca white = Pca::fit(x, {.components = Components::all(), .whiten = "pca"});
    EXPECT_LE(test::max_abs(covariance(white.transform(x, {})) - Block::Identity(3, 3)), 1e-11);
  }
}

TEST(Pca, MoreComponentsThanColumnsOrRowsAreRefused) {
  EXPECT_EQ(test::code_of([] { Pca::fit(sample(20, 3, 13), {.components = 4}); }), "M233");
  EXPECT_EQ(test::code_of([] { Pca::fit(sample(3, 20, 13), {.components = 3}); }), "M233");
}

TEST(Pca, ConstantColumnsGetNoWeight) {
  Points x = sample(40, 4, 14);
  x.col(2).setConstant(1e3);
  const Pca model = Pca::fit(x, {.components = 3});
  EXPECT_LE(test::max_abs(model.axes().row(2)), 1e3 * kUnit);
  EXPECT_EQ(Pca::fit(x, {.components = Components::all()}).report.spectrum->eigenvalues.size(), 3);
}

TEST(Pca, WithoutCentringItIsTheSecondMoment) {
  const Points x = sample(40, 5, 15);
  const Pca model = Pca::fit(x, {.components = 5, .center = false});
  const Vector known = test::dense_eigen(Block(x.transpose() * x)).values;
  EXPECT_LE(test::value_ratio(model.report.spectrum->eigenvalues, known, 40, known[0]), kRatio);
  EXPECT_TRUE(model.mean() == Vector::Zero(5));
}

TEST(Pca, ScoresFarOutsideTheTrainingOnesAreExtrapolated) {
  const Points x = sample(40, 3, 16);
  const Pca model = Pca::fit(x, {.components = 2});
  Block scores = model.transform(x, {});
  EXPECT_TRUE(model.extrapolated(scores).empty());
  scores(7, 1) *= 1e6;
  EXPECT_EQ(model.extrapolated(scores), (std::vector<Index>{7}));
}

TEST(Pca, UnknownWhiteningsAreRefused) {
  EXPECT_EQ(test::code_of([] { Pca::fit(sample(9, 3, 17), {.whiten = "pac"}); }), "M102");
}

}  // namespace pca_test
}  // namespace mercer
