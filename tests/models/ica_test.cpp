// Independent components: sources that are known are found again, by every algorithm; what a
// maximum satisfies, what mixing may not change, awkward shapes. Oracles: the sources themselves,
// formulas written out, scikit-learn's FastICA (tools/make_ica_reference.py).
#include "mercer/models/kind/ica.h"

#include "mercer/core/check.h"
#include "mercer/core/cpu.h"
#include "mercer/core/text.h"
#include "mercer/models/detail/ica/fixed_point.h"
#include "mercer/models/detail/ica/likelihood.h"
#include "mercer/models/detail/ica/shape.h"
#include "mercer/models/kind/pca.h"
#include "tests/models/ica_cases.h"
#include "tests/support/dense.h"
#include "tests/support/errors.h"
#include "tests/support/random_points.h"
#include "tests/support/reference.h"

#include <Eigen/LU>
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

namespace mercer {
namespace ica_test {

using namespace ica_cases;
using test::code_of;
using test::kUnit;

TEST(Ica, FindsFourSourcesAgainByEveryAlgorithm) {
  // The limit is that of the source: 4 sech or Laplace sources, 20 000 rows.
  for (const Law law : {Law::sech, Law::laplace, Law::uniform}) {
    const Mixed data = mixed({law, law, law, law}, 20000, 7);
    for (const IcaOptions& options : ways()) {
      const Ica model = Ica::fit(data.x, options);
      EXPECT_TRUE(model.report.converged) << name_of(options);
      EXPECT_LT(amari(model, data), 0.02) << name_of(options) << ' ' << static_cast<int>(law);
      EXPECT_TRUE(model.report.warnings.empty()) << name_of(options);
    }
  }
}

TEST(Ica, LightAndHeavyTailsTogetherAreFoundAndTold) {
  const Mixed data = mixed({Law::uniform, Law::laplace, Law::uniform, Law::sech}, 20000, 3);
  const Ica model = Ica::fit(data.x, {.algorithm = "likelihood"});
  EXPECT_LT(amari(model, data), 0.02);
  const Block p = model.unmixing() * data.mixing;
  for (Index i = 0; i < 4; ++i) {
    Index source = 0;
    p.row(i).cwiseAbs().maxCoeff(&source);
    const auto at = static_cast<std::size_t>(i);
    const bool light = source % 2 == 0;
    EXPECT_EQ(figure(model, "source_flat").as_list()[at].as_number(), light ? 1 : 0);
    EXPECT_EQ(figure(model, "source_excess_kurtosis").as_list()[at].as_number() < 0, light);
  }
}

TEST(Ica, TheSteepDensityAloneMissesLightTails) {
  const Mixed data = mixed({Law::uniform, Law::uniform, Law::uniform}, 20000, 4);
  const Ica model = Ica::fit(data.x, {.algorithm = "likelihood", .extended = false});
  EXPECT_GT(amari(model, data), 0.1);
  EXPECT_LT(amari(Ica::fit(data.x, {.algorithm = "likelihood"}), data), 0.02);
}

TEST(Ica, AtTheMaximumTheGradientOfTheLikelihoodVanishes) {
  const Mixed data = mixed({Law::sech, Law::laplace, Law::uniform}, 5000, 5);
  const double tolerance = 1e-9;
  const Ica model = Ica::fit(data.x, {.algorithm = "likelihood", .tolerance = tolerance});
  ASSERT_TRUE(model.report.converged);
  const Block y = model.transform(data.x);
  Block psi = y.array().tanh();
  const Value::List& flat = figure(model, "source_flat").as_list();
  double log_density = 0;
  for (Index k = 0; k < 3; ++k) {
    const auto u = y.col(k).array();
    if (flat[static_cast<std::size_t>(k)].as_number() == 1) {
      psi.col(k) = y.col(k) - psi.col(k);
      log_density +=
          (u.cosh().log() - (u.square() + 1) / 2 - std::log(2 * std::numbers::pi) / 2).sum();
    } else {
      log_density -= (std::numbers::pi * u.cosh()).log().sum();
    }
  }
  const Block moments = psi.transpose() * y / 5000;
  // Rounding of sums of 5000 products, beside the tolerance asked for.
  EXPECT_LE(test::max_abs(moments - Block::Identity(3, 3)), tolerance + 5000 * kUnit);
  const double expected = log_density + 5000 * std::log(std::abs(model.unmixing().determinant()));
  EXPECT_NEAR(figure(model, "log_likelihood").as_number(), expected, 1e-11 * std::abs(expected));
}

TEST(Ica, NoNearbyMatrixHasALargerLikelihood) {
  const Mixed data = mixed({Law::sech, Law::laplace}, 2000, 6);
  const Ica model = Ica::fit(data.x, {.algorithm = "likelihood", .tolerance = 1e-10});
  const Block y = model.transform(data.x);
  const auto likelihood = [&](const Block& change) {
    const Block turned = y * change.transpose();
    return -turned.array().cosh().log().sum() / 2000 + std::log(change.determinant());
  };
  const double best = likelihood(Block::Identity(2, 2));
  for (int entry = 0; entry < 4; ++entry)
    for (const double step : {-1e-3, 1e-3}) {
      Block change = Block::Identity(2, 2);
      change.data()[entry] += step;
      EXPECT_LT(likelihood(change), best) << entry << ' ' << step;
    }
}

TEST(Ica, SourcesOfFastIcaAreUncorrelatedWithVarianceOne) {
  const Mixed data = mixed({Law::laplace, Law::uniform, Law::skewed, Law::sech}, 3000, 8);
  for (const char* approach : {"symmetric", "deflation"}) {
    const Ica model = Ica::fit(data.x, {.approach = approach});
    const Block y = model.transform(data.x);
    EXPECT_LE(test::max_abs(second_moments(y) - Block::Identity(4, 4)), 3000 * kUnit * 10);
    EXPECT_LE(test::max_abs(y.colwise().mean()), 3000 * kUnit);
  }
}

TEST(Ica, MixingDoesNotChangeTheSources) {
  const Mixed data = mixed({Law::laplace, Law::uniform, Law::skewed}, 2000, 9);
  const Block again = test::random_points({.n = 3, .dim = 3, .seed = 10});
  const Points other = data.x * again;
  for (IcaOptions options : ways()) {
    options.tolerance = 1e-13;
    // One by one, sources come out in the order of the start, and each keeps what those before it
    // left: all together they are the same up to rounding only where they are found at once.
    if (options.approach == IcaApproach::deflation) continue;
    const Block y = Ica::fit(data.x, options).transform(data.x),
                z = Ica::fit(other, options).transform(other);
    EXPECT_LE(test::difference_up_to_sign(z, y), 1e-9) << name_of(options);
  }
}

TEST(Ica, OneByOneAndAllAtOnceAgreeWhereSourcesAreFarApart) {
  const Mixed data = mixed({Law::laplace, Law::uniform, Law::skewed}, 20000, 11);
  for (const char* contrast : {"logcosh", "exp", "cube"}) {
    const Ica at_once = Ica::fit(data.x, {.contrast = contrast});
    const Ica one_by_one = Ica::fit(data.x, {.contrast = contrast, .approach = "deflation"});
    // Both miss the sources by about 1 / sqrt(n), in different ways.
    EXPECT_LT(amari(one_by_one.unmixing() * at_once.mixing()), 3 / std::sqrt(20000.0)) << contrast;
  }
}

TEST(Ica, TheWayBackEndsAtTheMixtures) {
  const Mixed data = mixed({Law::laplace, Law::uniform, Law::skewed, Law::sech}, 500, 12);
  const Points fresh = test::random_points({.n = 7, .dim = 4, .seed = 13});
  for (const IcaOptions& options : ways()) {
    const Ica model = Ica::fit(data.x, options);
    const double scale = test::max_abs(model.mixing()) * test::max_abs(model.unmixing());
    EXPECT_LE(test::max_abs(model.unmixing() * model.mixing() - Block::Identity(4, 4)),
              100 * kUnit * scale);
    for (const Points& rows : {data.x, fresh})
      EXPECT_LE(test::max_abs(model.inverse(model.transform(rows)) - rows),
                100 * kUnit * scale * test::max_abs(rows))
          << name_of(options);
  }
}

TEST(Ica, FewerSourcesReachAsFarAsPrincipalComponents) {
  const Mixed data = mixed({Law::laplace, Law::uniform, Law::skewed, Law::sech}, 500, 14);
  const Ica model = Ica::fit(data.x, {.components = 2});
  const Pca pca = Pca::fit(data.x, {.components = 2});
  EXPECT_LE(test::max_abs(model.inverse(model.transform(data.x)) - pca.reconstruct(data.x)),
            1e-12 * test::max_abs(data.x));
  const Value::List& shares = figure(model, "source_variance_share").as_list();
  EXPECT_NEAR(shares[0].as_number() + shares[1].as_number(), pca.report.spectrum->ratios.sum(),
              1e-12);
}

TEST(Ica, TheSourceFarthestFromGaussianComesFirstAndPullsUpwards) {
  const Mixed data = mixed({Law::sech, Law::uniform, Law::skewed, Law::laplace}, 5000, 15);
  for (const IcaOptions& options : ways()) {
    const Ica model = Ica::fit(data.x, options);
    const Value::List& negentropy = figure(model, "source_negentropy").as_list();
    for (std::size_t i = 1; i < 4; ++i)
      EXPECT_GE(negentropy[i - 1].as_number(), negentropy[i].as_number());
    for (Index j = 0; j < 4; ++j)
      EXPECT_EQ(model.mixing().col(j).maxCoeff(), model.mixing().col(j).cwiseAbs().maxCoeff());
    const Value::List& table = figure(model, "mixing").as_list();
    for (Index i = 0; i < 4; ++i)
      for (Index j = 0; j < 4; ++j)
        EXPECT_EQ(table[static_cast<std::size_t>(i)].as_list()[static_cast<std::size_t>(j)],
                  Value(model.mixing()(i, j)));
  }
}

TEST(Ica, FiguresOfASourceAreThoseOfItsScores) {
  const Mixed data = mixed({Law::skewed, Law::uniform}, 400, 16);
  const Ica model = Ica::fit(data.x);
  const Block y = model.transform(data.x);
  for (Index k = 0; k < 2; ++k) {
    const auto at = static_cast<std::size_t>(k);
    const auto u = y.col(k).array();
    const auto bell = (-u.square() / 2).exp();
    const double a = (u * bell).mean(), b = bell.mean() - std::sqrt(0.5);
    // Hyvarinen's constants.
    const double root = std::sqrt(3.0);
    const double negentropy = 36 / (8 * root - 9) * a * a + 24 / (16 * root - 27) * b * b;
    EXPECT_NEAR(figure(model, "source_negentropy").as_list()[at].as_number(), negentropy, 1e-12);
    EXPECT_NEAR(figure(model, "source_excess_kurtosis").as_list()[at].as_number(),
                u.square().square().mean() - 3, 1e-12);
    EXPECT_NEAR(figure(model, "source_skewness").as_list()[at].as_number(), u.cube().mean(), 1e-12);
  }
}

// From the same start the same matrix after the same number of iterations: they amplify rounding
// by less than a thousand.
TEST(Ica, GoesTheWayOfScikitLearnStepByStep) {
  const Block z = test::read_reference("ica_white"), start = test::read_reference("ica_start");
  for (const auto& [word, contrast] : {std::pair{"logcosh", detail::Contrast::logcosh},
                                       {"exp", detail::Contrast::exp},
                                       {"cube", detail::Contrast::cube}}) {
    const detail::Unmixing four = detail::fixed_point(
        z, start, contrast, detail::Approach::symmetric, {.iterations = 4, .tolerance = 0}, {});
    EXPECT_EQ(four.iterations, 4);
    const std::string stem = std::string("ica_") + word;
    EXPECT_LE(test::max_abs(four.w - test::read_reference(stem + "_symmetric")), 1e3 * 120 * kUnit)
        << word;
    const detail::Unmixing alone =
        detail::fixed_point(z, start, contrast, detail::Approach::deflation,
                            {.iterations = 1000, .tolerance = 1e-13}, {});
    const Block theirs = test::read_reference(stem + "_deflation");
    // 1 - |cos| at most 1e-13 is an angle of 4.5e-7, and the last step squares what was left.
    const Block cosines = (alone.w.cwiseProduct(theirs)).rowwise().sum().cwiseAbs();
    EXPECT_LE((1 - cosines.array()).abs().maxCoeff(), 1e-11) << word;
  }
}

TEST(Ica, FindsTheSourcesOfWineThatScikitLearnFinds) {
  const Points wine = test::read_reference("wine");
  const Block theirs = test::read_reference("ica_wine_sources");
  const Ica model =
      Ica::fit(wine, {.components = 5, .tolerance = 1e-14, .scale = Scaling::standard});
  const Block ours = model.transform(wine), products = ours.transpose() * theirs / 178;
  // Up to order and sign each of theirs is one of ours; 1 - |cos| of 1e-14 is an angle of 1.4e-7.
  for (Index j = 0; j < 5; ++j) EXPECT_NEAR(products.col(j).cwiseAbs().maxCoeff(), 1, 1e-9) << j;
}

TEST(Ica, FindsTheSourcesThatFastIcaOfRFinds) {
  const Points rows = test::read_reference("ica_white");
  const Block theirs = test::read_reference("ica_fastica_sources");
  const Ica model = Ica::fit(rows, {.tolerance = 1e-14});
  const Block products = model.transform(rows).transpose() * theirs / 120;
  for (Index j = 0; j < 3; ++j) EXPECT_NEAR(products.col(j).cwiseAbs().maxCoeff(), 1, 1e-9) << j;
}

}  // namespace ica_test
}  // namespace mercer
