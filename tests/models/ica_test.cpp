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
#include "tests/support/dense.h"
#include "tests/support/errors.h"
#include "tests/support/random_points.h"

#include <Eigen/LU>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <numbers>

namespace mercer {
namespace ica_test {

using test::code_of;
using test::kUnit;

enum class Law { sech, laplace, uniform, gaussian, skewed };

double draw(Law law, double u, double normal) {
  switch (law) {
    case Law::sech:
      return std::log(std::tan(std::numbers::pi * u / 2));
    case Law::laplace:
      return u < 0.5 ? std::log(2 * u) : -std::log(2 - 2 * u);
    case Law::uniform:
      return 2 * u - 1;
    case Law::skewed:
      return -std::log(u) - 1;
    case Law::gaussian:
      break;
  }
  return normal;
}

struct Mixed {
  Points sources, x;
  Block mixing;
};

/// A column of sources for each law, mixed by a random square matrix and moved.
Mixed mixed(const std::vector<Law>& laws, Index n, std::uint64_t seed) {
  const auto k = static_cast<Index>(laws.size());
  Mixed all{Points(n, k), {}, {}};
  const Random random(seed);
  for (Index i = 0; i < n; ++i)
    for (Index j = 0; j < k; ++j) {
      const auto at = static_cast<std::uint64_t>(i * k + j);
      all.sources(i, j) =
          draw(laws[static_cast<std::size_t>(j)], random.uniform(at), random.normal(at));
    }
  all.mixing = test::random_points({.n = k, .dim = k, .seed = seed + 1});
  all.x = all.sources * all.mixing.transpose();
  all.x.rowwise() += Eigen::RowVectorXd::LinSpaced(k, -3, 5);
  return all;
}

/// 0 where p is a permutation of columns and scales, 1 at most.
double amari(const Block& p) {
  const Block a = p.cwiseAbs();
  double sum = 0;
  for (Index i = 0; i < a.rows(); ++i)
    sum += a.row(i).sum() / a.row(i).maxCoeff() + a.col(i).sum() / a.col(i).maxCoeff() - 2;
  return sum / static_cast<double>(2 * a.rows() * (a.rows() - 1));
}

double amari(const Ica& model, const Mixed& data) { return amari(model.unmixing() * data.mixing); }

Block second_moments(const Block& y) { return y.transpose() * y / static_cast<double>(y.rows()); }

const Value& figure(const Model& model, const std::string& name) {
  for (const Figure& one : model.report.figures)
    if (one.name == name) return one.value;
  ADD_FAILURE() << "no figure " << name;
  static const Value none;
  return none;
}

/// Every algorithm with every choice it has.
std::vector<IcaOptions> ways() {
  std::vector<IcaOptions> all = {{.algorithm = IcaAlgorithm::likelihood}};
  for (const std::string_view contrast : kIcaContrasts)
    for (const std::string_view approach : kIcaApproaches)
      all.push_back({.contrast = contrast, .approach = approach});
  return all;
}

std::string name_of(const IcaOptions& options) {
  return std::string(options.algorithm.word()) + " " + std::string(options.contrast.word()) + " " +
         std::string(options.approach.word());
}

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

Block read_matrix(const std::string& name) {
  std::ifstream file(std::string(MERCER_TEST_DATA) + "/" + name + ".csv");
  EXPECT_TRUE(file.good()) << name;
  std::vector<std::vector<double>> rows;
  for (std::string line; std::getline(file, line);) {
    rows.emplace_back();
    for (const std::string& cell : split(line, ','))
      rows.back().push_back(parse_number(trim(cell)).value());
  }
  Block matrix(static_cast<Index>(rows.size()), static_cast<Index>(rows.at(0).size()));
  for (Index i = 0; i < matrix.rows(); ++i)
    for (Index j = 0; j < matrix.cols(); ++j)
      matrix(i, j) = rows[static_cast<std::size_t>(i)].at(static_cast<std::size_t>(j));
  return matrix;
}

// From the same start the same matrix after the same number of iterations: they amplify rounding
// by less than a thousand.
TEST(Ica, GoesTheWayOfScikitLearnStepByStep) {
  const Block z = read_matrix("ica_white"), start = read_matrix("ica_start");
  for (const auto& [word, contrast] : {std::pair{"logcosh", detail::Contrast::logcosh},
                                       {"exp", detail::Contrast::exp},
                                       {"cube", detail::Contrast::cube}}) {
    const detail::Unmixing four = detail::fixed_point(
        z, start, contrast, detail::Approach::symmetric, {.iterations = 4, .tolerance = 0}, {});
    EXPECT_EQ(four.iterations, 4);
    const std::string stem = std::string("ica_") + word;
    EXPECT_LE(test::max_abs(four.w - read_matrix(stem + "_symmetric")), 1e3 * 120 * kUnit) << word;
    const detail::Unmixing alone =
        detail::fixed_point(z, start, contrast, detail::Approach::deflation,
                            {.iterations = 1000, .tolerance = 1e-13}, {});
    const Block theirs = read_matrix(stem + "_deflation");
    // 1 - |cos| at most 1e-13 is an angle of 4.5e-7, and the last step squares what was left.
    const Block cosines = (alone.w.cwiseProduct(theirs)).rowwise().sum().cwiseAbs();
    EXPECT_LE((1 - cosines.array()).abs().maxCoeff(), 1e-11) << word;
  }
}

TEST(Ica, FindsTheSourcesOfWineThatScikitLearnFinds) {
  const Points wine = read_matrix("wine");
  const Block theirs = read_matrix("ica_wine_sources");
  const Ica model =
      Ica::fit(wine, {.components = 5, .tolerance = 1e-14, .scale = Scaling::standard});
  const Block ours = model.transform(wine), products = ours.transpose() * theirs / 178;
  // Up to order and sign each of theirs is one of ours; 1 - |cos| of 1e-14 is an angle of 1.4e-7.
  for (Index j = 0; j < 5; ++j) EXPECT_NEAR(products.col(j).cwiseAbs().maxCoeff(), 1, 1e-9) << j;
}

TEST(Ica, FindsTheSourcesThatFastIcaOfRFinds) {
  const Points rows = read_matrix("ica_white");
  const Block theirs = read_matrix("ica_fastica_sources");
  const Ica model = Ica::fit(rows, {.tolerance = 1e-14});
  const Block products = model.transform(rows).transpose() * theirs / 120;
  for (Index j = 0; j < 3; ++j) EXPECT_NEAR(products.col(j).cwiseAbs().maxCoeff(), 1, 1e-9) << j;
}

TEST(Ica, GaussianSourcesAreNotTakenForOthers) {
  int warned = 0;
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    const Points x = test::random_points({.n = 1000, .dim = 4, .seed = 100 + seed});
    const Ica model = Ica::fit(x, {.seed = static_cast<Index>(seed)});
    ASSERT_EQ(model.report.warnings.size(), 1U);
    EXPECT_EQ(model.report.warnings[0].code, WarningCode::not_identifiable);
    warned += model.report.warnings[0].message.starts_with("4 of 4 sources") ? 1 : 0;
  }
  // Each is missed with a probability of 0.01 at most: three of 40 or more with less than 0.01.
  EXPECT_GE(warned, 38);
}

// The largest |e_i M_ij - e_j M_ji|, M = mean(tanh(y) y').
double steepest(const Block& m, const Vector& e) {
  const Block slope = e.asDiagonal() * m;
  return test::max_abs(slope - slope.transpose());
}

// Of rows that are Gaussian the fixed point alone would not settle. Where it does, e is the sign of
// the curvature; where the objective was climbed, that of its terms.
TEST(Ica, EndsWhereTheObjectiveIsFlatWhateverTheRows) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const Points x = test::random_points({.n = 300, .dim = 3, .seed = 200 + seed});
    const Ica model = Ica::fit(x);
    ASSERT_TRUE(model.report.converged) << seed;
    const Block y = model.transform(x), t = y.array().tanh();
    const Block m = t.transpose() * y / 300;
    const Vector slopes = (1 - t.array().square()).colwise().mean();
    const Vector bent = (m.diagonal() - slopes).cwiseSign();
    const Vector terms = y.array().cosh().log().colwise().mean() - 0.374567207491438;
    // Two curvatures of about 1 / sqrt(n); 1 - |cos| <= 1e-6 is an angle of 1.4e-3.
    EXPECT_LE(std::min(steepest(m, bent), steepest(m, terms.cwiseSign())),
              2 * 1.4e-3 / std::sqrt(300.0))
        << seed;
  }
}

