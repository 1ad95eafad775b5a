// Tables of classes counted by hand, and cross-validation against loops that are written out.
#include "mercer/models/cross_validate.h"

#include "mercer/models/kind.h"
#include "mercer/models/kind/nearest_mean.h"
#include "mercer/models/kind/pls.h"
#include "tests/support/dense.h"
#include "tests/support/errors.h"
#include "tests/support/random_points.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace mercer {
namespace cross_validate_test {

using test::code_of;
using test::random_points;

double figure(const Report& report, std::string_view name, std::size_t at = 0) {
  for (const Figure& one : report.figures)
    if (one.name == name)
      return one.value.is_list() ? one.value.as_list().at(at).as_number() : one.value.as_number();
  ADD_FAILURE() << name;
  return 0;
}

TEST(ClassTable, CountsWhatWasTakenForWhat) {
  const std::vector<std::string> known = {"a", "b", "c"};
  // own:       a  a  b  b  c  d  (none)  a
  // predicted: a  b  b  b  a  c   a      a
  const Labels truth = Labels::from_texts("y", {"a", "a", "b", "b", "c", "d", "NA", "a"});
  const std::vector<Index> predicted = {0, 1, 1, 1, 0, 2, 0, 0};
  const ClassTable table = table_of_classes(known, predicted, truth);
  EXPECT_EQ(table.classes, (std::vector<std::string>{"a", "b", "c", "d"}));
  EXPECT_EQ(table.judged, 7);
  EXPECT_EQ(table.without_class, 1);
  EXPECT_EQ(table.rows_unknown(), 1);
  EXPECT_DOUBLE_EQ(table.accuracy(), 4.0 / 7);
  Eigen::Matrix<Index, 4, 3> expected;
  expected << 2, 1, 0, 0, 2, 0, 1, 0, 0, 0, 0, 1;
  EXPECT_EQ(table.count, expected);
  EXPECT_DOUBLE_EQ(table.recall()[0], 2.0 / 3);
  EXPECT_EQ(table.recall()[1], 1);
  EXPECT_EQ(table.recall()[2], 0);
  EXPECT_EQ(table.recall()[3], 0);
  EXPECT_DOUBLE_EQ(table.precision()[0], 2.0 / 3);
  EXPECT_DOUBLE_EQ(table.precision()[1], 2.0 / 3);
  EXPECT_EQ(table.precision()[2], 0);
  EXPECT_EQ(table.describe()["confusion"].as_list().size(), 4U);
}

TEST(ClassTable, AClassNamedByTheModelIsAClassWhateverItsName) {
  const ClassTable table = table_of_classes({"NA", "EU"}, std::vector<Index>{0, 1},
                                            Labels::from_texts("y", {"NA", "EU"}));
  EXPECT_EQ(table.judged, 2);
  EXPECT_EQ(table.accuracy(), 1);
}

TEST(ClassTable, WithoutRowsSaysThatNothingIsKnown) {
  const ClassTable table = table_of_classes({"a", "b"}, {}, {});
  EXPECT_TRUE(std::isnan(table.accuracy()));
  EXPECT_TRUE(std::isnan(table.recall()[0]));
}

Labels three_classes(const Points& x) {
  std::vector<std::string> texts;
  for (Index i = 0; i < x.rows(); ++i)
    texts.emplace_back(x(i, 0) + 0.4 * x(i, 1) < -0.7 ? "low" : x(i, 0) < 0.8 ? "middle" : "high");
  return Labels::from_texts("class", texts);
}

TEST(CrossValidate, LeavingOneOutIsALoopOverTheRows) {
  const Points x = random_points({.n = 30, .dim = 3, .seed = 1}) *
                   Vector(Vector::LinSpaced(3, 1, 9)).asDiagonal();
  const Labels labels = three_classes(x);
  Training training(x);
  training.input.labels = labels;
  const Value options = Value::Object{{"kernel", "gaussian:sigma=median"}, {"scale", "standard"}};
  Index right = 0;
  for (Index i = 0; i < 30; ++i) {
    Points others(29, 3);
    std::vector<std::string> texts;
    for (Index j = 0, at = 0; j < 30; ++j) {
      if (j == i) continue;
      others.row(at++) = x.row(j);
      texts.push_back(
          labels.classes[static_cast<std::size_t>(labels.of_row[static_cast<std::size_t>(j)])]);
    }
    Training part(others);
    part.input.labels = Labels::from_texts("class", texts);
    const auto model = fit_model("nearest_mean", part, options);
    const auto& predicts = need<Predicts>(*model);
    const Labels found = predicted_classes(predicts, predicts.predict(x.row(i)));
    right +=
        found.classes[static_cast<std::size_t>(found.of_row[0])] ==
                labels.classes[static_cast<std::size_t>(labels.of_row[static_cast<std::size_t>(i)])]
            ? 1
            : 0;
  }
  const CrossValidation found = cross_validate("nearest_mean", training, options, {.folds = 30});
  const double share = static_cast<double>(right) / 30;
  EXPECT_DOUBLE_EQ(found.accuracy, share);
  // Shares of single rows are 0 or 1.
  EXPECT_NEAR(found.accuracy_error, std::sqrt(share * (1 - share) / 29), 1e-15);
  EXPECT_GT(share, 0.5);
  EXPECT_LT(share, 1);
}

TEST(CrossValidate, FoldsComeFromTheSeedAndClassesAreSpreadEvenly) {
  const Points x = random_points({.n = 100, .dim = 2, .seed = 2});
  Training training(x);
  training.input.labels = three_classes(x);
  const auto run = [&](std::uint64_t seed) {
    return cross_validate("nearest_mean", training, {}, {.folds = 5, .seed = seed});
  };
  const CrossValidation first = run(0), again = run(0);
  EXPECT_EQ(first.classes.count, again.classes.count);
  bool another = false;
  for (std::uint64_t seed = 1; seed < 6; ++seed)
    another = another || run(seed).classes.count != first.classes.count;
  EXPECT_TRUE(another);
  EXPECT_EQ(first.classes.judged, 100);
  EXPECT_TRUE(first.warnings.empty());
  Report report;
  first.add_to(report);
  EXPECT_EQ(figure(report, "cv_accuracy"), first.accuracy);
  EXPECT_EQ(figure(report, "cv_folds"), 5);
}

// One class has a row in every fold but one: without stratification some fold would lack it.
TEST(CrossValidate, EveryFoldHasItsShareOfARareClass) {
  Points x = random_points({.n = 60, .dim = 1, .seed = 3});
  std::vector<std::string> texts(60, "common");
  for (const Index i : {0, 1, 2, 3}) {
    texts[static_cast<std::size_t>(i)] = "rare";
    x(i, 0) += 50;
  }
  Training training(x);
  training.input.labels = Labels::from_texts("y", texts);
  const CrossValidation found =
      cross_validate("nearest_mean", training, Value::Object{{"kernel", "linear"}}, {.folds = 4});
  EXPECT_EQ(found.accuracy, 1);
  EXPECT_TRUE(found.warnings.empty());
  const CrossValidation many =
      cross_validate("nearest_mean", training, Value::Object{{"kernel", "linear"}}, {.folds = 6});
  EXPECT_TRUE(test::has_warning(many.warnings, WarningCode::small_classes));
}

TEST(CrossValidate, AClassOfOneRowIsWrongAndTheWarningSaysSo) {
  const Points x = random_points({.n = 20, .dim = 2, .seed = 4});
  std::vector<std::string> texts;
  for (Index i = 0; i < 20; ++i) texts.emplace_back(i == 0 ? "single" : x(i, 0) > 0 ? "a" : "b");
  Training training(x);
  training.input.labels = Labels::from_texts("y", texts);
  const CrossValidation found = cross_validate("nearest_mean", training, {}, {.folds = 3});
  EXPECT_EQ(found.classes.recall()[0], 0);
  ASSERT_TRUE(test::has_warning(found.warnings, WarningCode::small_classes));
  EXPECT_NE(found.warnings[0].message.find("single"), std::string::npos);
}

TEST(CrossValidate, ClassesByChanceAreNoBetterThanTheLargest) {
  const Points x = random_points({.n = 60, .dim = 2, .seed = 5});
  const Points other = random_points({.n = 60, .dim = 1, .seed = 6});
  std::vector<std::string> texts;
  for (Index i = 0; i < 60; ++i) texts.emplace_back(other(i, 0) > -0.8 ? "most" : "few");
  Training training(x);
  training.input.labels = Labels::from_texts("y", texts);
  const CrossValidation found = cross_validate("nearest_mean", training, {}, {.folds = 5});
  EXPECT_TRUE(test::has_warning(found.warnings, WarningCode::no_better_than_mean));
}

// pls cross-validates by itself, with the same folds: its curve at the number of components.
TEST(CrossValidate, OfRegressionIsThatOfTheMethodItself) {
  const Points x = random_points({.n = 47, .dim = 5, .seed = 7});
  Points y = x.leftCols(2) + 0.3 * random_points({.n = 47, .dim = 2, .seed = 8});
  y.col(1) *= 1000;
  Training training(x);
  training.targets = {DataView(y), {"a", "b"}};
  for (const char* type : {"random", "interleaved", "consecutive"})
    for (const char* method : {"pls", "pcr"}) {
      const Value options =
          Value::Object{{"components", 3}, {"folds", 6}, {"fold-type", type}, {"seed", 11}};
      const auto model = fit_model(method, training, options);
      const CrossValidation found =
          cross_validate(method, training, options, CrossValidationOptions::of(6, model->options));
      for (std::size_t j = 0; j < 2; ++j) {
        const auto at = static_cast<Index>(j);
        double curve = 0, error = 0;
        for (const Figure& one : model->report.figures) {
          if (one.name == "rmsep") curve = one.value.as_list()[j].as_list()[3].as_number();
          if (one.name == "rmsep_se") error = one.value.as_list()[j].as_list()[3].as_number();
        }
        EXPECT_NEAR(found.rmse[at], curve, 1e-12 * curve) << method << type;
        EXPECT_NEAR(found.rmse_error[at], error, 1e-10 * curve) << method << type;
        const Vector own = y.col(at);
        const double variance = (own.array() - own.mean()).square().mean();
        EXPECT_NEAR(found.r_squared[at], 1 - curve * curve / variance, 1e-12);
      }
    }
}

TEST(CrossValidate, OfAKernelMatrixIsThatOfItsTable) {
  const Points x = random_points({.n = 40, .dim = 2, .seed = 9});
  const Block k = test::dense_kernel(Kernel("gaussian:sigma=1"), x);
  Training rows(x), pairs(k);
  rows.input.labels = pairs.input.labels = three_classes(x);
  const CrossValidation a = cross_validate(
      "nearest_mean", rows, Value::Object{{"kernel", "gaussian:sigma=1"}}, {.folds = 5});
  const CrossValidation b =
      cross_validate("nearest_mean", pairs, Value::Object{{"as", "kernel"}}, {.folds = 5});
  EXPECT_EQ(a.classes.count, b.classes.count);
}

TEST(CrossValidate, StopsWhenAsked) {
  const Points x = random_points({.n = 40, .dim = 2, .seed = 9});
  Training training(x);
  training.input.labels = three_classes(x);
  Context context;
  int asked = 0;
  context.observer.cancelled = [&] { return ++asked > 3; };
  EXPECT_EQ(code_of([&] { cross_validate("nearest_mean", training, {}, {.folds = 5}, context); }),
            "M001");
}

TEST(CrossValidate, RefusesWhatCannotBeSplitOrJudged) {
  const Points x = random_points({.n = 10, .dim = 2, .seed = 10});
  Training training(x);
  const auto code = [&](const char* method, Index folds) {
    return code_of([&] { cross_validate(method, training, {}, {.folds = folds}); });
  };
  EXPECT_EQ(code("nearest_mean", 5), "M250");
  training.input.labels = three_classes(x);
  EXPECT_EQ(code("nearest_mean", 1), "M102");
  EXPECT_EQ(code("nearest_mean", -3), "M102");
  EXPECT_EQ(code("nearest_mean", 11), "M102");
  EXPECT_EQ(code("kernel_pca", 5), "M102");
  EXPECT_EQ(code("pls", 5), "M251");
  EXPECT_EQ(code("no_such_method", 5), "M112");
}

}  // namespace cross_validate_test
}  // namespace mercer
