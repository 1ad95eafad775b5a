// Scalings: what they make of the training rows, that new rows get the same, and the way back.
#include "mercer/data/scale.h"

#include "tests/support/dense.h"
#include "tests/support/errors.h"
#include "tests/support/random_points.h"

#include <gtest/gtest.h>

namespace mercer {
namespace scale_test {

using test::kUnit;

/// Correlated columns of different scale and offset.
Points sample(Index n, std::uint64_t seed) {
  Points x = test::random_points({.n = n, .dim = 3, .seed = seed});
  x.col(1) = 10 * x.col(1) + 5 * x.col(0);
  x.col(2).array() += 7;
  return x;
}

Block covariance(const Points& x) {
  const Points centred = test::centred_rows(x);
  return centred.transpose() * centred / static_cast<double>(x.rows());
}

TEST(Scaler, StandardGivesMeanZeroAndDeviationOne) {
  const Points x = sample(200, 1);
  const Points scaled = Scaler("standard", x, {}).apply(x);
  EXPECT_LE(test::max_abs(scaled.colwise().mean()), 200 * kUnit * 10);
  for (Index j = 0; j < 3; ++j) EXPECT_NEAR(covariance(scaled)(j, j), 1, 200 * kUnit * 10);
}

TEST(Scaler, RangeGivesZeroToOne) {
  const Points x = sample(200, 2);
  const Points scaled = Scaler("range", x, {}).apply(x);
  for (Index j = 0; j < 3; ++j) {
    EXPECT_EQ(scaled.col(j).minCoeff(), 0);
    EXPECT_NEAR(scaled.col(j).maxCoeff(), 1, 4 * kUnit);
  }
}

TEST(Scaler, WhitenGivesUncorrelatedColumnsOfDeviationOne) {
  const Points x = sample(200, 3);
  const Points scaled = Scaler("whiten", x, {}).apply(x);
  const double condition = 1e3;  // of the covariance: rounding grows with it
  EXPECT_LE(test::max_abs(covariance(scaled) - Block::Identity(3, 3)), 200 * kUnit * condition);
}

TEST(Scaler, NewRowsAreScaledAsTheTrainingRowsWere) {
  const Points x = sample(100, 4), fresh = sample(7, 5);
  const Scaler scaler("standard", x, {});
  const Points expected = ((fresh.rowwise() - x.colwise().mean()).array().rowwise() /
                           covariance(x).diagonal().transpose().array().sqrt())
                              .matrix();
  EXPECT_LE(test::max_abs(scaler.apply(fresh) - expected), 1e3 * kUnit);
}

TEST(Scaler, EveryScaleOfTheRangeGivesTheSame) {
  const Points x = sample(60, 11);
  for (const char* kind : {"standard", "range", "whiten"}) {
    const Points expected = Scaler(kind, x, {}).apply(x);
    for (const double scale : {1e-300, 1e-160, 1e160, 1e300}) {
      const Points scaled = x * scale;
      EXPECT_LE(test::max_abs(Scaler(kind, scaled, {}).apply(scaled) - expected), 1e5 * kUnit)
          << kind << " " << scale;
    }
  }
}

TEST(Scaler, IsUndone) {
  const Points x = sample(100, 6), fresh = sample(9, 7);
  for (const char* kind : {"none", "standard", "range", "whiten"}) {
    const Scaler scaler(kind, x, {});
    EXPECT_LE(test::max_abs(scaler.undo(scaler.apply(fresh)) - fresh), 1e4 * kUnit * 50) << kind;
  }
}

TEST(Scaler, AConstantColumnIsMovedToZeroAndComesBack) {
  Points x = sample(20, 8);
  x.col(1).setConstant(0.1);
  for (const char* kind : {"standard", "range", "whiten"}) {
    const Scaler scaler(kind, x, {});
    const Points scaled = scaler.apply(x);
    EXPECT_TRUE(scaled.allFinite()) << kind;
    EXPECT_LE(test::max_abs(scaled.col(1)), 1e3 * kUnit) << kind;
    EXPECT_LE(test::max_abs(scaler.undo(scaled) - x), 1e5 * kUnit) << kind;
  }
}

TEST(Scaler, ComesBackFromItsState) {
  const Points x = sample(50, 9);
  for (const char* kind : {"none", "standard", "range", "whiten"}) {
    const Scaler scaler(kind, x, {});
    State state;
    scaler.save(state);
    const Scaler loaded = Scaler::load(state, 3);
    EXPECT_EQ(loaded.kind(), kind);
    EXPECT_TRUE(loaded.apply(x) == scaler.apply(x)) << kind;
    EXPECT_TRUE(loaded.undo(x) == scaler.undo(x)) << kind;
  }
}

TEST(Scaler, DenormalColumnsStayFiniteAndComeBack) {
  Points x = sample(60, 12);
  x.col(0) *= 1e-310;
  x.col(1) *= 1e300;
  for (const char* kind : {"standard", "range"}) {
    const Scaler scaler(kind, x, {});
    const Points scaled = scaler.apply(x);
    ASSERT_TRUE(scaled.allFinite()) << kind;
    EXPECT_GT(test::max_abs(scaled.col(0)), 0.01) << kind;
    EXPECT_LE(test::max_abs(scaler.undo(scaled).col(0) - x.col(0)), 1e-322) << kind;
  }
}

TEST(Scaler, RefusesAStateThatDoesNotFit) {
  const Points x = sample(50, 13);
  const auto loads = [](const State& state, Index dim) {
    return test::code_of([&] { Scaler::load(state, dim); });
  };
  State standard, whiten;
  Scaler("standard", x, {}).save(standard);
  Scaler("whiten", x, {}).save(whiten);
  EXPECT_EQ(loads(standard, 4), "M703");
  EXPECT_EQ(loads(whiten, 2), "M703");
  State bad = standard;
  bad.values["scale"] = "cubic";
  EXPECT_EQ(loads(bad, 3), "M703");
  for (const double factor : {0.0, HUGE_VAL, std::nan("")}) {
    bad = standard;
    bad.arrays[1] = Array::of("scale.factor", Vector(Vector::Constant(3, factor)));
    EXPECT_EQ(loads(bad, 3), "M703") << factor;
  }
  bad = whiten;
  bad.arrays[3] = Array::of("scale.back", Points(Points::Ones(3, 2)));
  EXPECT_EQ(loads(bad, 3), "M703");
}

TEST(Scaler, RefusesUnknownKinds) {
  const Points x = sample(10, 10);
  EXPECT_EQ(test::code_of([&] { Scaler("standart", x, {}); }), "M102");
}

}  // namespace scale_test
}  // namespace mercer