TEST(Ica, OneGaussianSourceIsNoAmbiguityAndTwoAre) {
  const Mixed one = mixed({Law::gaussian, Law::laplace, Law::uniform}, 5000, 17);
  const Ica model = Ica::fit(one.x);
  EXPECT_LT(amari(model, one), 0.04);  // the Gaussian one is what the two others leave
  EXPECT_TRUE(model.report.warnings.empty());
  const Mixed two = mixed({Law::gaussian, Law::laplace, Law::gaussian}, 5000, 18);
  const Ica other = Ica::fit(two.x);
  ASSERT_EQ(other.report.warnings.size(), 1U);
  EXPECT_EQ(other.report.warnings[0].code, WarningCode::not_identifiable);
  EXPECT_NE(other.report.warnings[0].message.find("2 of 3 sources"), std::string::npos);
}

TEST(Ica, NoMoreSourcesThanTheRank) {
  Points x = mixed({Law::laplace, Law::uniform, Law::skewed}, 300, 19).x;
  Points flat(300, 6);
  flat << x, x * Block(test::random_points({.n = 3, .dim = 2, .seed = 20})),
      Points::Constant(300, 1, 4.0);
  const Ica all = Ica::fit(flat);
  EXPECT_EQ(all.score_columns(), 3);
  EXPECT_TRUE(all.report.warnings.empty());
  EXPECT_LE(test::max_abs(all.mixing().row(5)), 1e-13) << "of the constant column";
  const Ica asked = Ica::fit(flat, {.components = 5});
  EXPECT_EQ(asked.score_columns(), 3);
  EXPECT_TRUE(test::has_warning(asked.report.warnings, WarningCode::rank_lower));
  EXPECT_EQ(code_of([&] { Ica::fit(flat, {.components = 7}); }), "M233");
}

