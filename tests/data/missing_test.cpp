#include "mercer/data/missing.h"

#include "mercer/core/error.h"
#include "mercer/models/kind.h"
#include "mercer/models/kind/pca.h"
#include "tests/support/fitted.h"
#include "tests/support/random_points.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>

namespace mercer {
namespace missing_test {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

Dataset with_gaps() {
  Points points(4, 2);
  points << 1, 10, kNan, 20, 3, kNan, 8, 60;
  Dataset data(points);
  data.column_names = {"a", "b"};
  data.labels = Labels::from_texts("kind", {"u", "v", "w", "u"});
  data.ids = {"p", "q", "r", "s"};
  return data;
}

template <class F>
std::string code_of(F&& call) {
  try {
    call();
  } catch (const Error& error) {
    return code_text(error.code());
  }
  return "none";
}

TEST(Missing, PassesWholeDataThroughWithoutACopy) {
  const Dataset data(Points(Points::Ones(3, 2)));
  for (const Missing policy : {Missing::error, Missing::drop, Missing::mean, Missing::median}) {
    const WithoutMissing result = treat_missing(data, policy);
    EXPECT_EQ(result.data.view().data(), data.view().data());
    EXPECT_EQ(result.rows_dropped + result.cells_filled, 0);
  }
}

TEST(Missing, RefusesWithCountsAndTheFirstPlace) {
  try {
    treat_missing(with_gaps(), Missing::error);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(code_text(error.code()), "M212");
    EXPECT_EQ(error.message(), "2 missing values in 2 of 4 rows, the first in row 2, column \"a\"");
  }
}

TEST(Missing, DropsRowsWithTheirLabelsAndIds) {
  const WithoutMissing result = treat_missing(with_gaps(), Missing::drop);
  Points expected(2, 2);
  expected << 1, 10, 8, 60;
  EXPECT_EQ(result.data.view().to_points(), expected);
  EXPECT_EQ(result.rows_dropped, 2);
  EXPECT_EQ(result.data.ids, (std::vector<std::string>{"p", "s"}));
  EXPECT_EQ(result.data.labels.of_row, (std::vector<Index>{0, 0}));
  EXPECT_EQ(result.rows_left, (std::vector<Index>{0, 3}));
}

TEST(Missing, TellsWhichRowsAreWhole) {
  EXPECT_EQ(rows_without_missing(with_gaps()), (std::vector<Index>{0, 3}));
  EXPECT_EQ(rows_without_missing(Dataset(Points(Points::Constant(2, 3, std::nan(""))))),
            std::vector<Index>{});
  const Dataset bytes(std::vector<std::byte>(6), Scalar::u8, 3, 2);
  EXPECT_EQ(rows_without_missing(bytes), (std::vector<Index>{0, 1, 2}));
}

TEST(Missing, FillsInTheMeanOrTheMedianOfTheOthers) {
  const WithoutMissing mean = treat_missing(with_gaps(), Missing::mean);
  EXPECT_DOUBLE_EQ(mean.data.view().at(1, 0), 4);
  EXPECT_DOUBLE_EQ(mean.data.view().at(2, 1), 30);
  EXPECT_EQ(mean.cells_filled, 2);
  EXPECT_EQ(mean.data.column_names[1], "b");
  EXPECT_EQ(mean.data.ids[3], "s");
  const WithoutMissing median = treat_missing(with_gaps(), Missing::median);
  EXPECT_EQ(median.data.view().at(1, 0), 3);
  EXPECT_EQ(median.data.view().at(2, 1), 20);
}

TEST(Missing, TakesTheMiddleOfTwoAsMedianWithoutOverflow) {
  Points points(3, 1);
  points << 1.6e308, 1.7e308, kNan;
  EXPECT_NEAR(treat_missing(Dataset(points), Missing::median).data.view().at(2, 0) / 1.65e308, 1,
              1e-15);
  EXPECT_NEAR(treat_missing(Dataset(points), Missing::mean).data.view().at(2, 0) / 1.65e308, 1,
              1e-15);
}

TEST(Missing, KeepsFloatsAsFloats) {
  const float values[] = {1.0F, std::nanf(""), 4.0F};
  std::vector<std::byte> bytes(sizeof values);
  std::memcpy(bytes.data(), values, sizeof values);
  const WithoutMissing result = treat_missing(Dataset(bytes, Scalar::f32, 3, 1), Missing::mean);
  EXPECT_EQ(result.data.type(), Scalar::f32);
  EXPECT_EQ(result.data.view().at(1, 0), 2.5);
}

TEST(Missing, FiguresAreGivenForColumnsWithoutGapsToo) {
  const WithoutMissing mean = treat_missing(with_gaps(), Missing::mean);
  EXPECT_EQ(mean.figures, Vector(Eigen::Vector2d(4, 30)));
  Points whole(4, 2);
  whole << 0.1, 1, 0.1, 2, 0.1, 4, 0.1, 9;
  EXPECT_EQ(treat_missing(Dataset(whole), Missing::mean).figures,
            Vector(Eigen::Vector2d(0.1, 4)));  // the mean of equal values is exact
  EXPECT_EQ(treat_missing(Dataset(whole), Missing::median).figures,
            Vector(Eigen::Vector2d(0.1, 3)));
  const Dataset bytes({std::byte{3}, std::byte{9}, std::byte{255}}, Scalar::u8, 3, 1);
  EXPECT_EQ(treat_missing(bytes, Missing::mean).figures[0], 89);
  EXPECT_EQ(treat_missing(bytes, Missing::median).figures[0], 9);
  EXPECT_EQ(treat_missing(with_gaps(), Missing::drop).figures.size(), 0);
}

TEST(Missing, KeepsGapsWhereAsked) {
  const Dataset data = with_gaps();
  const WithoutMissing result = treat_missing(data, Missing::keep);
  EXPECT_EQ(result.data.view().data(), data.view().data());
  EXPECT_EQ(result.rows_dropped + result.cells_filled, 0);
}

TEST(Missing, NewRowsAreFilledByGivenFiguresOnly) {
  const WithoutMissing result = fill_missing(with_gaps(), Eigen::Vector2d(-7, 0.5));
  Points expected(4, 2);
  expected << 1, 10, -7, 20, 3, 0.5, 8, 60;
  EXPECT_EQ(result.data.view().to_points(), expected);
  EXPECT_EQ(result.cells_filled, 2);
  EXPECT_EQ(result.data.ids[3], "s");
  EXPECT_EQ(result.data.labels.of_row[2], 2);
}

TEST(Missing, FiguresTooLargeForFloatsMakeDoubles) {
  const float values[] = {1.0F, std::nanf("")};
  std::vector<std::byte> bytes(sizeof values);
  std::memcpy(bytes.data(), values, sizeof values);
  const Dataset data(bytes, Scalar::f32, 2, 1);
  EXPECT_EQ(fill_missing(data, Vector::Constant(1, 1e300)).data.view().at(1, 0), 1e300);
  EXPECT_EQ(fill_missing(data, Vector::Constant(1, 2)).data.type(), Scalar::f32);
}

TEST(Missing, NeverTouchesInfinity) {
  Points points(2, 1);
  points << 1, -std::numeric_limits<double>::infinity();
  for (const Missing policy :
       {Missing::error, Missing::drop, Missing::mean, Missing::median, Missing::keep})
    EXPECT_EQ(code_of([&] { treat_missing(Dataset(points), policy); }), "M212");
}

TEST(Missing, RefusesWhereNothingIsLeft) {
  Points points(2, 2);
  points << kNan, 1, kNan, 2;
  for (const Missing policy : {Missing::drop, Missing::mean, Missing::median})
    EXPECT_EQ(code_of([&] { treat_missing(Dataset(points), policy); }), "M212");
}

TEST(Missing, KnowsItsPoliciesByName) {
  EXPECT_EQ(missing_policy("median"), Missing::median);
  EXPECT_EQ(missing_policy("keep"), Missing::keep);
  EXPECT_EQ(code_of([] { missing_policy("zero"); }), "M102");
}

TEST(Missing, AModelRemembersTheFiguresOfItsColumns) {
  const Points x = test::random_points({.n = 12, .dim = 3, .seed = 1});
  const auto model = test::fitted<Pca>(x, {}, {});
  EXPECT_EQ(model_from(model->state())->input.missing.policy, "error");
  model->input.missing.policy = "median";
  model->input.missing.fill = Eigen::Vector3d(0.1, -2e300, 5e-324);
  model->input.missing.rows_dropped = 3;
  model->input.missing.cells_filled = 4;
  const auto loaded = model_from(model->state());
  EXPECT_EQ(loaded->input.missing.policy, "median");
  EXPECT_EQ(loaded->input.missing.fill, model->input.missing.fill);
  EXPECT_EQ(loaded->summary()["missing"]["rows_dropped"].as_integer(), 3);
  EXPECT_EQ(loaded->summary()["missing"]["cells_filled"].as_integer(), 4);
}

TEST(Missing, AModelWithFiguresThatDoNotFitIsRefused) {
  const Points x = test::random_points({.n = 12, .dim = 3, .seed = 2});
  const auto model = test::fitted<Pca>(x, {}, {});
  for (const Vector& fill :
       {Vector(Vector::Ones(2)), Vector(Vector::Ones(4)), Vector(Eigen::Vector3d(1, kNan, 1)),
        Vector(Eigen::Vector3d(1, 1, HUGE_VAL))}) {
    model->input.missing.fill = fill;
    EXPECT_EQ(code_of([&] { model_from(model->state()); }), "M703");
  }
}

TEST(Missing, AModelWithoutARecordOfMissingValuesLoads) {
  const Points x = test::random_points({.n = 12, .dim = 3, .seed = 3});
  State state = test::fitted<Pca>(x, {}, {})->state();
  state.values["missing"] = Value();
  EXPECT_EQ(model_from(state)->input.missing.fill.size(), 0);
}

}  // namespace missing_test
}  // namespace mercer
