#include "mercer/data/column_scales.h"

#include "tests/support/errors.h"
#include "tests/support/random_points.h"
#include "tests/support/sparse_rows.h"

#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <vector>

namespace mercer {
namespace column_scales_test {

// The message of W234, or nothing.
std::string said_of(DataView rows, const std::vector<std::string>& names = {}) {
  const Warnings found = warnings_about_scales(rows, look_over(rows, {}), names, {});
  EXPECT_LE(found.size(), 1U);
  if (found.empty()) return {};
  EXPECT_EQ(found[0].code, WarningCode::scales_differ);
  return found[0].message;
}

TEST(ColumnScales, AreNamedWhereTheyDifferByAHundred) {
  Points x = test::random_points({.n = 50, .dim = 3, .seed = 6});
  x.col(2).setConstant(1e12);  // a constant column has no scale
  EXPECT_EQ(said_of(x), "");
  x.col(1) = x.col(0) * 101;
  EXPECT_EQ(said_of(x).find("column 2 varies 101 times as much as column 1;"), 0U) << said_of(x);
  EXPECT_EQ(said_of(x, {"a", "b", "c"}).find("\"b\" varies 101 times as much as \"a\";"), 0U);
  x.col(1) = x.col(0) * 99;
  EXPECT_EQ(said_of(x), "");
}

TEST(ColumnScales, FromOneEndOfTheRangeToTheOther) {
  Points x = test::random_points({.n = 50, .dim = 3, .seed = 8});
  x.col(0) *= 1e-310;
  x.col(2) *= 1e300;
  const Summary summary = summarize(x, {});
  EXPECT_TRUE(summary.mean.allFinite() && summary.deviation.allFinite());
  EXPECT_GT(summary.deviation[0], 0);
  EXPECT_TRUE(warnings_about(look_over(x, {}), Scalar::f64).empty());
  EXPECT_NE(said_of(x).find(" 1e+610 times"), std::string::npos) << said_of(x);
}

TEST(ColumnScales, DenormalColumnsBesideOrdinaryOnes) {
  Points x = Points::Zero(400, 2);
  x.col(0) = test::random_points({.n = 400, .dim = 1, .seed = 9});
  x(7, 1) = std::numeric_limits<double>::denorm_min();  // a deviation of a twentieth of it: 0
  const Summary summary = summarize(x, {});
  EXPECT_EQ(summary.constant_columns, 0);
  EXPECT_GT(summary.deviation[1], 0);
  EXPECT_NE(said_of(x), "");
  EXPECT_EQ(said_of(x).find("inf"), std::string::npos);
}

TEST(ColumnScales, DenormalColumnsAloneAreNothingSpecial) {
  const Points x = test::random_points({.n = 50, .dim = 3, .seed = 10}) * 1e-312;
  EXPECT_TRUE(warnings_about(look_over(x, {}), Scalar::f64).empty());
  EXPECT_EQ(said_of(x), "");
}

TEST(ColumnScales, PixelsShareTheirUnit) {
  // Whole numbers up to 16; the first columns are nearly always 0.
  Points x = Points::Zero(200, 20);
  for (Index i = 0; i < x.rows(); ++i)
    for (Index j = 0; j < x.cols(); ++j)
      x(i, j) = j < 3 ? 0 : static_cast<double>((i * (j + 2)) % 17);
  x(5, 0) = 0.5;
  EXPECT_EQ(said_of(x), "");
  x.col(4) *= 3;  // now one column alone reaches the largest value
  EXPECT_NE(said_of(x), "");
}

TEST(ColumnScales, RareWordsAreLeftAlone) {
  Points x = Points::Zero(100, 3);
  x.col(0) = test::random_points({.n = 100, .dim = 1, .seed = 11});
  x(3, 1) = 0.01;
  EXPECT_NE(said_of(x), "");
  EXPECT_EQ(said_of(test::sparse_rows(x)), "");
  x(3, 1) = 1e-5;
  EXPECT_NE(said_of(test::sparse_rows(x)), "");
}

}  // namespace column_scales_test
}  // namespace mercer
