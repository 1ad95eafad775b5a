// Independent components at their limits: sources that cannot be told apart, awkward shapes,
// restarts, time, states.
#include "mercer/core/check.h"
#include "mercer/core/text.h"
#include "mercer/models/detail/ica/fixed_point.h"
#include "mercer/models/detail/ica/likelihood.h"
#include "mercer/models/detail/ica/shape.h"
#include "mercer/models/kind/ica.h"
#include "mercer/models/kind/pca.h"
#include "tests/models/ica_cases.h"
#include "tests/support/dense.h"
#include "tests/support/errors.h"
#include "tests/support/random_points.h"

#include <Eigen/LU>
#include <gtest/gtest.h>

#include <cmath>

namespace mercer {
namespace ica_limits_test {

using namespace ica_cases;
using test::code_of;
using test::kUnit;

TEST(Ica, GaussianSourcesAreNotTakenForOthers) {
  int warned = 0;
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    const Points x = test::random_points({.n = 1000, .dim = 4, .seed = 100 + seed});
    const Ica model = Ica::fit(x, {.seed = static_cast<Index>(seed)});
    ASSERT_EQ(model.report.warnings.size(), 1U);
    EXPECT_EQ(model.report.warnings[0].code, WarningCode::not_identifiable);
    warned += model.report.warnings[0].message.starts_with("4 of 4 sources") ? 1 : 0;
  }
  // Each is missed with a probability of about 0.01: three of 40 or more with less than 0.01.
  EXPECT_GE(warned, 38);
}

// How often the rows of `tables` Gaussian tables show a source that is none.
Index taken_for_others(Index tables, Index n, Index dim) {
  Index taken = 0;
  for (Index seed = 0; seed < tables; ++seed) {
    const Points x =
        test::random_points({.n = n, .dim = dim, .seed = 4000 + static_cast<std::uint64_t>(seed)});
    const Ica model = Ica::fit(x);
    const bool all = model.report.warnings.size() == 1 &&
                     model.report.warnings[0].message.starts_with(std::to_string(dim) + " of");
    taken += all ? 0 : 1;
  }
  return taken;
}

// A chance of 0.01 in 100 tables: five or more have one of 0.0034.
TEST(Ica, ThresholdsAreThoseOfGaussianRowsOfThisSize) {
  EXPECT_LE(taken_for_others(100, 150, 2), 4);
  EXPECT_LE(taken_for_others(100, 150, 4), 4);
  EXPECT_LE(taken_for_others(100, 60, 4), 4);
  EXPECT_LE(taken_for_others(100, 60, 8), 4);
}

TEST(Ica, FewRowsShowSourcesThatGaussianRowsOfThisSizeNeverShow) {
  // Negentropies of some 0.1 to 0.3: Gaussian tables of 150 rows in 3 dimensions reach 0.07.
  Index missed = 0;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const Mixed two = mixed({Law::skewed, Law::laplace, Law::skewed}, 150, 600 + seed);
    missed += Ica::fit(two.x).report.warnings.empty() ? 0 : 1;
  }
  EXPECT_LE(missed, 2);
}

TEST(Ica, ReachesOfGaussianRowsAreThoseOfTheirDistribution) {
  const double slope = 3.853;
  EXPECT_NEAR(detail::gaussian_reach(slope, 2, 0.01),
              std::sqrt(2 * std::log(std::sqrt(slope) / 0.01)),
              1e-9);  // on the circle P = sqrt(L) exp(-u^2 / 2) exactly
  double before = 0;
  for (const Index k : {2, 3, 4, 8, 16, 64, 300}) {
    const double reach = detail::gaussian_reach(slope, k, 0.005);
    EXPECT_GT(reach, before) << k;
    EXPECT_LE(reach,
              std::max(2 * std::sqrt(static_cast<double>(k) - 1),
                       std::sqrt(slope * static_cast<double>(k)) + std::sqrt(2 * std::log(200))))
        << k;  // no chance passes the bound of Sudakov, Fernique and Borell
    before = reach;
  }
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

// The last direction is what the others leave: its first step changes nothing, to the last digit.
TEST(Ica, OneByOneEndsWhereNothingMovesAnyMore) {
  const Mixed data = mixed({Law::sech, Law::uniform}, 500, 21);
  for (const IcaContrast contrast : {IcaContrast::logcosh, IcaContrast::exp, IcaContrast::cube}) {
    const Ica model = Ica::fit(
        data.x, {.contrast = contrast, .approach = IcaApproach::deflation, .iterations = 300});
    EXPECT_TRUE(model.report.converged);
    EXPECT_LT(figure(model, "iterations").as_number(), 100);
  }
}

// Large tables are looked at in float first: what is left of the slope is what the tolerance
// leaves in double, and where a tolerance is beyond float, double goes on.
TEST(Ica, LargeTablesEndAtTheSlopeOfDoubles) {
  const Mixed data =
      mixed({Law::laplace, Law::uniform, Law::skewed, Law::sech, Law::laplace}, 53'000, 33);
  for (const char* contrast : {"logcosh", "exp"}) {
    const Ica model = Ica::fit(data.x, {.contrast = contrast, .tolerance = 1e-14});
    EXPECT_TRUE(model.report.converged);
    EXPECT_LT(amari(model, data), 0.03) << contrast;
    if (std::string_view(contrast) != "logcosh") continue;
    const Block y = model.transform(data.x), t = y.array().tanh();
    const Block m = t.transpose() * y / 53'000;
    const Vector terms = y.array().cosh().log().colwise().mean() - 0.374567207491438;
    // 1 - |cos| <= 1e-14 is an angle of 1.4e-7, less than float tells; curvatures are smaller
    // than 2.
    EXPECT_LE(steepest(m, terms.cwiseSign()), 2 * 1.4e-7);
  }
}

// Where the rows follow no model, steps of the fixed point settle slowly: climbing does not.
TEST(Ica, EndsInFewStepsWhereTheFixedPointTakesMany) {
  const Points x = test::random_points({.n = 2000, .dim = 12, .seed = 34}).array().cube() +
                   2 * test::random_points({.n = 2000, .dim = 12, .seed = 35}).array();
  const Points turned = x * test::random_orthonormal(12, 12, 36);
  const Ica model = Ica::fit(turned, {.tolerance = 1e-10});
  EXPECT_TRUE(model.report.converged);
  EXPECT_LT(figure(model, "iterations").as_number(), 150);
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

}  // namespace ica_limits_test
}  // namespace mercer
