// Figures of a table, exact where offsets or scales would ruin naive sums.
#include "mercer/data/summary.h"

#include "tests/support/dense.h"
#include "tests/support/errors.h"
#include "tests/support/random_points.h"

#include <gtest/gtest.h>

namespace mercer {
namespace summary_test {

using test::kUnit;

/// Mean and deviation of a column in long double.
std::pair<double, double> exact_figures(const Points& x, Index column) {
  const auto values = x.col(column).cast<long double>().eval();
  const long double mean = values.mean();
  const long double variance = (values.array() - mean).square().mean();
  return {static_cast<double>(mean), static_cast<double>(std::sqrt(variance))};
}

TEST(Summarize, GivesTheFiguresOfEveryColumn) {
  Points x = test::random_points({.n = 3000, .dim = 4, .seed = 1});  // more than one task
  x.col(2).array() += 5;
  const Summary summary = summarize(x, {});
  for (Index j = 0; j < 4; ++j) {
    const auto figures = exact_figures(x, j);
    EXPECT_EQ(summary.minimum[j], x.col(j).minCoeff());
    EXPECT_EQ(summary.maximum[j], x.col(j).maxCoeff());
    EXPECT_NEAR(summary.mean[j], figures.first, 100 * kUnit * 5);
    EXPECT_NEAR(summary.deviation[j], figures.second, 3000 * kUnit * figures.second);
  }
  EXPECT_EQ(summary.constant_columns, 0);
  EXPECT_FALSE(summary.all_rows_equal);
}

TEST(Summarize, AnOffsetOf1e8CostsTheDeviationNothing) {
  const Points x = test::coarse_points({.n = 500, .dim = 2, .seed = 2});
  const Summary near = summarize(x, {}), far = summarize(Points(x.array() + 1e8), {});
  // The midpoint of the range is rounded to 1e-8, and nothing else is.
  EXPECT_LE(test::max_abs(near.deviation - far.deviation), 500 * kUnit);
}

TEST(Summarize, WorksAtBothEndsOfTheRange) {
  const Points x = test::random_points({.n = 50, .dim = 2, .seed = 3});
  const Summary base = summarize(x, {});
  for (const int power : {-1000, -500, 500, 1000}) {
    const double factor = std::ldexp(1.0, power);
    const Summary scaled = summarize(Points(x * factor), {});
    EXPECT_TRUE(scaled.mean == base.mean * factor) << power;
    EXPECT_TRUE(scaled.deviation == base.deviation * factor) << power;
  }
  Points extremes(2, 1);
  extremes << -1.7e308, 1.7e308;
  const Summary widest = summarize(extremes, {});
  EXPECT_EQ(widest.mean[0], 0);
  EXPECT_NEAR(widest.deviation[0], 1.7e308, 1e294);
}

TEST(Summarize, AHugeColumnDoesNotMakeTheOthersVanish) {
  Points x = test::random_points({.n = 50, .dim = 3, .seed = 7});
  const Summary base = summarize(x, {});
  x.col(0) *= 0x1p900;
  x.col(2) *= 0x1p-900;
  const Summary mixed = summarize(x, {});
  EXPECT_EQ(mixed.deviation[0], base.deviation[0] * 0x1p900);
  EXPECT_EQ(mixed.deviation[1], base.deviation[1]);
  EXPECT_EQ(mixed.deviation[2], base.deviation[2] * 0x1p-900);
}

TEST(Summarize, SeesConstantColumnsAndEqualRows) {
  Points x = test::random_points({.n = 10, .dim = 3, .seed = 4});
  x.col(1).setConstant(0.1);
  const Summary summary = summarize(x, {});
  EXPECT_EQ(summary.constant_columns, 1);
  EXPECT_EQ(summary.deviation[1], 0);
  EXPECT_FALSE(summary.all_rows_equal);
  EXPECT_TRUE(summarize(Points(Points::Constant(4, 2, 3.0)), {}).all_rows_equal);
}

TEST(Summarize, NamesTheFirstValueThatIsNotFinite) {
  Points x = Points::Zero(5, 3);
  x(3, 1) = std::nan("");
  x(4, 0) = HUGE_VAL;
  try {
    summarize(x, {});
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::missing_values);
    EXPECT_EQ(error.place(), "row 4, column 2");
  }
  x(3, 1) = 0;
  EXPECT_EQ(test::code_of([&] { summarize(x, {}); }), "M212");
}

TEST(WarningsAbout, LargeOffsetsLoseDigits) {
  const Points x = test::random_points({.n = 50, .dim = 2, .seed = 5});
  const auto warned = [](const Points& rows, Scalar type) {
    return test::has_warning(warnings_about(look_over(rows, {}), type), WarningCode::digits_lost);
  };
  EXPECT_FALSE(warned(x.array() + 1e4, Scalar::f64));
  EXPECT_TRUE(warned(x.array() + 1e8, Scalar::f64));
  EXPECT_TRUE(warned(x.array() + 1e4, Scalar::f32));
  EXPECT_FALSE(warned(x.array() + 100, Scalar::u8));
}

TEST(PowerOfTwoScale, BringsEverythingIntoTheUnitInterval) {
  for (const double largest : {1.0, 1.5, 0.3, 1e300, 1e-300, 5e-324, 1.7e308}) {
    Points x = Points::Zero(3, 2);
    x(1, 1) = -largest;
    const double scale = power_of_two_scale(x, {});
    int exponent = 0;
    EXPECT_EQ(std::frexp(scale, &exponent), 0.5);
    EXPECT_LE(largest * scale, 1);
    EXPECT_GE(largest * scale, largest > 1e-290 ? 0.5 : 0) << largest;
  }
  EXPECT_EQ(power_of_two_scale(Points(Points::Zero(2, 2)), {}), 1);
}

}  // namespace summary_test
}  // namespace mercer