TEST(Ica, DirectionsOfRoundingAreNotWhitened) {
  const Points x = mixed({Law::laplace, Law::uniform}, 300, 21).x;
  Points nearly(300, 3);
  nearly << x, x.col(0) + 1e-7 * Vector(test::random_points({.n = 300, .dim = 1, .seed = 22}));
  const Ica model = Ica::fit(nearly, {.components = 3});
  EXPECT_EQ(model.score_columns(), 2);
  EXPECT_TRUE(test::has_warning(model.report.warnings, WarningCode::rank_lower));
}

TEST(Ica, FewRowsInManyColumns) {
  const Points x = test::random_points({.n = 12, .dim = 40, .seed = 23});
  const Ica model = Ica::fit(x);
  EXPECT_EQ(model.score_columns(), 11);
  ASSERT_TRUE(test::has_warning(model.report.warnings, WarningCode::not_identifiable));
  EXPECT_LE(test::max_abs(model.inverse(model.transform(x)) - x), 1e-12);
  const Ica few = Ica::fit(x, {.components = 2, .algorithm = "likelihood"});
  EXPECT_EQ(few.score_columns(), 2);
  EXPECT_TRUE(few.transform(x).allFinite());
}

TEST(Ica, OneColumnIsItsOwnSource) {
  const Points x = mixed({Law::laplace}, 200, 24).x;
  for (const IcaOptions& options : ways()) {
    const Ica model = Ica::fit(x, options);
    const Vector y = model.transform(x).col(0);
    const Vector centred = x.array() - x.mean();
    EXPECT_GT(model.mixing()(0, 0), 0);
    EXPECT_LE(test::max_abs(y * model.mixing()(0, 0) - centred), 1e-13 * test::max_abs(centred));
    EXPECT_TRUE(model.report.warnings.empty()) << name_of(options);
  }
}

TEST(Ica, RefusesWhatItCannotFit) {
  const Points x = mixed({Law::laplace, Law::uniform}, 50, 25).x;
  EXPECT_EQ(code_of([&] { Ica::fit(Points(x.topRows(1))); }), "M230");
  EXPECT_EQ(code_of([&] { Ica::fit(Points(x.row(0).replicate(9, 1))); }), "M231");
  EXPECT_EQ(code_of([&] { Ica::fit(x, {.contrast = "sixth"}); }), "M102");
  EXPECT_EQ(code_of([&] { Ica::fit(x, {.algorithm = "likelihood", .contrast = "exp"}); }), "M102");
  EXPECT_EQ(code_of([&] { Ica::fit(x, {.algorithm = "likelihood", .approach = "deflation"}); }),
            "M102");
  EXPECT_EQ(code_of([&] { Ica::fit(x, {.extended = false}); }), "M102");
  EXPECT_EQ(code_of([&] { Ica::fit(x, {.tolerance = Tolerance::of_eigenvalues(1e-3)}); }), "M102");
  EXPECT_EQ(code_of([&] { Ica::fit(x, {.components = Components::automatic()}); }), "M102");
}

