// Partial least squares: the peers' numbers, the Krylov form of one target, least squares at full
// rank, definitions written out for several targets and for kernels, cross-validation by fits
// without the fold, awkward tables.
#include "mercer/models/kind/pls.h"

#include "tests/support/dense.h"
#include "tests/support/errors.h"
#include "tests/support/random_points.h"
#include "tests/support/regression_tables.h"

#include <gtest/gtest.h>

#include <cmath>

namespace mercer {
namespace pls_test {

using test::figure_table;
using test::kUnit;
using test::training_of;

using Quad = test::LongBlock;

const Quad quad(const Block& block) { return block.cast<long double>(); }

Quad centred(const Quad& block) { return block.rowwise() - block.colwise().mean(); }

/// Least squares restricted to span{X'y, (X'X) X'y, ...}, in long double.
Block krylov_coefficients(const Points& rows, const Vector& target, Index count) {
  const Quad x = centred(quad(rows)), y = centred(quad(target));
  Quad basis(x.cols(), count);
  Quad next = x.transpose() * y;
  for (Index a = 0; a < count; ++a) {
    for (int round = 0; round < 2; ++round)
      next -= (basis.leftCols(a) * (basis.leftCols(a).transpose() * next)).eval();
    basis.col(a) = next / next.norm();
    next = x.transpose() * (x * basis.col(a));
  }
  const Quad within = test::least_squares(x * basis, y);
  return Quad(basis * within).cast<double>();
}

struct LongFit {
  Block coefficients, scores;
};

/// X and Y deflated in full, the weight by many power steps, in long double.
LongFit deflated_by_hand(const Points& rows, const Points& targets, Index count) {
  Quad x = centred(quad(rows)), y = centred(quad(targets));
  const Quad x0 = x;
  Quad w(x.cols(), count), p(x.cols(), count), q(y.cols(), count), t(x.rows(), count);
  for (Index a = 0; a < count; ++a) {
    const Quad s = x.transpose() * y;
    Quad c = Quad::Ones(y.cols(), 1);
    for (int step = 0; step < 20000; ++step) {
      c = (s.transpose() * (s * c)).eval();
      c /= c.norm();
    }
    w.col(a) = s * c / (s * c).norm();
    t.col(a) = x * w.col(a);
    const long double squares = t.col(a).squaredNorm();
    p.col(a) = x.transpose() * t.col(a) / squares;
    q.col(a) = y.transpose() * t.col(a) / squares;
    x -= (t.col(a) * p.col(a).transpose()).eval();
    y -= (t.col(a) * q.col(a).transpose()).eval();
  }
  const Quad inverse = test::least_squares(p.transpose() * w, Quad::Identity(count, count));
  return {Quad(w * inverse * q.transpose()).cast<double>(), t.cast<double>()};
}

/// Largest difference over the largest number.
double apart(const Block& a, const Block& b) {
  return test::max_abs(a - b) / std::max(test::max_abs(b), 1e-300);
}

Points sample(Index n, Index dim, std::uint64_t seed) {
  const Vector scale = Vector::LinSpaced(dim, 3, 1);
  return (test::random_points({.n = n, .dim = dim, .seed = seed}) * scale.asDiagonal() *
          test::random_orthonormal(dim, dim, seed + 1))
             .rowwise() +
         Eigen::RowVectorXd::LinSpaced(dim, -2, 4);
}

/// Targets that are linear in the rows but for noise of size 0.3.
Points targets_of(const Points& x, Index count, std::uint64_t seed) {
  return Points(x * test::random_points({.n = x.cols(), .dim = count, .seed = seed}) +
                0.3 * test::random_points({.n = x.rows(), .dim = count, .seed = seed + 1}));
}

TEST(Pls, EveryAlgorithmIsThatOfTheRPackage) {
  for (const auto& [name, components, folds] :
       {std::tuple{"gasoline", 8, 10}, {"yarn", 6, 7}, {"olive", 4, 4}}) {
    const Points x = test::read_reference(std::string("pls_") + name + "_x"),
                 y = test::read_reference(std::string("pls_") + name + "_y");
    for (const auto& [ours, theirs] : {std::pair{"nipals", "oscorespls"},
                                       {"nipals", "kernelpls"},
                                       {"nipals", "widekernelpls"},
                                       {"deflation", "oscorespls"},
                                       {"kernel", "widekernelpls"},
                                       {"simpls", "simpls"}}) {
      const Pls model = Pls::fit(training_of(x, y), {.components = components,
                                                     .algorithm = ours,
                                                     .folds = folds,
                                                     .fold_type = "interleaved"});
      const test::ReferenceFit known = test::read_fit(std::string("pls_") + name + "_" + theirs, x);
      // Of wide tables R's own algorithms differ from each other by 1e-9.
      EXPECT_LE(apart(model.linear().coefficients, known.coefficients), 1e-8) << name << ours;
      EXPECT_LE(apart(model.predict(x), known.fitted), 1e-8) << name << ours;
      const Block curve = figure_table(model, "rmsep");
      ASSERT_EQ(curve.cols(), components + 1);
      EXPECT_LE(apart(curve.rightCols(components).transpose(), known.rmsep), 1e-8) << name << ours;
    }
  }
}

TEST(Pls, SeveralTargetsAreThoseOfScikitLearn) {
  for (const auto& [name, components] : {std::pair{"olive", 3}, {"gasoline", 8}})
    for (const bool scaled : {false, true}) {
      const Points x = test::read_reference(std::string("pls_") + name + "_x"),
                   y = test::read_reference(std::string("pls_") + name + "_y");
      const test::ReferenceFit known =
          test::read_fit(std::string("pls_") + name + "_sklearn" + (scaled ? "_scaled" : ""), x);
      const Pls model =
          Pls::fit(training_of(x, y), {.components = components,
                                       .scale_targets = scaled,
                                       .scale = scaled ? Scaling::standard : Scaling::none});
      EXPECT_LE(apart(figure_table(model, "coefficients"), known.coefficients), 1e-8) << name;
      EXPECT_LE(apart(model.predict(x), known.fitted), 1e-8) << name;
    }
}

TEST(Pls, OfOneTargetIsLeastSquaresInAKrylovSpaceWhateverTheAlgorithm) {
  for (const auto& [n, dim] : {std::pair<Index, Index>{60, 8}, {12, 40}, {30, 30}}) {
    const Points x = sample(n, dim, 3), y = targets_of(x, 1, 5);
    for (const Index count : {1, 2, 5, 7}) {
      const Block known = krylov_coefficients(x, y.col(0), count);
      for (const char* algorithm : {"auto", "nipals", "simpls", "deflation", "kernel"}) {
        const Pls model =
            Pls::fit(training_of(x, y), {.components = count, .algorithm = algorithm});
        EXPECT_LE(apart(model.linear().coefficients, known), 1e-12) << algorithm << n << count;
      }
    }
  }
}

TEST(Pls, SeveralTargetsAreThoseOfTheDefinition) {
  const Points x = sample(40, 7, 7), y = targets_of(x, 3, 8);
  const LongFit known = deflated_by_hand(x, y, 4);
  for (const char* algorithm : {"nipals", "deflation", "kernel"}) {
    const Pls model = Pls::fit(training_of(x, y), {.components = 4, .algorithm = algorithm});
    EXPECT_LE(apart(model.linear().coefficients, known.coefficients), 1e-11) << algorithm;
    EXPECT_LE(test::difference_up_to_sign(model.transform(x), known.scores), 1e-10) << algorithm;
  }
  const Pls other = Pls::fit(training_of(x, y), {.components = 4, .algorithm = "simpls"});
  EXPECT_GT(apart(other.linear().coefficients, known.coefficients), 1e-6);
}

TEST(Pls, AsManyComponentsAsTheRankAreLeastSquares) {
  const Points x = sample(50, 6, 9), y = targets_of(x, 2, 10);
  const Quad known = test::least_squares(centred(quad(x)), centred(quad(y)));
  for (const char* algorithm : {"nipals", "simpls", "deflation", "kernel"}) {
    const Pls model =
        Pls::fit(training_of(x, y), {.components = Components::all(), .algorithm = algorithm});
    EXPECT_EQ(model.score_columns(), 6);
    EXPECT_LE(apart(model.linear().coefficients, known.cast<double>()), 1e-11) << algorithm;
  }
}

TEST(Pls, ScoresAreOrthogonalAndLoadingsGiveTheRowsBack) {
  const Points x = sample(80, 12, 11), y = targets_of(x, 2, 12);
  for (const char* algorithm : {"nipals", "simpls", "deflation", "kernel"}) {
    const Pls model = Pls::fit(training_of(x, y), {.components = 12, .algorithm = algorithm});
    Block scores = model.transform(x);
    for (Index a = 0; a < scores.cols(); ++a) scores.col(a) /= scores.col(a).norm();
    EXPECT_LE(test::orthogonality_ratio(scores), 1e4) << algorithm;
    const Block loadings = figure_table(model, "loadings");
    const Block back = model.transform(x) * loadings.transpose();
    EXPECT_LE(apart(back, test::centred_rows(x)), 1e-10) << algorithm;
    EXPECT_NEAR(figure_table(model, "x_explained").sum(), 1, 1e-11) << algorithm;
    const Vector vip = figure_table(model, "vip");
    EXPECT_NEAR(vip.squaredNorm(), 12, 1e-9) << algorithm;  // weights are units
  }
}

// RMSEP of 1, 2, 3 components by its definition: fits that know nothing of the rows left out, not
// even for scaling.
Block rmsep_by_definition(const Points& x, const Points& y, PlsOptions options) {
  Block squares = Block::Zero(2, 4);
  for (const Range out : {Range{0, 8}, Range{8, 16}, Range{16, 23}, Range{23, 30}}) {
    Points rest(30 - out.size(), x.cols()), rest_y(30 - out.size(), 2);
    rest << x.topRows(out.begin), x.bottomRows(30 - out.end);
    rest_y << y.topRows(out.begin), y.bottomRows(30 - out.end);
    const Points own = x.middleRows(out.begin, out.size());
    const Points truth = y.middleRows(out.begin, out.size());
    const Points about = truth.rowwise() - rest_y.colwise().mean();
    squares.col(0) += about.colwise().squaredNorm().transpose();
    for (Index k = 1; k <= 3; ++k) {
      options.components = k;
      const Pls without = Pls::fit(training_of(rest, rest_y), options);
      squares.col(k) += (without.predict(own) - truth).colwise().squaredNorm().transpose();
    }
  }
  return (squares / 30).cwiseSqrt();
}

TEST(Pls, RowsLeftOutArePredictedAsByAFitWithoutThem) {
  // Units and spreads that differ between the folds, so that it counts who scales.
  Points x = sample(30, 5, 13);
  x.topRows(8) *= 4;
  x.col(2) *= 50;
  const Points y = targets_of(x, 2, 14);
  for (const Scaling scale : {Scaling::none, Scaling::standard, Scaling::range, Scaling::whiten})
    for (const char* kernel : {"linear", "gaussian:sigma=9"})
      for (const char* algorithm : {"auto", "kernel", "simpls"})
        for (const bool targets : {false, true}) {
          if (kernel != std::string("linear") && algorithm == std::string("simpls")) continue;
          PlsOptions options{
              .algorithm = algorithm, .kernel = kernel, .scale_targets = targets, .scale = scale};
          const Block known = rmsep_by_definition(x, y, options);
          options.components = 3;
          options.folds = 4;
          options.fold_type = "consecutive";
          const Pls model = Pls::fit(training_of(x, y), options);
          EXPECT_LE(apart(figure_table(model, "rmsep"), known), 1e-10)
              << kernel << algorithm << static_cast<int>(scale) << targets;
        }
}

TEST(Pls, ComponentsAreChosenByTheOneStandardErrorRule) {
  // Two directions carry the target; the others are noise.
  const Points x = test::random_points({.n = 200, .dim = 10, .seed = 15});
  Points y =
      x.col(0) + 0.5 * x.col(1) + 0.5 * test::random_points({.n = 200, .dim = 1, .seed = 16});
  const Pls chosen = Pls::fit(training_of(x, y), {.components = Components::automatic()});
  const Pls best = Pls::fit(training_of(x, y), {.components = Components::automatic("min")});
  const Block curve = figure_table(chosen, "rmsep");
  Index least = 0;
  curve.row(0).minCoeff(&least);
  EXPECT_EQ(best.score_columns(), least);
  EXPECT_LE(chosen.score_columns(), least);
  EXPECT_GE(chosen.score_columns(), 1);
  EXPECT_FALSE(test::has_warning(chosen.report.warnings, WarningCode::no_better_than_mean));
  const Points noise = test::random_points({.n = 200, .dim = 1, .seed = 17});
  EXPECT_TRUE(test::has_warning(
      Pls::fit(training_of(x, noise), {.components = Components::automatic()}).report.warnings,
      WarningCode::no_better_than_mean));
}

TEST(Pls, AShareIsOfTheVarianceOfTheColumns) {
  const Points x = sample(60, 9, 38), y = targets_of(x, 2, 39);
  for (const char* algorithm : {"nipals", "simpls", "deflation", "kernel"}) {
    const Pls model =
        Pls::fit(training_of(x, y), {.components = Components::share(0.7), .algorithm = algorithm});
    const Vector explained = figure_table(model, "x_explained");
    EXPECT_GE(explained.sum(), 0.7) << algorithm;
    EXPECT_LT(explained.head(explained.size() - 1).sum(), 0.7) << algorithm;
    const Block scores = model.transform(x);
    const double total = test::centred_rows(x).squaredNorm();
    double sum = 0;
    for (Index a = 0; a < scores.cols(); ++a)
      sum += (test::centred_rows(x).transpose() * scores.col(a)).squaredNorm() /
             scores.col(a).squaredNorm();
    EXPECT_NEAR(explained.sum(), sum / total, 1e-12) << algorithm;
  }
}

TEST(Pls, AKernelOfProductsIsTheLinearFit) {
  const Points x = sample(40, 6, 18), y = targets_of(x, 2, 19), fresh = sample(9, 6, 20);
  const Pls linear = Pls::fit(training_of(x, y), {.components = 4});
  const Pls kernel = Pls::fit(training_of(x, y),
                              {.components = 4, .kernel = "polynomial:degree=1,offset=0,scale=1"});
  EXPECT_LE(apart(kernel.predict(fresh), linear.predict(fresh)), 1e-11);
  EXPECT_LE(apart(kernel.transform(fresh), linear.transform(fresh)), 1e-10);
  EXPECT_LE(apart(figure_table(kernel, "x_explained"), figure_table(linear, "x_explained")), 1e-11);
}

TEST(Pls, AKernelFitIsThatOfTheCentredMatrixDeflatedInFull) {
  const Points x = sample(35, 4, 21), fresh = sample(8, 4, 22);
  const Points y = (x.col(0).array().sin() + x.col(1).array() * x.col(2).array()).matrix();
  const Kernel kernel("gaussian:sigma=4");
  const Quad k = quad(test::dense_kernel(kernel, x));
  const Quad p = Quad::Identity(35, 35) - Quad::Constant(35, 35, 1.0L / 35);
  const Quad centre = p * k * p, y0 = centred(quad(y));
  Quad left = centre, t(35, 5), u(35, 5), rest = y0;
  for (Index a = 0; a < 5; ++a) {
    u.col(a) = rest;
    t.col(a) = left * rest;
    t.col(a) /= t.col(a).norm();
    const Quad out = Quad::Identity(35, 35) - t.col(a) * t.col(a).transpose();
    left = (out * left * out).eval();
    rest = (out * rest).eval();
  }
  const Quad inner = t.transpose() * centre * u;
  const Quad alpha = u * test::least_squares(inner, t.transpose() * y0);
  Points both(43, 4);
  both << x, fresh;
  const Quad cross = quad(test::dense_kernel(kernel, both)).block(35, 0, 8, 35);
  const Quad known =
      ((cross - Quad::Ones(8, 1) * k.colwise().mean()) * p * alpha).array() + quad(y).mean();
  const Pls model = Pls::fit(training_of(x, y), {.components = 5, .kernel = kernel});
  EXPECT_LE(apart(model.predict(fresh), known.cast<double>()), 1e-9);
}

TEST(Pls, WideTablesAreFittedByProductsOfRows) {
  const Points x = sample(12, 150, 23), y = targets_of(x, 2, 24);
  const Pls chosen = Pls::fit(training_of(x, y), {.components = 5});
  const Pls passes = Pls::fit(training_of(x, y), {.components = 5, .algorithm = "nipals"});
  EXPECT_LE(apart(chosen.linear().coefficients, passes.linear().coefficients), 1e-10);
  EXPECT_LE(apart(chosen.linear().directions, passes.linear().directions), 1e-10);
}

TEST(Pls, OffsetsAndScalesOfTheNumbersCostNoDigits) {
  const Points x = test::coarse_points({.n = 50, .dim = 5, .seed = 25}), y = targets_of(x, 2, 26);
  const Pls model = Pls::fit(training_of(x, y), {.components = 3});
  const Points far = x.array() + 1e8;
  const Pls moved = Pls::fit(training_of(far, y), {.components = 3});
  // The rows themselves are exact; their mean is rounded to 1e8 u.
  EXPECT_LE(apart(moved.linear().coefficients, model.linear().coefficients), 1e-12);
  EXPECT_LE(apart(moved.predict(far), model.predict(x)), 1e-7);
  for (const double scale : {0x1p-330, 0x1p330}) {
    const Pls large = Pls::fit(training_of(x * scale, y), {.components = 3});
    EXPECT_LE(apart(large.predict(Points(x * scale)), model.predict(x)), 1e-14) << scale;
    const Pls other = Pls::fit(training_of(x, y * scale), {.components = 3});
    EXPECT_LE(apart(other.predict(x) / scale, model.predict(x)), 1e-14) << scale;
  }
}

TEST(Pls, WhatTheColumnsLackIsWarnedOf) {
  Points x(40, 5);
  x << sample(40, 3, 27), Points::Zero(40, 2);
  x.col(3) = x.col(0) + x.col(1);
  x.col(4).setConstant(7);
  const Points y = targets_of(x, 1, 28);
  for (const char* algorithm : {"nipals", "simpls", "deflation", "kernel"}) {
    const Pls model = Pls::fit(training_of(x, y), {.components = 5, .algorithm = algorithm});
    EXPECT_EQ(model.score_columns(), 3) << algorithm;
    EXPECT_TRUE(test::has_warning(model.report.warnings, WarningCode::rank_lower)) << algorithm;
    const Points three = x.leftCols(3);
    const Quad known = test::least_squares(centred(quad(three)), centred(quad(y)));
    const Block fitted = (test::centred_rows(three) * known.cast<double>()).array() + y.mean();
    EXPECT_LE(apart(model.predict(x), fitted), 1e-11) << algorithm;
  }
  Points own(40, 2);
  own << y, Points::Constant(40, 1, 3);
  Points with(40, 4);
  with << x.leftCols(3), 2 - 5 * y.array();
  const Pls known = Pls::fit(training_of(with, own), {.components = 2});
  EXPECT_TRUE(test::has_warning(known.report.warnings, WarningCode::target_among_columns));
  EXPECT_TRUE(test::has_warning(known.report.warnings, WarningCode::constant_target));
  EXPECT_LE(test::max_abs((known.predict(with).col(1).array() - 3).matrix()), 1e-14);
}

TEST(Pls, BadTargetsAndCountsAreRefused) {
  const Points x = sample(20, 4, 29), y = targets_of(x, 1, 30);
  const auto code = [](const Points& rows, const Points& targets, const PlsOptions& options = {}) {
    return test::code_of([&] { Pls::fit(training_of(rows, targets), options); });
  };
  EXPECT_EQ(code(x, Points::Constant(20, 1, 4)), "M254");
  Points bad = y;
  bad(3, 0) = std::nan("");
  EXPECT_EQ(code(x, bad), "M212");
  EXPECT_EQ(code(x, y.topRows(19)), "M247");
  EXPECT_EQ(code(x, y, {.components = 5}), "M233");
  EXPECT_EQ(code(x.topRows(3), y.topRows(3), {.components = 3}), "M233");
  EXPECT_EQ(code(x.topRows(1), y.topRows(1)), "M230");
  EXPECT_EQ(code(x, y, {.folds = 1}), "M102");
  EXPECT_EQ(code(x, y, {.folds = 21}), "M102");
  EXPECT_EQ(code(x, y, {.components = Components::automatic("best")}), "M102");
  EXPECT_EQ(code(x, y, {.algorithm = "simpls", .kernel = "gaussian"}), "M102");
  Points apart_columns(4, 1), apart_targets(4, 1);
  apart_columns << 1, -1, 1, -1;
  apart_targets << 1, 1, -1, -1;
  EXPECT_EQ(code(apart_columns, apart_targets), "M257");
}

TEST(Pls, OneColumnAndTwoRowsAreFitsToo) {
  const Points x = sample(20, 1, 31), y = targets_of(x, 2, 32);
  const Pls line = Pls::fit(training_of(x, y), {.folds = 20});
  EXPECT_EQ(line.score_columns(), 1);
  const double slope = (test::centred_rows(x).transpose() * test::centred_rows(y))(0, 1) /
                       test::centred_rows(x).squaredNorm();
  EXPECT_NEAR(line.linear().coefficients(0, 1), slope, 1e-14 * std::abs(slope));
  const Pls two = Pls::fit(training_of(sample(2, 3, 33), y.topRows(2)), {});
  EXPECT_LE(apart(two.predict(sample(2, 3, 33)), y.topRows(2)), 1e-13);
}

}  // namespace pls_test
}  // namespace mercer
