// Matrices instead of tables: what is refused, what is warned of, and what becomes of the entries.
#include "mercer/operators/given_kernel.h"
#include "mercer/operators/recipe.h"
#include "tests/support/dense.h"
#include "tests/support/errors.h"
#include "tests/support/random_points.h"

#include <gtest/gtest.h>

#include <limits>

namespace mercer {
namespace given_test {

using test::code_of;
using test::has_warning;
using test::kUnit;

Points symmetric(Index n, std::uint64_t seed) {
  const Points x = test::random_points({.n = n, .dim = n, .seed = seed});
  return x + x.transpose();
}

Points distances(Index n, std::uint64_t seed) {
  const Points x = test::random_points({.n = n, .dim = 3, .seed = seed});
  Points d(n, n);
  for (Index i = 0; i < n; ++i)
    for (Index j = 0; j < n; ++j) d(i, j) = (x.row(i) - x.row(j)).norm();
  return d;
}

std::string check(const Points& matrix, Given given) {
  return code_of([&] { check_given(matrix, given); });
}

TEST(Given, WordsReadBack) {
  for (const Given given : {Given::table, Given::kernel, Given::distance, Given::squared_distance})
    EXPECT_EQ(Choice<Given>(Choice<Given>(given).word()), given);
  EXPECT_EQ(code_of([] { static_cast<void>(Choice<Given>("distances")); }), "M102");
  EXPECT_EQ(code_of([] { static_cast<void>(Choice<Given>("")); }), "M102");
}

TEST(Given, RefusesWhatIsNotSquareNotFiniteOrNotSymmetric) {
  const Points k = symmetric(6, 1);
  EXPECT_EQ(check(k, Given::kernel), "no error");
  EXPECT_EQ(check(k.topRows(5), Given::kernel), "M240");
  EXPECT_EQ(check(k.leftCols(5), Given::distance), "M240");
  for (const double bad :
       {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
    Points broken = k;
    broken(2, 3) = broken(3, 2) = bad;
    EXPECT_EQ(check(broken, Given::kernel), "M212");
  }
  Points broken = k;
  broken(4, 1) += 0.5;
  EXPECT_EQ(check(broken, Given::kernel), "M241");
}

TEST(Given, NamesThePlaceCountedFromOne) {
  Points broken = symmetric(6, 2);
  broken(4, 1) += 100;
  try {
    check_given(broken, Given::kernel);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.place(), "row 5, column 2");
  }
  Points negative = distances(6, 3);
  negative(2, 5) = -1;
  try {
    check_given(negative, Given::distance);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.place(), "row 3, column 6");
  }
}

TEST(Given, N13AsymmetryUpToRoundingIsSilentToOneInAHundredMillionWarnedOfThenRefused) {
  const Points k = symmetric(20, 4);
  const double largest = test::max_abs(k);
  for (int power = -16; power <= -1; ++power) {
    Points uneven = k;
    uneven(3, 11) += std::pow(10.0, power) * largest * 0.999;
    const double measured = std::abs(uneven(3, 11) - uneven(11, 3)) / largest;
    if (power > -8) {
      EXPECT_EQ(check(uneven, Given::kernel), "M241") << power;
      continue;
    }
    const Warnings warnings = check_given(uneven, Given::kernel);
    EXPECT_EQ(has_warning(warnings, WarningCode::symmetrised), measured > 64 * kUnit) << power;
    EXPECT_EQ(measured > 64 * kUnit, power >= -14) << power;  // the test sees both sides
  }
}

TEST(Given, DistancesAreNotNegativeAndZeroToOneself) {
  Points d = distances(6, 5);
  EXPECT_EQ(check(d, Given::distance), "no error");
  d(3, 3) = 1e-13 * d.maxCoeff();
  EXPECT_EQ(check(d, Given::distance), "no error");
  d(3, 3) = 1e-9 * d.maxCoeff();
  EXPECT_EQ(check(d, Given::distance), "M245");
  EXPECT_EQ(check(d, Given::squared_distance), "M245");
  EXPECT_EQ(check(d, Given::kernel), "no error");
  d(3, 3) = 0;
  d(1, 2) = d(2, 1) = -1e-3;
  EXPECT_EQ(check(d, Given::distance), "M245");
  EXPECT_EQ(check(d, Given::kernel), "no error");
}

TEST(Given, RefusesWhatCannotBeSquaredOrSummed) {
  const Points d = distances(6, 6);
  EXPECT_EQ(check(d * 1e140, Given::distance), "no error");
  EXPECT_EQ(check(d * 1e155, Given::distance), "M221");
  EXPECT_EQ(check(d * 1e155, Given::squared_distance), "no error");
  EXPECT_EQ(check(symmetric(6, 7) * 1e305, Given::kernel), "M221");
}

TEST(Given, ThePlannerSendsItToTheOperatorThatAveragesTheHalves) {
  Points d = distances(30, 8);
  d(4, 9) *= 1 + 1e-10;  // the mean of the two is used
  const Context context;
  for (const Given given : {Given::kernel, Given::distance, Given::squared_distance}) {
    GramProblem problem{d, Kernel("linear")};
    problem.given = given;
    EXPECT_FALSE(operator_recipe("given_matrix").refuse(problem, {}));
    for (const char* other : {"dense_gram", "covariance", "linear_gram"})
      EXPECT_TRUE(operator_recipe(other).refuse(problem, {})) << other;
    const auto built = operator_recipe("given_matrix").build(problem, context);
    Block formed(30, 30);
    built->form(formed, context);
    EXPECT_TRUE(formed == formed.transpose());
    for (Index i = 0; i < 30; ++i)
      for (Index j = 0; j < 30; ++j) {
        const double one = d(i, j), other = d(j, i);
        const double expected = given == Given::kernel     ? (one + other) / 2
                                : given == Given::distance ? -(one * one + other * other) / 4
                                                           : -(one + other) / 4;
        ASSERT_NEAR(formed(i, j), expected, 4 * kUnit * std::abs(expected));
      }
    EXPECT_TRUE(built->diagonal(context) == formed.diagonal());
    EXPECT_LE(test::max_abs(test::dense(*built) - formed), 30 * kUnit * test::max_abs(formed));
    Block x = Block::Ones(30, 2), y(30, 2);
    PassSums sums;
    built->apply(x, y, &sums, context);
    EXPECT_LE(test::max_abs(sums.row_sums - formed.rowwise().sum()),
              30 * 30 * kUnit * test::max_abs(formed));
    EXPECT_NEAR(sums.frobenius_squared, formed.squaredNorm(), 900 * kUnit * formed.squaredNorm());
  }
  GramProblem table{d, Kernel("linear")};
  EXPECT_TRUE(operator_recipe("given_matrix").refuse(table, {}));
}

TEST(Given, CrossMatricesOfNewRows) {
  Points d = distances(7, 9).topRows(3);
  const Block kernel = cross_kernel(d, Given::distance);
  EXPECT_LE(test::max_abs(kernel + 0.5 * d.cwiseAbs2()), 4 * kUnit * test::max_abs(kernel));
  EXPECT_TRUE(cross_kernel(d, Given::squared_distance) == -0.5 * d);
  EXPECT_TRUE(cross_kernel(d, Given::kernel) == d);
  d(1, 2) = -1;
  EXPECT_EQ(code_of([&] { cross_kernel(d, Given::distance); }), "M245");
  EXPECT_EQ(code_of([&] { cross_kernel(d, Given::kernel); }), "no error");
}

TEST(Given, KernelsOfDistancesAreThoseOfTheirFormula) {
  const Points d = distances(7, 9).topRows(3);
  const Kernel kernel("2*gaussian:sigma=0.7*exponential:length=2+laplacian:length=3");
  const Points squared = d.cwiseAbs2();
  const Block values = cross_kernel(d, Given::distance, kernel);
  const Block same = cross_kernel(squared, Given::squared_distance, kernel);
  for (Index i = 0; i < 3; ++i)
    for (Index j = 0; j < 7; ++j) {
      const double r = d(i, j);
      const double value =
          2 * std::exp(-r * r / (2 * 0.7 * 0.7)) * std::exp(-r / 2) + std::exp(-r / 3);
      EXPECT_NEAR(values(i, j), value, 30 * kUnit * 3);
      EXPECT_NEAR(same(i, j), value, 30 * kUnit * 3);
    }
  EXPECT_TRUE(takes_distances(kernel));
  EXPECT_FALSE(takes_distances("gaussian+linear"));
  EXPECT_FALSE(takes_distances("chi_squared"));
}

TEST(Given, WidthsAreFoundFromDistances) {
  Points d(4, 4);
  d << 0, 1, 2, 6, 1, 0, 3, 5, 2, 3, 0, 4, 6, 5, 4, 0;
  EXPECT_EQ(resolve_of_distances("gaussian", d, Given::distance, {}).spec(), "gaussian:sigma=3.5");
  EXPECT_EQ(
      resolve_of_distances("gaussian", Points(d.cwiseAbs2()), Given::squared_distance, {}).spec(),
      "gaussian:sigma=3.5");
  EXPECT_EQ(resolve_of_distances("laplacian:length=2*nearest", d, Given::distance, {}).spec(),
            "laplacian:length=4");
  EXPECT_EQ(code_of([&] {
              resolve_of_distances("matern", Points(Points::Zero(3, 3)), Given::distance, {});
            }),
            "M231");
}

}  // namespace given_test
}  // namespace mercer