TEST(Ica, OffsetsAndScalesDoNotMatter) {
  const Mixed data = mixed({Law::laplace, Law::uniform, Law::skewed}, 500, 26);
  for (const IcaOptions& options : {IcaOptions{}, IcaOptions{.algorithm = "likelihood"}}) {
    const Block y = Ica::fit(data.x, options).transform(data.x);
    for (const double scale : {1e-100, 1e100}) {
      const Points scaled = data.x * scale;
      EXPECT_LE(test::max_abs(Ica::fit(scaled, options).transform(scaled) - y), 1e-9) << scale;
    }
    // An offset of 1e8 takes eight digits of the values.
    const Points moved = (data.x.array() + 1e8).matrix();
    EXPECT_LE(test::max_abs(Ica::fit(moved, options).transform(moved) - y), 1e-5);
  }
}

TEST(Ica, RowsInAnotherOrderHaveTheSameSources) {
  const Mixed data = mixed({Law::laplace, Law::uniform, Law::skewed}, 300, 33);
  const Points turned = data.x.colwise().reverse();
  for (const IcaOptions& options : ways()) {
    const Block y = Ica::fit(data.x, options).transform(data.x),
                z = Ica::fit(turned, options).transform(data.x);
    // The likelihood stops at a gradient of 1e-6; others go on to rounding.
    const bool likely = options.algorithm == IcaAlgorithm::likelihood;
    EXPECT_LE(test::max_abs(z - y), likely ? 1e-8 : 1e-10) << name_of(options);
  }
}

TEST(Ica, CopiesOfAllRowsChangeNothing) {
  const Mixed data = mixed({Law::laplace, Law::uniform, Law::skewed}, 400, 27);
  Points twice(800, 3);
  twice << data.x, data.x;
  const Block y = Ica::fit(data.x).transform(data.x), z = Ica::fit(twice).transform(data.x);
  EXPECT_LE(test::max_abs(y - z), 1e-9);
}

TEST(Ica, MoreStartsGiveNoSmallerObjective) {
  const Points x = test::random_points({.n = 80, .dim = 6, .seed = 28}).array().cube();
  for (IcaOptions options : {IcaOptions{}, IcaOptions{.algorithm = "likelihood"}}) {
    const bool likely = options.algorithm == IcaAlgorithm::likelihood;
    const char* name = likely ? "log_likelihood" : "objective";
    double before = -1e300;
    for (const Index restarts : {0, 2, 8}) {
      options.restarts = restarts;
      const Ica model = Ica::fit(x, options);
      EXPECT_GE(figure(model, name).as_number(), before);
      before = figure(model, name).as_number();
    }
  }
}

TEST(Ica, SaysWhereItDidNotConverge) {
  const Mixed data = mixed({Law::laplace, Law::uniform, Law::skewed}, 500, 29);
  for (IcaOptions options : ways()) {
    options.iterations = 1;
    options.tolerance = 1e-12;
    const Ica model = Ica::fit(data.x, options);
    EXPECT_FALSE(model.report.converged) << name_of(options);
    EXPECT_TRUE(test::has_warning(model.report.warnings, WarningCode::tolerance_not_reached));
    EXPECT_EQ(figure(model, "iterations").as_number(), 1);
  }
}

TEST(Ica, IsStoppedByTheTimeWithAnAnswerAndByTheUserWithNone) {
  const Mixed data = mixed({Law::laplace, Law::uniform, Law::skewed}, 500, 30);
  for (IcaOptions options : ways()) {
    options.tolerance = 1e-14;
    bool unmixing = false;
    Context context;
    context.observer.progress = [&](const Progress& progress) {
      unmixing = unmixing || progress.phase == "unmixing";
    };
    context.observer.out_of_time = [&] { return unmixing; };
    const Ica model = Ica::fit(data.x, options, context);
    EXPECT_FALSE(model.report.converged);
    EXPECT_TRUE(test::has_warning(model.report.warnings, WarningCode::time_ran_out));
    EXPECT_LE(test::max_abs(model.inverse(model.transform(data.x)) - data.x), 1e-11);
    unmixing = false;
    context.observer.out_of_time = nullptr;
    context.observer.cancelled = [&] { return unmixing; };
    EXPECT_EQ(code_of([&] { Ica::fit(data.x, options, context); }), "M001") << name_of(options);
  }
}

