// Kernel discriminant analysis at its limits: units, wide tables, what is refused, indefinite
// kernels, landmarks of many rows.
#include "mercer/models/kind/kernel_lda.h"
#include "tests/models/kernel_lda_cases.h"
#include "tests/support/errors.h"
#include "tests/support/regression_tables.h"

namespace mercer {
namespace kernel_lda_limits_test {

using namespace kernel_lda_cases;
using test::code_of;
using test::figure_table;

TEST(KernelLda, TranslationsAndUnitsOfTheColumnsDoNotMatterToALinearKernel) {
  const Groups groups;
  const KernelLdaOptions options{.kernel = "linear", .ridge = "1e-3"};
  const Block known = KernelLda::fit(groups.training(), options).transform(groups.x);
  for (const double factor : {1e-100, 1e100}) {
    const Points scaled = factor * groups.x;
    const KernelLda model = KernelLda::fit(with_classes(scaled, groups.of_row), options);
    EXPECT_LE(test::max_abs(model.transform(scaled) - known), 1e-10) << factor;
  }
  const Points moved = groups.x.array() + 1e8;
  const KernelLda model = KernelLda::fit(with_classes(moved, groups.of_row), options);
  // Rows have eight digits left.
  EXPECT_LE(test::max_abs(model.transform(moved) - known), 1e-6);
}

TEST(KernelLda, MoreColumnsThanRowsAreSolvedInTheirRange) {
  const Points x = test::random_points({.n = 24, .dim = 50, .seed = 19});
  std::vector<Index> of_row;
  for (Index i = 0; i < 24; ++i) of_row.push_back(i % 3);
  const KernelLda model =
      KernelLda::fit(with_classes(x, of_row), {.kernel = "linear", .ridge = "1e-2"});
  const Scatter scatter(x, of_row, 3);
  const double trace = (scatter.within + scatter.between).trace();
  const auto [values, scores] = scatter.solve(x, 1e-2 * trace, 2);
  for (Index k = 0; k < 2; ++k) EXPECT_NEAR(model.eigenvalues()[k], values[k], 1e-10 * values[0]);
  expect_same_directions(model.transform(x), scores, 1e-10);
}

TEST(KernelLda, RefusesWhatHasNoDiscriminants) {
  const Groups groups;
  const auto code = [&](const std::vector<Index>& of_row, const KernelLdaOptions& options = {}) {
    return code_of([&] { KernelLda::fit(with_classes(groups.x, of_row), options); });
  };
  EXPECT_EQ(code(std::vector<Index>(90, 0)), "M270");
  std::vector<Index> all_different;
  for (Index i = 0; i < 90; ++i) all_different.push_back(i);
  EXPECT_EQ(code(all_different), "M273");
  // A kernel with as many functions as rows separates any classes.
  EXPECT_EQ(code(groups.of_row, {.kernel = "gaussian:sigma=0.5", .ridge = "0"}), "M271");
  EXPECT_EQ(code(groups.of_row, {.ridge = "-1"}), "M102");
  EXPECT_EQ(code(groups.of_row, {.ridge = "much"}), "M102");
  EXPECT_EQ(code(groups.of_row, {.priors = "0.5,0.5"}), "M102");
  EXPECT_EQ(code(groups.of_row, {.priors = "0.5,0.5,0.5"}), "M102");
  EXPECT_EQ(code(groups.of_row, {.components = 3}), "M233");
  EXPECT_EQ(code(groups.of_row, {.kernel = "sigmoid", .span = Span::landmarks}), "M102");
  Training none = groups.training();
  Labels holes = labels_of(groups.of_row);
  holes.classes[1] = "";
  none.input.labels = holes;
  EXPECT_EQ(code_of([&] { KernelLda::fit(none); }), "M272");
}

TEST(KernelLda, RowsThatAreCopiesWithinClassesHaveNoScatter) {
  Points x(12, 2);
  std::vector<Index> of_row;
  for (Index i = 0; i < 12; ++i) {
    of_row.push_back(i % 3);
    x.row(i) << static_cast<double>(i % 3), static_cast<double>((i % 3) * (i % 3));
  }
  for (const char* ridge : {"0", "auto", "0.1"})
    EXPECT_EQ(code_of([&] { KernelLda::fit(with_classes(x, of_row), {.ridge = ridge}); }), "M271")
        << ridge;
}

TEST(KernelLda, AClassWithASingleRowIsWarnedOfAndPredicted) {
  Groups groups;
  groups.of_row[5] = 3;
  groups.x.row(5).setConstant(8);
  const KernelLda model = KernelLda::fit(groups.training(), {.kernel = "linear"});
  EXPECT_TRUE(test::has_warning(model.report.warnings, WarningCode::single_rows));
  Index best = 0;
  model.predict(groups.x.row(5)).row(0).maxCoeff(&best);
  EXPECT_EQ(best, 3);
  EXPECT_EQ(code_of([&] {
              KernelLda::fit(groups.training(), {.kernel = "linear",
                                                 .classifier = Classifier::gaussian,
                                                 .covariance = ClassCovariance::own});
            }),
            "M273");
}

TEST(KernelLda, TheNegativePartOfAnIndefiniteKernelIsLeftOutAndTold) {
  const Groups groups;
  const KernelLda model =
      KernelLda::fit(groups.training(), {.kernel = "sigmoid:scale=0.5,offset=-1"});
  EXPECT_TRUE(test::has_warning(model.report.warnings, WarningCode::negative_eigenvalues));
  EXPECT_TRUE(model.transform(groups.x).allFinite());
}

/// Rings around each other: no plane tells them apart.
struct Rings {
  explicit Rings(Index n, std::uint64_t seed)
      : x(test::random_points({.n = n, .dim = 4, .seed = seed})) {
    for (Index i = 0; i < n; ++i) {
      of_row.push_back(i % 3);
      const double wanted = 1 + static_cast<double>(i % 3) + 0.1 * x(i, 3);
      x.row(i).head(2) *= wanted / x.row(i).head(2).norm();
    }
  }
  Points x;
  std::vector<Index> of_row;
};

double share_right(const Block& probabilities, const std::vector<Index>& of_row) {
  double right = 0;
  for (Index i = 0; i < probabilities.rows(); ++i) {
    Index best = 0;
    probabilities.row(i).maxCoeff(&best);
    right += best == of_row[static_cast<std::size_t>(i)] ? 1 : 0;
  }
  return right / static_cast<double>(probabilities.rows());
}

TEST(KernelLda, ManyRowsTakeLandmarksAndSayHowMuchTheyHold) {
  const Rings rings(2600, 29), fresh(600, 31);
  const Training training = with_classes(rings.x, rings.of_row);
  const KernelLda model = KernelLda::fit(training, {.kernel = "gaussian:sigma=0.7"});
  EXPECT_EQ(figure_table(model, "class_sizes").rows(), 3);
  EXPECT_EQ(model.expansion().points().n(), 1000);
  EXPECT_NE(model.remark().find("functions of 1000 landmark rows"), std::string::npos)
      << model.remark();
  EXPECT_GT(share_right(model.predict(fresh.x), fresh.of_row), 0.97);
  Context one, three;
  one.budget.threads = 1;
  three.budget.threads = 3;
  const KernelLdaOptions options{.kernel = "gaussian:sigma=0.7", .rank = 300};
  EXPECT_TRUE(KernelLda::fit(training, options, one).transform(fresh.x) ==
              KernelLda::fit(training, options, three).transform(fresh.x));
  Context little;
  little.budget.memory = 20 << 20;
  EXPECT_EQ(code_of([&] { KernelLda::fit(training, {.kernel = "gaussian:sigma=0.7"}, little); }),
            "M301");
}

TEST(KernelLda, AShareOfTheTraceTakesAsManyLandmarksAsItNeeds) {
  const Rings rings(2600, 29);
  const Training training = with_classes(rings.x, rings.of_row);
  Index before = 0;
  for (const double share : {0.5, 0.9, 0.99}) {
    const KernelLda model = KernelLda::fit(
        training, {.kernel = "gaussian:sigma=1.5", .rank = Components::share(share)});
    const Index landmarks = model.expansion().points().n();
    EXPECT_GT(landmarks, before);
    before = landmarks;
  }
  EXPECT_LT(before, 2600);
}

TEST(KernelLda, CanBeStopped) {
  const Rings rings(2600, 29);
  Context context;
  context.observer.cancelled = [] { return true; };
  EXPECT_EQ(code_of([&] { KernelLda::fit(with_classes(rings.x, rings.of_row), {}, context); }),
            "M001");
}

TEST(KernelLda, RowsFarAwayGetProbabilitiesAllTheSame) {
  const Groups groups;
  const KernelLda model = KernelLda::fit(groups.training(), {.kernel = "linear"});
  const Points far = Points::Constant(1, 4, 1e200);
  const Block probabilities = model.predict(far);
  EXPECT_TRUE(probabilities.allFinite());
  EXPECT_NEAR(probabilities.sum(), 1, 1e-12);
}

}  // namespace kernel_lda_limits_test
}  // namespace mercer
