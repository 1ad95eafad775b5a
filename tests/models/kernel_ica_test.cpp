// Kernel ICA: the contrasts against their definitions by n x n Gram matrices, their slopes against
// differences, the search against a scan of the angle, and what mixing may not change.
#include "mercer/models/kind/kernel_ica.h"

#include "mercer/core/check.h"
#include "mercer/core/text.h"
#include "mercer/models/amari.h"
#include "mercer/models/detail/kica/descent.h"
#include "mercer/models/detail/kica/search.h"
#include "mercer/models/detail/kica/turns.h"
#include "tests/models/ica_cases.h"
#include "tests/support/dense.h"
#include "tests/support/errors.h"
#include "tests/support/random_points.h"

#include <Eigen/Cholesky>
#include <Eigen/LU>
#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <numbers>
#include <string>
#include <vector>

namespace mercer {
namespace kernel_ica_test {

using namespace ica_cases;
using detail::Dependence;
using detail::KicaObjective;
using detail::KicaSettings;
using test::code_of;
using test::kUnit;

// Rows with mean zero and unit covariance, by Cholesky's factor of what they had.
Block whitened(const Points& x) {
  const Points centred = x.rowwise() - x.colwise().mean();
  const Block covariance = centred.transpose() * centred / static_cast<double>(x.rows());
  const Block lower = Eigen::LLT<Block>(covariance).matrixL();
  return lower.triangularView<Eigen::Lower>().solve(centred.transpose()).transpose();
}

Block rotation(Index k, std::uint64_t seed) { return detail::random_rotation(k, seed, 0); }

// The definitions, with n x n matrices: Kappa has (K_i + c)^2 on its diagonal and K_i K_j off it.
struct Dense {
  double kgv, kcc;
};
Dense by_definition(const Block& y, double sigma, double kappa) {
  const Index n = y.rows(), k = y.cols();
  const double c = static_cast<double>(n) * kappa / 2;
  std::vector<Block> grams;
  for (Index i = 0; i < k; ++i) {
    Block gram(n, n);
    for (Index a = 0; a < n; ++a)
      for (Index b = 0; b < n; ++b)
        gram(a, b) = std::exp(-std::pow(y(a, i) - y(b, i), 2) / (2 * sigma * sigma));
    const Block centring =
        Block::Identity(n, n) - Block::Constant(n, n, 1 / static_cast<double>(n));
    grams.push_back(centring * gram * centring);
  }
  Block all(n * k, n * k), own = Block::Zero(n * k, n * k);
  for (Index i = 0; i < k; ++i) {
    const Block raised = grams[static_cast<std::size_t>(i)] + c * Block::Identity(n, n);
    own.block(i * n, i * n, n, n) = raised * raised;
    for (Index j = 0; j < k; ++j)
      all.block(i * n, j * n, n, n) =
          grams[static_cast<std::size_t>(i)] * grams[static_cast<std::size_t>(j)];
    all.block(i * n, i * n, n, n) = own.block(i * n, i * n, n, n);
  }
  const Eigen::LLT<Block> whole(all), apart(own);
  const double determinant = 2 * (whole.matrixLLT().diagonal().array().log().sum() -
                                  apart.matrixLLT().diagonal().array().log().sum());
  const Vector pairs = test::generalised_eigen(all, own).values;
  return {-determinant / 2, -std::log(pairs[pairs.size() - 1]) / 2};
}

KicaSettings settings_of(Dependence kind, double sigma = 1, double kappa = 2e-2) {
  return {kind, sigma, kappa, 1e-13};
}

double value_of(const Block& z, const Block& w, const KicaSettings& settings) {
  const Context context;
  return KicaObjective(z, settings, context).begin(w).value;
}

TEST(KernelIca, ContrastsEqualTheirDefinitionByGramMatrices) {
  const Mixed data = mixed({Law::laplace, Law::uniform, Law::skewed}, 120, 3);
  const Block z = whitened(data.x);
  for (const std::uint64_t seed : {1, 2}) {
    const Block w = rotation(3, seed);
    for (const double sigma : {1.0, 0.5})
      for (const double kappa : {2e-2, 2e-3}) {
        const Dense expected = by_definition(z * w.transpose(), sigma, kappa);
        // What landmarks leave of the trace, n 1e-13, beside n kappa / 2; and rounding of
        // n x n products, squared in the definition's condition.
        const double tolerance = 1e-8;
        EXPECT_NEAR(value_of(z, w, settings_of(Dependence::kgv, sigma, kappa)), expected.kgv,
                    tolerance);
        EXPECT_NEAR(value_of(z, w, settings_of(Dependence::kcc, sigma, kappa)), expected.kcc,
                    tolerance);
      }
  }
}

TEST(KernelIca, LandmarksLeaveNoMoreThanTheirShareOfTheTrace) {
  const Mixed data = mixed({Law::laplace, Law::uniform, Law::skewed, Law::gaussian}, 5000, 4);
  const Block z = whitened(data.x), w = Block::Identity(4, 4);
  const Context context;
  Index before = 0;
  for (const double share : {1e-2, 1e-4, 1e-8}) {
    const detail::Features features = detail::features_of(z, w, 0.5, share, context);
    const detail::FeatureSums sums = detail::feature_sums(z, w, features, context);
    // Rows beside the one of their cell that is looked at leave at most (1 + 1/2)^2 of the share.
    EXPECT_LE(sums.left(features, 5000), 2.25 * share) << share;
    EXPECT_GT(features.width(), before);
    EXPECT_LE(features.width(), 4 * 60);
    before = features.width();
  }
}

TEST(KernelIca, SlopesAreThoseOfDifferences) {
  const Mixed data = mixed({Law::laplace, Law::uniform, Law::skewed, Law::sech}, 300, 5);
  const Block z = whitened(data.x), w = rotation(4, 8);
  const Context context;
  for (const Dependence kind : {Dependence::kgv, Dependence::kcc})
    for (const double share : {1e-4, 1e-12}) {
      KicaObjective objective(z, {kind, 1, 2e-2, share}, context);
      const Vector slopes = objective.slopes(objective.begin(w));
      for (Index angle = 0; angle < 6; ++angle) {
        // Central differences: the cube root of rounding, whose error is h^2 and rounding / h.
        const double h = 1e-5;
        const auto value = [&](double turn) {
          const Vector angles = turn * Vector::Unit(6, angle);
          return objective.at(detail::rotation_of(detail::antisymmetric(angles, 4)) * w).value;
        };
        EXPECT_NEAR(slopes[angle], (value(h) - value(-h)) / (2 * h), 2e-8)
            << static_cast<int>(kind) << ' ' << share << ' ' << angle;
      }
    }
}

TEST(KernelIca, ContrastsRepeatAfterNinetyDegreesAndWithOtherSigns) {
  const Block z = whitened(mixed({Law::laplace, Law::skewed}, 400, 6).x);
  for (const Dependence kind : {Dependence::kgv, Dependence::kcc}) {
    const double value = value_of(z, detail::plane_turn(2, 0, 1, 0.3), settings_of(kind));
    for (const double turn : {0.3 + std::numbers::pi / 2, 0.3 + std::numbers::pi})
      EXPECT_NEAR(value_of(z, detail::plane_turn(2, 0, 1, turn), settings_of(kind)), value, 1e-10);
  }
}

TEST(KernelIca, OneSourceDependsOnNothing) {
  const Block z = whitened(test::random_points({.n = 50, .dim = 1, .seed = 2}));
  EXPECT_EQ(value_of(z, Block::Identity(1, 1), settings_of(Dependence::kgv)), 0);
}

TEST(KernelIca, TheSearchFindsTheBottomOfAScanOfAllAngles) {
  const std::vector<std::vector<Law>> pairs = {{Law::uniform, Law::uniform},
                                               {Law::laplace, Law::uniform},
                                               {Law::skewed, Law::skewed},
                                               {Law::gaussian, Law::sech}};
  std::uint64_t seed = 20;
  for (const std::vector<Law>& laws : pairs)
    for (const Dependence kind : {Dependence::kgv, Dependence::kcc})
      for (int repeat = 0; repeat < 3; ++repeat, ++seed) {
        const Block z = whitened(mixed(laws, 250, seed).x);
        detail::KicaPlan plan;
        plan.kind = kind;
        plan.narrow = false;
        const detail::KicaFound found = detail::kica_search(z, plan, {});
        double least = 1e300;
        for (int degree = 0; degree < 90; ++degree) {
          const Block w = detail::plane_turn(2, 0, 1, degree * std::numbers::pi / 180);
          least = std::min(least, value_of(z, w, {kind, plan.sigma, plan.kappa, 1e-8}));
        }
        // What landmarks leave, 1e-8 n of n, beside kappa / 2.
        EXPECT_LE(found.unmixing.objective, least + 1e-6) << seed;
        EXPECT_TRUE(found.unmixing.converged) << seed;
      }
}

TEST(KernelIca, ASecondSearchWithHalfTheWidthStaysInTheValley) {
  const Block z = whitened(mixed({Law::laplace, Law::uniform}, 800, 33).x);
  detail::KicaPlan plan;
  plan.narrow = false;
  const Block wide = detail::kica_search(z, plan, {}).unmixing.w;
  plan.narrow = true;
  const detail::KicaFound found = detail::kica_search(z, plan, {});
  const KicaSettings half = {Dependence::kgv, plan.sigma / 2, plan.kappa, 1e-8};
  EXPECT_LT(found.unmixing.objective, value_of(z, wide, half));
  EXPECT_NEAR(found.unmixing.objective, value_of(z, found.unmixing.w, half), 1e-6);
  // Both know the angle to about a degree or two by 800 rows.
  const Block between = (found.unmixing.w * wide.transpose()).cwiseAbs();
  EXPECT_GT(between.rowwise().maxCoeff().minCoeff(), std::cos(0.1));
}

TEST(KernelIca, ASampleBeginsTheSearchAndAllRowsEndIt) {
  const Mixed data = mixed({Law::laplace, Law::uniform, Law::skewed}, 9000, 34);
  const KernelIca model = KernelIca::fit(data.x, {.tolerance = 1e-12});
  const Block y = model.transform(data.x), identity = Block::Identity(3, 3);
  const Context context;
  KicaObjective objective(y, {Dependence::kgv, 0.25, 2e-3, 1e-9}, context);
  const KicaObjective::Point end = objective.begin(identity);
  EXPECT_NEAR(figure(model, "contrast").as_number(), end.value, 1e-6);
  // A turn of 1.4e-6, times curvatures of order 10.
  EXPECT_LE(test::max_abs(objective.slopes(end)), 1e-4);
  EXPECT_LT(amari_index(model.unmixing() * data.mixing), 0.02);
}

TEST(KernelIca, FindsFourSourcesOfDifferentDensitiesAgain) {
  const Mixed data = mixed({Law::laplace, Law::uniform, Law::skewed, Law::sech}, 3000, 7);
  for (const char* contrast : {"kgv", "kcc"}) {
    const KernelIca model = KernelIca::fit(data.x, {.contrast = contrast});
    EXPECT_TRUE(model.report.converged) << contrast;
    EXPECT_LT(amari(model.unmixing() * data.mixing), 0.05) << contrast;
    EXPECT_LE(figure(model, "contrast").as_number(), figure(model, "contrast_start").as_number());
  }
}

TEST(KernelIca, SourcesAreUncorrelatedWithVarianceOneAndTheWayBackEndsAtTheRows) {
  const Mixed data = mixed({Law::laplace, Law::uniform, Law::skewed}, 700, 8);
  const KernelIca model = KernelIca::fit(data.x);
  const Block y = model.transform(data.x);
  EXPECT_LE(test::max_abs(second_moments(y) - Block::Identity(3, 3)), 700 * kUnit * 10);
  EXPECT_LE(test::max_abs(y.colwise().mean()), 700 * kUnit);
  const double scale = test::max_abs(model.mixing()) * test::max_abs(model.unmixing());
  EXPECT_LE(test::max_abs(model.inverse(y) - data.x), 100 * kUnit * scale * test::max_abs(data.x));
}

TEST(KernelIca, MixingDoesNotChangeTheSources) {
  const Mixed data = mixed({Law::laplace, Law::uniform, Law::skewed}, 600, 9);
  const Points other = data.x * test::random_points({.n = 3, .dim = 3, .seed = 10});
  for (const char* contrast : {"kgv", "kcc"}) {
    const KernelIcaOptions options = {.contrast = contrast, .tolerance = 1e-12};
    const KernelIca one = KernelIca::fit(data.x, options), two = KernelIca::fit(other, options);
    // Signs and order may change which rows are landmarks, and with that the contrast a little.
    // Near its bottom it is half a curvature of order 1 times the square of a turn: 1e-6 is a turn
    // of about 1e-3.
    EXPECT_NEAR(figure(two, "contrast").as_number(), figure(one, "contrast").as_number(), 1e-6);
    EXPECT_LE(test::difference_up_to_sign(two.transform(other), one.transform(data.x)), 2e-3)
        << contrast;
  }
}

TEST(KernelIca, ThreadsDoNotChangeABitOfManyRows) {
  const Mixed data = mixed({Law::laplace, Law::uniform, Law::skewed}, 6000, 35);
  Context one, three;
  one.budget.threads = 1;
  three.budget.threads = 3;
  const KernelIca a = KernelIca::fit(data.x, {}, one), b = KernelIca::fit(data.x, {}, three);
  EXPECT_EQ(a.mixing(), b.mixing());
  EXPECT_EQ(a.unmixing(), b.unmixing());
}

TEST(KernelIca, TheAmariIndexIsThatOfTheDefinition) {
  const Block p = test::random_points({.n = 4, .dim = 4, .seed = 11});
  EXPECT_NEAR(amari_index(p), amari(p), 8 * kUnit);
  Block scaled = Block::Zero(3, 3);
  scaled(0, 2) = -4;
  scaled(1, 0) = 1e-3;
  scaled(2, 1) = 7;
  EXPECT_EQ(amari_index(scaled), 0);
  EXPECT_EQ(amari_index(Block::Ones(3, 3)), 1);
  EXPECT_EQ(amari_index(Block::Ones(1, 1)), 0);
  EXPECT_EQ(code_of([] { amari_index(Block::Ones(2, 3)); }), "M102");
  EXPECT_EQ(code_of([] { amari_index(Block::Zero(2, 2)); }), "M102");
}

TEST(KernelIca, ATruthGivesTheAmariIndexWhateverTheScaling) {
  const Mixed data = mixed({Law::laplace, Law::uniform}, 500, 12);
  std::string truth;
  for (Index i = 0; i < 2; ++i)
    truth += mercer::exact(data.mixing(i, 0)) + "," + mercer::exact(data.mixing(i, 1)) + ";";
  for (const char* scale : {"none", "standard", "range", "whiten"}) {
    const KernelIca model = KernelIca::fit(data.x, {.truth = truth, .scale = scale});
    // By the definition from the sources themselves: y = P s with the P of least squares.
    const Block y = model.transform(data.x);
    const Points s = data.sources.rowwise() - data.sources.colwise().mean();
    const Block p = test::least_squares(s.cast<long double>(), y.cast<long double>())
                        .cast<double>()
                        .transpose();
    EXPECT_NEAR(figure(model, "amari_index").as_number(), amari(p), 1e-10) << scale;
  }
  EXPECT_EQ(code_of([&] { KernelIca::fit(data.x, {.truth = "1,2;3"}); }), "M102");
  EXPECT_EQ(code_of([&] { KernelIca::fit(data.x, {.truth = "1,x;3,4"}); }), "M102");
  EXPECT_EQ(code_of([&] { KernelIca::fit(data.x, {.truth = ";"}); }), "M102");
  EXPECT_EQ(code_of([&] { KernelIca::fit(data.x, {.truth = "1,2;3,4;5,6"}); }), "M102");
  EXPECT_EQ(code_of([&] { KernelIca::fit(data.x, {.truth = "1;3"}); }), "M102");
}

TEST(KernelIca, GaussianSourcesAreWarnedOf) {
  const KernelIca model = KernelIca::fit(test::random_points({.n = 500, .dim = 3, .seed = 13}));
  ASSERT_FALSE(model.report.warnings.empty());
  EXPECT_EQ(model.report.warnings.back().code, WarningCode::not_identifiable);
}

TEST(KernelIca, AwkwardTablesAreFittedOrRefused) {
  const Mixed data = mixed({Law::laplace, Law::uniform, Law::skewed}, 300, 14);
  // Scales, offsets, a constant column, a column twice, equal rows, one column.
  Points awkward(300, 5);
  awkward << 1e100 * data.x.col(0), data.x.col(1).array() + 1e8, data.x.col(2),
      Vector::Constant(300, 7), data.x.col(2);
  const KernelIca scaled = KernelIca::fit(awkward, {.components = 3, .scale = "standard"});
  EXPECT_EQ(scaled.score_columns(), 3);
  EXPECT_TRUE(scaled.transform(awkward).allFinite());
  Points twice(600, 3);
  twice << data.x, data.x;
  const KernelIca single = KernelIca::fit(data.x), both = KernelIca::fit(twice);
  EXPECT_EQ(both.score_columns(), single.score_columns());
  const KernelIca one = KernelIca::fit(data.x.leftCols(1));
  EXPECT_EQ(figure(one, "contrast").as_number(), 0);
  EXPECT_TRUE(one.report.converged);
  // Two values only: landmarks are as many as there are values.
  Points bits(64, 2);
  for (Index i = 0; i < 64; ++i)
    bits.row(i) << static_cast<double>(i % 2), static_cast<double>(i / 2 % 2);
  EXPECT_TRUE(KernelIca::fit(bits).transform(bits).allFinite());
  // As few rows as there may be.
  const KernelIca few = KernelIca::fit(test::random_points({.n = 3, .dim = 6, .seed = 15}));
  EXPECT_EQ(few.score_columns(), 2);
  EXPECT_EQ(few.report.warnings.back().code, WarningCode::not_identifiable);
  EXPECT_EQ(code_of([] { KernelIca::fit(test::random_points({.n = 200, .dim = 60, .seed = 16})); }),
            "M233");
}

TEST(KernelIca, OptionsOutsideTheirLimitsAreRefused) {
  const Points x = test::random_points({.n = 20, .dim = 2, .seed = 17});
  for (const KernelIcaOptions& options :
       {KernelIcaOptions{.sigma = 1e-3}, KernelIcaOptions{.sigma = 100},
        KernelIcaOptions{.kappa = 1e-9}, KernelIcaOptions{.kappa = 2},
        KernelIcaOptions{.tolerance = Tolerance::of_eigenvalues(1e-3)},
        KernelIcaOptions{.components = Components::automatic()}})
    EXPECT_EQ(code_of([&] { KernelIca::fit(x, options); }), "M102");
}

TEST(KernelIca, EndsWithWhatItHasWhenTheTimeIsOver) {
  const Mixed data = mixed({Law::laplace, Law::uniform, Law::skewed}, 2000, 18);
  for (const int questions : {0, 1, 5, 20, 60}) {
    std::atomic<int> asked = 0;
    Context context;
    // Before there are white rows there is no answer.
    std::atomic<bool> white = false;
    context.observer.progress = [&](const Progress& progress) {
      white = white || progress.phase == "unmixing";
    };
    context.observer.out_of_time = [&] { return white && ++asked > questions; };
    const KernelIca model = KernelIca::fit(data.x, {}, context);
    EXPECT_TRUE(model.transform(data.x).allFinite());
    if (model.report.converged) continue;
    EXPECT_EQ(model.report.warnings.front().code, WarningCode::time_ran_out);
  }
}

TEST(KernelIca, StopsWhenItIsCancelled) {
  const Mixed data = mixed({Law::laplace, Law::uniform, Law::skewed}, 2000, 19);
  Context context;
  std::atomic<int> asked = 0;
  context.observer.cancelled = [&] { return ++asked > 300; };
  EXPECT_EQ(code_of([&] { KernelIca::fit(data.x, {}, context); }), "M001");
}

TEST(KernelIca, ASearchThatDidNotConvergeSaysSo) {
  const Mixed data = mixed({Law::laplace, Law::uniform, Law::skewed}, 1000, 21);
  const KernelIca model = KernelIca::fit(data.x, {.iterations = 1, .tolerance = 1e-14});
  EXPECT_FALSE(model.report.converged);
  EXPECT_EQ(model.report.warnings.back().code, WarningCode::tolerance_not_reached);
}

}  // namespace kernel_ica_test
}  // namespace mercer