TEST(Ica, CountsTheWhitenedRows) {
  const Mixed data = mixed({Law::laplace, Law::uniform, Law::skewed}, 20000, 31);
  Context context;
  context.account.emplace(std::uint64_t{1} << 30);
  const std::uint64_t before = context.memory_left();
  std::uint64_t least = before;
  context.observer.progress = [&](const Progress& progress) {
    if (progress.phase == "unmixing") least = std::min(least, context.memory_left());
  };
  static_cast<void>(Ica::fit(data.x, {}, context));
  EXPECT_GE(before - least, 8U * 3 * 20000);
  EXPECT_EQ(context.memory_left(), before);
}

TEST(Ica, RefusesAStateThatIsNotWhole) {
  const Ica model = Ica::fit(mixed({Law::laplace, Law::uniform}, 50, 32).x);
  EXPECT_EQ(code_of([&] { Ica::from(model.state()); }), "no error");
  for (const char* name : {"mixing", "unmixing", "mean"}) {
    State lacks = model.state();
    std::erase_if(lacks.arrays, [&](const Array& array) { return array.name == name; });
    EXPECT_EQ(code_of([&] { Ica::from(std::move(lacks)); }), "M703") << name;
    State wrong = model.state();
    Array& array = wrong.array(name);
    array = Array::of(name, Points(Points::Constant(1, 1, 0.0)));
    EXPECT_EQ(code_of([&] { Ica::from(std::move(wrong)); }), "M703") << name;
    State holed = model.state();
    const double hole = std::nan("");
    std::memcpy(holed.array(name).bytes.data(), &hole, sizeof(hole));
    EXPECT_EQ(code_of([&] { Ica::from(std::move(holed)); }), "M703") << name;
  }
}

// Definitions in long double; 5003 numbers do not fill registers, make several sums, and reach from
// tiny to huge.
TEST(IcaLoops, AddUpWhatTheirDefinitionsSay) {
  using Long = long double;
  Block z(5003, 1);
  for (Index i = 0; i < 5003; ++i)
    z(i, 0) = (i % 2 == 0 ? 1 : -1) * std::pow(10.0, -6 + 8.0 * static_cast<double>(i) / 5002);
  const Block w = Block::Ones(1, 1);
  Long slope[3] = {}, product[3] = {}, tanh_product = 0, cosh = 0, sech = 0, curve = 0, size = 0;
  for (Index i = 0; i < 5003; ++i) {
    const Long y = z(i, 0), t = std::tanh(y), bell = std::exp(-y * y / 2);
    const Long g[3] = {t, y * bell, y * y * y}, d[3] = {1 - t * t, (1 - y * y) * bell, 3 * y * y};
    for (int c = 0; c < 3; ++c) {
      slope[c] += d[c];
      product[c] += g[c] * y;
    }
    tanh_product += t * y;
    cosh += std::abs(y) + std::log1p(std::exp(-2 * std::abs(y))) - std::numbers::ln2_v<Long>;
    sech += 1 - t * t;
    curve += (1 - t * t) * y * y;
    size += std::abs(y);
  }
  for (int c = 0; c < 3; ++c) {
    const detail::ContrastSums sums =
        detail::contrast_sums(z, w, static_cast<detail::Contrast>(c), {});
    // Terms of the bell have both signs; they are smaller than 1.
    const double allowed = 5003 * 4 * kUnit;
    EXPECT_NEAR(sums.slopes[0], static_cast<double>(slope[c]),
                allowed * std::max(1.0, std::abs(static_cast<double>(slope[c]))));
    EXPECT_NEAR(sums.products(0, 0), static_cast<double>(product[c]),
                allowed * std::max(1.0, std::abs(static_cast<double>(product[c]))));
  }
  const detail::TanhSums sums = detail::tanh_sums(z, w, {});
  EXPECT_NEAR(sums.products(0, 0), static_cast<double>(tanh_product),
              5003 * 4 * kUnit * static_cast<double>(size));
  EXPECT_NEAR(sums.log_cosh[0], static_cast<double>(cosh),
              5003 * 4 * kUnit * static_cast<double>(size));
  EXPECT_NEAR(sums.slopes[0], static_cast<double>(sech), 5003 * 8 * kUnit);
  EXPECT_NEAR(sums.curves[0], static_cast<double>(curve), 5003 * 8 * kUnit);
}

}  // namespace ica_test
}  // namespace mercer
