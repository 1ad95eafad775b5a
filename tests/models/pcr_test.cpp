// Principal component regression: R's pcr, least squares with all components, both orders of the
// components, both sides of the problem, cross-validation by fits without the fold.
#include "mercer/models/kind/pcr.h"

#include "mercer/models/kind/pca.h"
#include "tests/support/dense.h"
#include "tests/support/errors.h"
#include "tests/support/random_points.h"
#include "tests/support/regression_tables.h"

#include <gtest/gtest.h>

#include <cmath>

namespace mercer {
namespace pcr_test {

using test::figure_table;
using test::training_of;

using Quad = test::LongBlock;

double apart(const Block& a, const Block& b) {
  return test::max_abs(a - b) / std::max(test::max_abs(b), 1e-300);
}

Points sample(Index n, Index dim, std::uint64_t seed) {
  const Vector scale = Vector::LinSpaced(dim, 4, 1);
  return (test::random_points({.n = n, .dim = dim, .seed = seed}) * scale.asDiagonal() *
          test::random_orthonormal(dim, dim, seed + 1))
             .rowwise() +
         Eigen::RowVectorXd::LinSpaced(dim, 5, -4);
}

Points targets_of(const Points& x, Index count, std::uint64_t seed) {
  return Points(x * test::random_points({.n = x.cols(), .dim = count, .seed = seed}) +
                0.3 * test::random_points({.n = x.rows(), .dim = count, .seed = seed + 1}));
}

/// Slopes of the targets on some columns, by a QR factorisation in long double.
Block slopes_on(const Block& columns, const Points& y) {
  const Quad x = columns.cast<long double>(), t = y.cast<long double>();
  const Quad centred_x = x.rowwise() - x.colwise().mean(),
             centred_t = t.rowwise() - t.colwise().mean();
  return test::least_squares(centred_x, centred_t).cast<double>();
}

TEST(Pcr, IsThatOfTheRPackage) {
  for (const auto& [name, components, folds] :
       {std::tuple{"gasoline", 8, 10}, {"yarn", 6, 7}, {"olive", 4, 4}}) {
    const Points x = test::read_reference(std::string("pls_") + name + "_x"),
                 y = test::read_reference(std::string("pls_") + name + "_y");
    const test::ReferenceFit known = test::read_fit(std::string("pls_") + name + "_svdpc", x);
    const Pcr model = Pcr::fit(
        training_of(x, y), {.components = components, .folds = folds, .fold_type = "interleaved"});
    EXPECT_LE(apart(model.linear().coefficients, known.coefficients), 1e-8) << name;
    EXPECT_LE(apart(model.predict(x), known.fitted), 1e-8) << name;
    const Block curve = figure_table(model, "rmsep").rightCols(components).transpose();
    EXPECT_LE(apart(curve, known.rmsep), 1e-8) << name;
  }
}

TEST(Pcr, IsARegressionOnTheScoresOfPca) {
  for (const auto& [n, dim] : {std::pair<Index, Index>{60, 7}, {15, 40}, {20, 20}}) {
    const Points x = sample(n, dim, 1), y = targets_of(x, 2, 2);
    const Pca pca = Pca::fit(x, {.components = 5});
    const Pcr model = Pcr::fit(training_of(x, y), {.components = 5});
    const Block scores = pca.transform(x);
    EXPECT_LE(test::difference_up_to_sign(model.transform(x), scores), 1e-11 * 40) << n;
    const Block fitted = (scores * slopes_on(scores, y)).rowwise() + y.colwise().mean();
    EXPECT_LE(apart(model.predict(x), fitted), 1e-12) << n;
  }
}

TEST(Pcr, AllComponentsAreLeastSquares) {
  const Points x = sample(50, 6, 3), y = targets_of(x, 2, 4);
  for (const char* select : {"variance", "response"}) {
    const Pcr model =
        Pcr::fit(training_of(x, y), {.components = Components::all(), .select = select});
    EXPECT_LE(apart(model.linear().coefficients, slopes_on(x, y)), 1e-12) << select;
  }
  // With more columns than rows the fitted values are the targets.
  const Points wide = sample(12, 30, 5), own = targets_of(wide, 1, 6);
  const Pcr exact = Pcr::fit(training_of(wide, own), {.components = Components::all()});
  EXPECT_EQ(exact.score_columns(), 11);
  EXPECT_LE(apart(exact.predict(wide), own), 1e-12);
}

// The target lies along the direction of least variance, as in the example of the guide.
TEST(Pcr, TheOrderByResponseFindsAQuietDirectionThatCarriesTheTarget) {
  Points x = test::random_points({.n = 80, .dim = 4, .seed = 7});
  const Points y = 3 * x.col(3) + 0.5 * test::random_points({.n = 80, .dim = 1, .seed = 8});
  x.col(3) *= 0.01;
  const Pcr loud = Pcr::fit(training_of(x, y), {.components = 1});
  const Pcr carrying = Pcr::fit(training_of(x, y), {.components = 1, .select = "response"});
  EXPECT_LT(figure_table(loud, "r_squared")(0, 0), 0.1);
  EXPECT_GT(figure_table(carrying, "r_squared")(0, 0), 0.9);
  EXPECT_GT(std::abs(carrying.linear().directions(3, 0)), 0.999);
  const Pcr three = Pcr::fit(training_of(x, y), {.components = 3, .select = "response"});
  EXPECT_EQ(figure_table(three, "selected")(0, 0), 4);
  const Pcr chosen =
      Pcr::fit(training_of(x, y), {.components = Components::automatic(), .select = "response"});
  EXPECT_LT(chosen.score_columns(), 4);
  EXPECT_EQ(Pcr::fit(training_of(x, y), {.components = Components::automatic()}).score_columns(),
            4);
}

TEST(Pcr, WhatIsLeftIsTheSumOfTheComponentsLeftOut) {
  const Points x = sample(40, 6, 9), y = targets_of(x, 1, 10);
  double before = 0;
  for (const Index k : {1, 2, 3, 4, 5, 6}) {
    const Pcr model = Pcr::fit(training_of(x, y), {.components = k, .select = "response"});
    const double left = (model.predict(x) - y).squaredNorm();
    const double all = (y.array() - y.mean()).matrix().squaredNorm();
    const double explained = figure_table(model, "r_squared")(0, 0);
    EXPECT_NEAR(left, (1 - explained) * all, 1e-12 * all);
    // Every further component explains less than the one before it.
    if (k > 2) {
      EXPECT_LE(explained - before, before / static_cast<double>(k - 1) + 1e-12);
    }
    before = explained;
  }
}

struct LeftOutCase {
  Index dim;
  const char* select;
  Scaling scale;
};

TEST(Pcr, RowsLeftOutArePredictedAsByAFitWithoutThem) {
  for (const auto& [dim, select, scale] :
       {LeftOutCase{5, "variance", Scaling::none}, LeftOutCase{5, "response", Scaling::none},
        LeftOutCase{40, "variance", Scaling::none}, LeftOutCase{40, "response", Scaling::none},
        LeftOutCase{5, "variance", Scaling::standard}, LeftOutCase{5, "response", Scaling::range},
        LeftOutCase{40, "response", Scaling::standard},
        LeftOutCase{40, "variance", Scaling::range}}) {
    // Units and spreads that differ between the folds, so that it counts who scales.
    Points x = sample(30, dim, 11);
    x.topRows(10) *= 3;
    x.col(1) *= 20;
    const Points y = targets_of(x, 2, 12);
    const Pcr model = Pcr::fit(training_of(x, y), {.components = 4,
                                                   .select = select,
                                                   .folds = 3,
                                                   .fold_type = "consecutive",
                                                   .scale = scale});
    Block squares = Block::Zero(2, 5);
    for (const Range out : {Range{0, 10}, Range{10, 20}, Range{20, 30}}) {
      Points rest(20, dim), rest_y(20, 2);
      rest << x.topRows(out.begin), x.bottomRows(30 - out.end);
      rest_y << y.topRows(out.begin), y.bottomRows(30 - out.end);
      const Points own = x.middleRows(out.begin, 10), truth = y.middleRows(out.begin, 10);
      const Points about = truth.rowwise() - rest_y.colwise().mean();
      squares.col(0) += about.colwise().squaredNorm().transpose();
      for (Index k = 1; k <= 4; ++k) {
        const Pcr without = Pcr::fit(training_of(rest, rest_y),
                                     {.components = k, .select = select, .scale = scale});
        squares.col(k) += (without.predict(own) - truth).colwise().squaredNorm().transpose();
      }
    }
    const Block curve = figure_table(model, "rmsep");
    EXPECT_LE(apart(curve, (squares / 30).cwiseSqrt()), 1e-11)
        << dim << select << static_cast<int>(scale);
  }
}

TEST(Pcr, ScaledColumnsGiveCoefficientsInUnitsOfTheTable) {
  const Points x = sample(40, 5, 13), y = targets_of(x, 2, 14), fresh = sample(7, 5, 15);
  for (const Scaling scale : {Scaling::none, Scaling::standard, Scaling::range, Scaling::whiten}) {
    const Pcr model = Pcr::fit(training_of(x, y), {.components = 3, .scale = scale});
    const Block slopes = figure_table(model, "coefficients");
    const Vector intercept = figure_table(model, "intercept");
    const Block known = (fresh * slopes).rowwise() + intercept.transpose();
    EXPECT_LE(apart(model.predict(fresh), known), 1e-13) << static_cast<int>(scale);
  }
}

TEST(Pcr, OffsetsAndScalesOfTheNumbersCostNoDigits) {
  const Points x = test::coarse_points({.n = 50, .dim = 5, .seed = 16}), y = targets_of(x, 1, 17);
  const Pcr model = Pcr::fit(training_of(x, y), {.components = 3});
  const Points far = x.array() + 1e8;
  const Pcr moved = Pcr::fit(training_of(far, y), {.components = 3});
  EXPECT_LE(apart(moved.linear().coefficients, model.linear().coefficients), 1e-11);
  for (const double scale : {0x1p-330, 0x1p330}) {
    const Pcr large = Pcr::fit(training_of(x * scale, y * scale), {.components = 3});
    EXPECT_LE(apart(large.predict(Points(x * scale)) / scale, model.predict(x)), 1e-14) << scale;
  }
}

TEST(Pcr, ColumnsThatDependOnOthersAddNoComponent) {
  Points x(40, 6);
  x << sample(40, 3, 18), Points::Zero(40, 3);
  x.col(3) = x.col(0) - 2 * x.col(1);
  x.col(4) = x.col(2);
  x.col(5).setConstant(-1);
  const Points y = targets_of(x, 1, 19);
  for (const char* select : {"variance", "response"}) {
    const Pcr model = Pcr::fit(training_of(x, y), {.components = 6, .select = select});
    EXPECT_EQ(model.score_columns(), 3);
    EXPECT_TRUE(test::has_warning(model.report.warnings, WarningCode::rank_lower));
    const Block three = x.leftCols(3);
    const Block fitted =
        (test::centred_rows(Points(three)) * slopes_on(three, y)).array() + y.mean();
    EXPECT_LE(apart(model.predict(x), fitted), 1e-12);
  }
}

// Singular values down to 1e-7 of the largest: squares of them all in one matrix show none below
// 1e-8 of its rounding.
TEST(Pcr, QuietComponentsKeepTheirDigits) {
  for (const auto& [n, dim] : {std::pair<Index, Index>{60, 6}, {9, 30}}) {
    const Index k = 6;
    Vector lengths(k);
    lengths << 1, 0.5, 1e-3, 1e-5, 3e-7, 1e-7;
    Block left = test::random_points({.n = n, .dim = k, .seed = 22});
    left = test::centred_rows(Points(left));
    for (Index a = 0; a < k; ++a) {
      for (int round = 0; round < 2; ++round)
        left.col(a) -= (left.leftCols(a) * (left.leftCols(a).transpose() * left.col(a))).eval();
      left.col(a) /= left.col(a).norm();
    }
    const Block right = test::random_orthonormal(dim, k, 23);
    const Points x = left * lengths.asDiagonal() * right.transpose();
    const Points y = left.rowwise().sum();
    const Pcr model = Pcr::fit(training_of(x, y), {.components = Components::all()});
    ASSERT_EQ(model.score_columns(), k) << n;
    // A component of length s is known to u / s, from the rounding of the rows themselves.
    for (Index a = 0; a < k; ++a)
      EXPECT_LE(1 - std::abs(model.linear().directions.col(a).dot(right.col(a))),
                std::pow(1e-14 / lengths[a], 2) + 1e-14)
          << n << ' ' << a;
    EXPECT_LE(apart(model.predict(x), y), 1e-14 / 1e-7) << n;
    Block scores = model.transform(x);
    for (Index a = 0; a < k; ++a) scores.col(a) /= scores.col(a).norm();
    EXPECT_LE(test::max_abs(scores.transpose() * scores - Block::Identity(k, k)), 1e-15 / 1e-7);
    EXPECT_LE(test::orthogonality_ratio(model.linear().directions), 1e3) << n;
  }
}

TEST(Pcr, AShareIsOfTheVarianceAndEqualVariancesThatArePartedAreWarnedOf) {
  const Points x = sample(50, 6, 24), y = targets_of(x, 1, 25);
  for (const char* select : {"variance", "response"}) {
    const Pcr model =
        Pcr::fit(training_of(x, y), {.components = Components::share(0.8), .select = select});
    const Vector explained = figure_table(model, "x_explained");
    EXPECT_GE(explained.sum(), 0.8);
    EXPECT_LT(explained.head(explained.size() - 1).sum(), 0.8);
    EXPECT_FALSE(test::has_warning(model.report.warnings, WarningCode::split_cluster));
  }
  Points equal(8, 3);
  for (Index i = 0; i < 8; ++i)
    for (Index j = 0; j < 3; ++j) equal(i, j) = (i >> j) % 2 == 1 ? 2 : 0;
  const Points own = targets_of(equal, 1, 26);
  for (const Index k : {1, 2, 3}) {
    const Pcr model = Pcr::fit(training_of(equal, own), {.components = k});
    EXPECT_EQ(test::has_warning(model.report.warnings, WarningCode::split_cluster), k < 3);
  }
}

TEST(Pcr, BadTargetsAndCountsAreRefused) {
  const Points x = sample(20, 4, 20), y = targets_of(x, 1, 21);
  const auto code = [](const Points& rows, const Points& targets, const PcrOptions& options = {}) {
    return test::code_of([&] { Pcr::fit(training_of(rows, targets), options); });
  };
  EXPECT_EQ(code(x, Points::Constant(20, 1, 4)), "M254");
  Points bad = y;
  bad(3, 0) = std::nan("");
  EXPECT_EQ(code(x, bad), "M212");
  EXPECT_EQ(code(x, y, {.components = 5}), "M233");
  EXPECT_EQ(code(x, y, {.folds = 21}), "M102");
  EXPECT_EQ(code(x, y, {.components = Components::automatic("best")}), "M102");
  Points with(20, 5);
  with << x, y;
  EXPECT_TRUE(test::has_warning(Pcr::fit(training_of(with, y)).report.warnings,
                                WarningCode::target_among_columns));
}

}  // namespace pcr_test
}  // namespace mercer
