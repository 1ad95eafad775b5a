// Factor analysis. The oracles are the density of the Gaussian written out, derivatives of the
// likelihood, identities of the best fit, and simple structures that rotations must find again.
#include "mercer/models/kind/factor_analysis.h"

#include "mercer/models/detail/factor_fit.h"
#include "mercer/models/detail/leading_pairs.h"
#include "mercer/models/detail/products.h"
#include "mercer/models/detail/rotation.h"
#include "mercer/models/detail/upper_gamma.h"
#include "tests/support/dense.h"
#include "tests/support/errors.h"
#include "tests/support/random_points.h"

#include <Eigen/Cholesky>
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

namespace mercer {
namespace factor_analysis_test {

using test::code_of;
using test::kRatio;
using test::kUnit;

/// Rows with two groups of columns, each with a factor of its own, and errors of different size.
Points planted(Index n, Index dim, Index factors, std::uint64_t seed) {
  Block map = Block::Zero(factors, dim);
  for (Index j = 0; j < dim; ++j) map(j % factors, j) = 0.6 + 0.05 * double(j);
  const Vector errors = Vector::LinSpaced(dim, 0.4, 1.1);
  Points x = test::random_points({.n = n, .dim = factors, .seed = seed}) * map +
             test::random_points({.n = n, .dim = dim, .seed = seed + 1}) * errors.asDiagonal();
  x.rowwise() += Eigen::RowVectorXd::LinSpaced(dim, 3, -5);
  return x;
}

Block covariance(const Points& x) {
  const Points centred = test::centred_rows(x);
  return Block(centred.transpose() * centred) / double(x.rows());
}

Block implied(const FactorAnalysis& model) {
  return model.loadings() * model.factor_correlations() * model.loadings().transpose() +
         Block(model.uniquenesses().asDiagonal());
}

/// n / 2 times -(dim ln 2 pi + ln |C| + tr(C^-1 S)).
double likelihood(const Block& c, const Block& s, Index n) {
  const Eigen::LLT<Block> root(c);
  return -0.5 * double(n) *
         (double(c.rows()) * std::log(2 * std::numbers::pi) +
          2 * Vector(root.matrixLLT().diagonal()).array().log().sum() + root.solve(s).trace());
}

double figure(const Model& model, const std::string& name) {
  for (const Figure& one : model.report.figures)
    if (one.name == name) return one.value.as_number();
  ADD_FAILURE() << "no figure " << name;
  return 0;
}

TEST(FactorAnalysisFit, StatesTheLikelihoodOfItsRows) {
  const Points x = planted(200, 8, 2, 1);
  for (const char* algorithm : {"profile", "em"}) {
    const FactorAnalysis model = FactorAnalysis::fit(x, {.components = 2, .algorithm = algorithm});
    ASSERT_TRUE(model.report.converged);
    const double stated = figure(model, "log_likelihood");
    EXPECT_NEAR(stated, likelihood(implied(model), covariance(x), 200), 1e-12 * std::abs(stated));
    EXPECT_NEAR(stated, model.log_density(x).sum(), 1e-12 * std::abs(stated));
  }
}

TEST(FactorAnalysisFit, TheVariancesOfTheColumnsAreThoseOfTheModel) {
  const Points x = planted(200, 8, 2, 2);
  const FactorAnalysis model = FactorAnalysis::fit(x, {.components = 2});
  const Block s = covariance(x);
  EXPECT_LE(test::max_abs(implied(model).diagonal() - s.diagonal()), 1e-9 * test::max_abs(s));
}

TEST(FactorAnalysisFit, BothAlgorithmsEndAtTheSamePoint) {
  const Points x = planted(300, 9, 3, 3);
  const FactorAnalysis profile = FactorAnalysis::fit(x, {.components = 3}),
                       em = FactorAnalysis::fit(x, {.components = 3, .algorithm = "em"});
  const double best = figure(profile, "log_likelihood");
  EXPECT_NEAR(figure(em, "log_likelihood"), best, 1e-9 * std::abs(best));
  EXPECT_LE(test::max_abs(em.uniquenesses() - profile.uniquenesses()), std::sqrt(1e-9));
  EXPECT_LE(test::max_abs(em.loadings() - profile.loadings()), std::sqrt(1e-9));
}

// Many columns are led by what is known of second derivatives, in few steps.
TEST(FactorAnalysisFit, OfManyColumnsEndsWhereEmEndsAndNoDerivativeIsLeft) {
  const Index dim = 240, k = 4;
  const Block map = test::random_points({.n = k, .dim = dim, .seed = 40});
  const Vector errors = Vector::LinSpaced(dim, 0.3, 2);
  const Points x =
      Points(test::random_points({.n = 700, .dim = k, .seed = 41}) * map) +
      Points(test::random_points({.n = 700, .dim = dim, .seed = 42}) * errors.asDiagonal());
  const Block s = covariance(x);
  const Vector deviation = s.diagonal().cwiseSqrt().cwiseInverse();
  const Block r = deviation.asDiagonal() * s * deviation.asDiagonal();
  const detail::FactorFit profile = detail::fit_profile(r, {.factors = k, .tolerance = 1e-9}, {});
  const detail::FactorFit em = detail::fit_factors_by_em(r, {.factors = k, .tolerance = 1e-8}, {});
  ASSERT_TRUE(profile.converged);
  EXPECT_LT(profile.iterations, 40);
  // Of values only rounding may differ, that of sums of 240 terms.
  EXPECT_LE(profile.value, em.value + 240 * 16 * kUnit * std::abs(em.value));
  EXPECT_NEAR(profile.value, em.value, 1e-9 * std::abs(em.value));
  EXPECT_LE(test::max_abs(profile.psi - em.psi), std::sqrt(1e-9));
  const Vector implied = profile.psi + Vector(profile.loadings.rowwise().squaredNorm());
  EXPECT_LE(test::max_abs((implied - Vector(r.diagonal())).cwiseQuotient(profile.psi)), 1e-8);
}

// Whole numbers are multiplied as bytes, others as doubles: the same fit to rounding.
TEST(FactorAnalysisFit, RowsOfBytesAreFittedAsThoseBesideThem) {
  Points x = (planted(400, 8, 2, 43).array() * 12 + 120).round().min(255).max(0).matrix();
  const FactorAnalysis bytes = FactorAnalysis::fit(x, {.components = 2});
  const FactorAnalysis doubles = FactorAnalysis::fit(Points(x / 3.0), {.components = 2});
  EXPECT_LE(test::max_abs(bytes.loadings() - 3 * doubles.loadings()), 1e-6);
  EXPECT_LE(test::max_abs(bytes.transform(x) - doubles.transform(Points(x / 3.0))), 1e-6);
}

TEST(FactorAnalysisFit, LikelihoodsOfEmNeverFall) {
  const Block s = covariance(planted(150, 7, 2, 4));
  const Vector deviation = s.diagonal().cwiseSqrt().cwiseInverse();
  const Block r = deviation.asDiagonal() * s * deviation.asDiagonal();
  const detail::FactorFit fit = detail::fit_factors_by_em(r, {.factors = 2, .tolerance = 1e-8}, {});
  ASSERT_TRUE(fit.converged);
  for (std::size_t t = 1; t < fit.path.size(); ++t)
    EXPECT_GE(fit.path[t], fit.path[t - 1] - 7 * kRatio * kUnit * std::abs(fit.path[t]));
  EXPECT_GT(fit.path.back(), fit.path.front());
}

TEST(FactorAnalysisFit, NoNeighbourIsLikelier) {
  const Points x = planted(200, 6, 2, 5);
  const FactorAnalysis model = FactorAnalysis::fit(x, {.components = 2});
  const Block s = covariance(x);
  const double best = likelihood(implied(model), s, 200);
  for (Index j = 0; j < 6; ++j)
    for (const double step : {-1e-3, 1e-3}) {
      Block c = implied(model);
      c(j, j) += step;
      EXPECT_LT(likelihood(c, s, 200), best);
      Block loadings = model.loadings();
      loadings(j, 1) += step;
      c = loadings * loadings.transpose() + Block(model.uniquenesses().asDiagonal());
      EXPECT_LT(likelihood(c, s, 200), best);
    }
}

TEST(FactorAnalysisFit, UnitsOfTheColumnsMoveAlong) {
  const Points x = planted(200, 8, 2, 6);
  const Vector units{{1e-3, 5, 1e4, 1, 0.2, 7, 1e-2, 30}};
  for (const char* rotation : {"none", "varimax", "promax"}) {
    const FactorAnalysis model = FactorAnalysis::fit(x, {.components = 2, .rotation = rotation});
    const FactorAnalysis other = FactorAnalysis::fit(Points(x * units.asDiagonal()),
                                                     {.components = 2, .rotation = rotation});
    const Block back = units.cwiseInverse().asDiagonal() * other.loadings();
    EXPECT_LE(test::max_abs(back - model.loadings()), 1e-7) << rotation;
    EXPECT_LE(
        test::max_abs(other.uniquenesses().cwiseQuotient(units.cwiseAbs2()) - model.uniquenesses()),
        1e-7);
    EXPECT_LE(test::max_abs(other.transform(Points(x * units.asDiagonal())) - model.transform(x)),
              1e-6);
  }
  for (const double scale : {1e-100, 1e100}) {
    const FactorAnalysis other = FactorAnalysis::fit(Points(x * scale), {.components = 2});
    EXPECT_TRUE(other.report.converged);
    EXPECT_TRUE(std::isfinite(figure(other, "log_likelihood")));
  }
}

TEST(FactorAnalysisRotation, LeavesTheCovarianceAndTheLikelihood) {
  const Points x = planted(250, 9, 3, 7);
  const FactorAnalysis plain = FactorAnalysis::fit(x, {.components = 3});
  for (const char* rotation : {"varimax", "promax"}) {
    const FactorAnalysis turned = FactorAnalysis::fit(x, {.components = 3, .rotation = rotation});
    EXPECT_LE(test::max_abs(implied(turned) - implied(plain)), 1e-12 * 50) << rotation;
    EXPECT_EQ(figure(turned, "log_likelihood"), figure(plain, "log_likelihood"));
    EXPECT_LE(test::max_abs(turned.log_density(x) - plain.log_density(x)), 1e-10);
    EXPECT_LE(test::max_abs(Vector(turned.factor_correlations().diagonal().array() - 1)), 1e-12);
  }
}

TEST(FactorAnalysisRotation, VarimaxFindsASimpleStructureAgain) {
  Block simple = Block::Zero(9, 3);
  for (Index i = 0; i < 9; ++i) simple(i, i / 3) = 0.9 - 0.1 * double(i % 3) - 0.05 * double(i / 3);
  const Block turn = test::random_orthonormal(3, 3, 8);
  detail::Rotation found = detail::varimax(simple * turn);
  detail::put_in_order(found);
  EXPECT_LE(test::max_abs(found.loadings - simple), 1e-7);
  EXPECT_LE(test::max_abs(found.turn.transpose() * found.turn - Block::Identity(3, 3)), 1e-14 * 10);
}

/// The varimax criterion, rows of length 1.
double simplicity(Block l) {
  l.rowwise().normalize();
  double sum = 0;
  for (Index j = 0; j < l.cols(); ++j)
    sum += l.col(j).array().pow(4).mean() - std::pow(l.col(j).squaredNorm() / double(l.rows()), 2);
  return sum;
}

TEST(FactorAnalysisRotation, NoSmallTurnIsSimplerThanVarimax) {
  const Block l = test::random_points({.n = 12, .dim = 3, .seed = 9});
  const Block found = detail::varimax(l).loadings;
  for (Index a = 0; a < 3; ++a)
    for (Index b = 0; b < a; ++b)
      for (const double angle : {-1e-3, 1e-3}) {
        Block turn = Block::Identity(3, 3);
        turn(a, a) = turn(b, b) = std::cos(angle);
        turn(a, b) = std::sin(angle);
        turn(b, a) = -std::sin(angle);
        EXPECT_LT(simplicity(found * turn), simplicity(found));
      }
}

TEST(FactorAnalysisScores, AreThoseOfTheFormulas) {
  const Points x = planted(150, 7, 2, 10);
  const Points centred = test::centred_rows(x);
  for (const char* rotation : {"none", "varimax", "promax"}) {
    const FactorAnalysis regression =
        FactorAnalysis::fit(x, {.components = 2, .rotation = rotation});
    const Block& l = regression.loadings();
    const Block& phi = regression.factor_correlations();
    const Block c = implied(regression);
    const Block expected = centred * c.llt().solve(l * phi);
    EXPECT_LE(test::max_abs(regression.transform(x) - expected), 1e-11) << rotation;
    const FactorAnalysis bartlett =
        FactorAnalysis::fit(x, {.components = 2, .rotation = rotation, .scoring = "bartlett"});
    const Block weighted = regression.uniquenesses().cwiseInverse().asDiagonal() * l;
    const Block normal = l.transpose() * weighted;
    const Block least = centred * normal.llt().solve(weighted.transpose()).transpose();
    EXPECT_LE(test::max_abs(bartlett.transform(x) - least), 1e-11) << rotation;
    // Both come from the same point of the plane.
    const Points there = (least * l.transpose()).rowwise() + x.colwise().mean();
    EXPECT_LE(test::max_abs(regression.inverse(regression.transform(x)) - there), 1e-10);
    EXPECT_LE(test::max_abs(bartlett.inverse(bartlett.transform(x)) - there), 1e-10);
  }
}

TEST(FactorAnalysisFigures, ReportHeywoodCases) {
  // Two columns that are nearly copies ask for more than the bound allows.
  Points x = planted(100, 6, 2, 11);
  x.col(1) = x.col(0) + 1e-6 * x.col(5);
  const FactorAnalysis model = FactorAnalysis::fit(x, {.components = 2});
  EXPECT_TRUE(test::has_warning(model.report.warnings, WarningCode::heywood_case));
  EXPECT_NEAR(model.uniquenesses()[0], detail::kLeastUniqueness * covariance(x)(0, 0),
              1e-6 * covariance(x)(0, 0));
  const FactorAnalysis healthy = FactorAnalysis::fit(planted(400, 8, 2, 12), {.components = 2});
  EXPECT_FALSE(test::has_warning(healthy.report.warnings, WarningCode::heywood_case));
}

TEST(FactorAnalysisFigures, TestRejectsTooFewFactorsAndNotEnough) {
  const Points x = planted(500, 9, 3, 13);
  EXPECT_LT(figure(FactorAnalysis::fit(x, {.components = 1}), "p_value"), 1e-6);
  EXPECT_LT(figure(FactorAnalysis::fit(x, {.components = 2}), "p_value"), 1e-6);
  const FactorAnalysis right = FactorAnalysis::fit(x, {.components = 3});
  EXPECT_GT(figure(right, "p_value"), 0.01);
  EXPECT_EQ(figure(right, "degrees_of_freedom"), 12);
}

TEST(UpperGamma, AgreesWithClosedForms) {
  // Q(1, x) = e^-x; Q(1/2, x) = erfc(sqrt x); Q(m, x) = e^-x sum_{i<m} x^i / i!.
  for (const double x : {1e-8, 0.3, 1.0, 1.9, 5.0, 40.0, 300.0}) {
    EXPECT_NEAR(detail::upper_gamma(1, x), std::exp(-x), 1e-13 * std::exp(-x) + 1e-16);
    EXPECT_NEAR(detail::upper_gamma(0.5, x), std::erfc(std::sqrt(x)),
                1e-12 * std::erfc(std::sqrt(x)) + 1e-16);
    for (const int m : {3, 12, 60}) {
      long double term = 1, sum = 0;
      for (int i = 0; i < m; ++i, term *= static_cast<long double>(x) / i) sum += term;
      const auto expected = static_cast<double>(sum * std::exp(-static_cast<long double>(x)));
      EXPECT_NEAR(detail::upper_gamma(m, x), expected, 1e-12 * expected + 1e-15) << m << ' ' << x;
    }
  }
  EXPECT_EQ(detail::upper_gamma(3, 0), 1);
  // Large shapes: a step across the mean by recurrence Q(a+1, x) = Q(a, x) + x^a e^-x / gamma(a+1).
  for (const double a : {500.0, 2000.0, 150'000.0})
    for (const double s : {-3.0, -0.5, 0.0, 0.5, 3.0}) {
      const double x = a + s * std::sqrt(a);
      const double step = std::exp(a * std::log(x) - x - std::lgamma(a + 1));
      EXPECT_NEAR(detail::upper_gamma(a + 1, x) - detail::upper_gamma(a, x), step,
                  1e-8 * step + 1e-13);
    }
}

TEST(LeadingPairs, SearchAgreesWithTheValuesPlanted) {
  const Index n = 300;
  const Block q = test::random_orthonormal(n, n, 14);
  Vector values = Vector::LinSpaced(n, 1.5, 0.1);
  values.head(3) << 30, 8, 2;
  const Block r = q * values.asDiagonal() * q.transpose();
  detail::LeadingPairs pairs(r, 3);
  for (const double factor : {1.0, 1.001, 1.5}) {  // a multiple of the identity moves values alone
    const auto& found = pairs.of(Vector::Constant(n, std::sqrt(factor)), 0, {});
    EXPECT_LE(test::max_abs(found.values - factor * values.head(3)), 1e-12 * 45);
    EXPECT_LE(test::max_abs(factor * r * found.vectors - found.vectors * found.values.asDiagonal()),
              1e-11);
  }
}

TEST(LeadingPairs, AskedForLessTheyAreAsGoodAsAskedFor) {
  const Index n = 400;
  const Points x = test::random_points({.n = 900, .dim = n, .seed = 15});
  const Block r = x.transpose() * x / 900.0;
  const Vector d = Vector::LinSpaced(n, 0.5, 2);
  const Block matrix = d.asDiagonal() * r * d.asDiagonal();
  for (const double accuracy : {1e-3, 1e-6, 1e-9}) {
    detail::LeadingPairs pairs(r, 5);
    const auto& found = pairs.of(d, accuracy, {});
    const Block rest = matrix * found.vectors - found.vectors * found.values.asDiagonal();
    EXPECT_LE(rest.colwise().norm().maxCoeff(), 1.01 * accuracy * found.values[0]);
  }
}

// The space of the first matrix stands upright on the leading vectors of the second: diagonal
// matrices keep it so.
TEST(LeadingPairs, NothingIsMissedWhereItIsToBeProven) {
  const Index n = 300;
  const Block r = Block::Identity(n, n);
  Vector first = Vector::Constant(n, 0.1), second = first;
  first.head(3) << 5, 4, 3;
  second.tail(3) << 6, 7, 8;
  detail::LeadingPairs pairs(r, 3);
  static_cast<void>(pairs.proven(first, {}));
  const auto& found = pairs.proven(second, {});
  EXPECT_LE(test::max_abs(found.values - Vector{{64, 49, 36}}), 1e-12 * 64);
}

TEST(FactorAnalysisErrors, SayWhatIsWrong) {
  const Points x = planted(60, 6, 2, 15);
  const auto code = [](const Points& rows, const FactorAnalysisOptions& options = {}) {
    return code_of([&] { FactorAnalysis::fit(rows, options); });
  };
  EXPECT_EQ(code(x, {.components = 3}), "no error");  // no degrees of freedom left, but enough
  EXPECT_EQ(code(x, {.components = 4}), "M233");
  EXPECT_EQ(code(x, {.components = 9}), "M233");
  EXPECT_EQ(code(x.leftCols(2)), "M233");
  EXPECT_EQ(code(x.leftCols(1)), "M233");
  EXPECT_EQ(code(x.topRows(1)), "M230");
  EXPECT_EQ(code(x.topRows(6)), "M230");
  EXPECT_EQ(code(x.topRows(7)), "no error");
  EXPECT_EQ(code(x.row(0).replicate(9, 1)), "M231");
  EXPECT_EQ(code(x, {.components = Components::share(0.9)}), "M102");
  EXPECT_EQ(code(x, {.components = Components::automatic("minka")}), "M102");
  Points constant = x;
  constant.col(2).setConstant(3);
  EXPECT_EQ(code(constant), "M260");
  Points gap = x;
  gap(1, 1) = std::nan("");
  EXPECT_EQ(code(gap), "M212");
  // Collinear columns have a bound to stop at.
  Points collinear(60, 7);
  collinear << x, x.col(0) + x.col(1);
  EXPECT_EQ(code(collinear), "no error");
}

TEST(FactorAnalysisState, IsNotTrusted) {
  const FactorAnalysis model =
      FactorAnalysis::fit(planted(80, 6, 2, 16), {.components = 2, .rotation = "promax"});
  const auto changed = [&](const auto& change) {
    State state = model.state();
    change(state);
    return code_of([&] { FactorAnalysis::from(std::move(state)); });
  };
  EXPECT_EQ(changed([](State&) {}), "no error");
  EXPECT_EQ(changed([](State& s) { s.values["scoring"] = "guess"; }), "M703");
  const auto replaced = [&](const char* name, const Points& numbers) {
    return changed([&](State& s) { s.array(name) = Array::of(name, numbers); });
  };
  EXPECT_EQ(replaced("loadings", Points::Ones(5, 2)), "M703");
  EXPECT_EQ(replaced("loadings", Points::Ones(6, 6)), "M703");
  EXPECT_EQ(replaced("factor_correlations", -Points::Identity(2, 2)), "M703");
  EXPECT_EQ(replaced("factor_correlations", Points::Identity(3, 3)), "M703");
  EXPECT_EQ(changed([](State& s) {
              s.array("uniquenesses") = Array::of("uniquenesses", Vector(Vector::Zero(6)));
            }),
            "M703");
}

TEST(FactorAnalysisStops, WhenItIsCancelledOrOutOfTime) {
  const Points x = planted(100, 8, 2, 17);
  Context stopped;
  stopped.observer.cancelled = [] { return true; };
  for (const char* algorithm : {"profile", "em"}) {
    EXPECT_EQ(code_of([&] {
                FactorAnalysis::fit(x, {.components = 2, .algorithm = algorithm}, stopped);
              }),
              "M001");
    const FactorAnalysis few =
        FactorAnalysis::fit(x, {.components = 2, .algorithm = algorithm, .iterations = 2});
    EXPECT_FALSE(few.report.converged);
    EXPECT_TRUE(test::has_warning(few.report.warnings, WarningCode::tolerance_not_reached));
  }
}

}  // namespace factor_analysis_test
}  // namespace mercer
