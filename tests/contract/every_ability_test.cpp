// What models with an ability must satisfy, whatever their method.
#include "tests/contract/model_cases.h"
#include "tests/support/dense.h"
#include "tests/support/errors.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

namespace mercer {
namespace every_ability_test {

using test::code_of;
using test::kUnit;
using test::LearningTable;

const auto name_of_case = [](const auto& tested) { return tested.param.name(); };

class EveryTransforms : public test::OverModels {
 protected:
  Block training_scores(const LearningTable& rows, Index components = 3,
                        const Context& context = {}) const {
    const auto model = fit(rows, components, context);
    return need<Transforms>(*model).training_scores(rows.x, context);
  }
};
INSTANTIATE_TEST_SUITE_P(Catalogue, EveryTransforms,
                         testing::ValuesIn(test::cases_with(Ability::transforms)), name_of_case);

/// Largest kernel value that enters the sums of a transform.
double largest_kernel(const Model& model, const Points& rows) {
  if (model.kernel_description().is_null()) return rows.rowwise().squaredNorm().maxCoeff();
  const std::string spec = model.kernel_description()["spec"].as_text();
  // A nearly constant Gaussian is computed less one.
  if (spec == Kernel("gaussian:gamma=1e-9").spec())
    return 1e-9 * 4 * rows.rowwise().squaredNorm().maxCoeff();
  return test::max_abs(test::dense_kernel(Kernel(spec), model.scaler.apply(rows)));
}

/// c n u k_max / sqrt(mu_j), and n u of the score itself; of methods without eigenvalues a thousand
/// roundings of the largest score.
double score_tolerance(const Model& model, const Points& rows) {
  const auto n = static_cast<double>(rows.rows());
  if (!model.report.spectrum)
    return 1e3 * n * kUnit * test::max_abs(need<Transforms>(model).transform(rows));
  const Vector& mu = model.report.spectrum->eigenvalues;
  return 10 * n * kUnit *
         (largest_kernel(model, rows) / std::sqrt(mu.minCoeff()) + std::sqrt(mu[0]));
}

TEST_P(EveryTransforms, GivesItsTrainingRowsTheTrainingScores) {
  const auto any = fit(table);
  const auto& model = need<Transforms>(*any);
  const Block scores = model.training_scores(table.x), again = model.transform(table.x);
  EXPECT_LE(test::max_abs(scores - again), score_tolerance(*any, table.x));
  EXPECT_EQ(scores.cols(), model.score_columns());
}

TEST_P(EveryTransforms, RowsInAnotherOrderHaveTheSameScores) {
  std::vector<Index> order(60);
  std::iota(order.begin(), order.end(), Index{0});
  std::rotate(order.begin(), order.begin() + 17, order.end());
  std::swap(order[3], order[40]);
  Points permuted(60, 5);
  for (Index i = 0; i < 60; ++i) permuted.row(i) = table.x.row(order[static_cast<std::size_t>(i)]);
  const auto any = fit(table), other = fit(LearningTable(permuted));
  const Block scores = need<Transforms>(*any).training_scores(table.x);
  const Block moved = need<Transforms>(*other).training_scores(permuted);
  Block back(moved.rows(), moved.cols());
  for (Index i = 0; i < 60; ++i) back.row(order[static_cast<std::size_t>(i)]) = moved.row(i);
  // Of equal eigenvalues, as those of whitened columns, the data determine no single vectors.
  if (any->report.spectrum && !any->report.spectrum->clusters.empty()) return;
  if (test::has_warning(any->report.warnings, WarningCode::split_cluster)) return;
  // A search that begins at such vectors ends in one or another of its minima.
  if (kind().has_option("start-from") && any->scaler.kind() == "whiten") return;
  // Nor do they determine sources that look Gaussian, as those of this table do: methods that seek
  // such sources show with others that the order does not matter.
  // A Gaussian of whitened columns has no direction of its own.
  if (ability<Samples>(*any) != nullptr && any->scaler.kind() == "whiten") return;
  // Vectors move by n u |K| / gap: gaps of these spectra are above a thousandth of mu_1.
  if (!test::has_warning(any->report.warnings, WarningCode::not_identifiable)) {
    EXPECT_LE(test::difference_up_to_sign(back, scores), 1e3 * score_tolerance(*any, table.x));
  }
  if (!any->report.spectrum) return;
  const Vector &mu = any->report.spectrum->eigenvalues, &nu = other->report.spectrum->eigenvalues;
  EXPECT_LE(test::max_abs(nu - mu), 1e-12 * mu[0]);
}

TEST_P(EveryTransforms, RowByRowEqualsTheBatch) {
  const auto any = fit(table);
  const auto& model = need<Transforms>(*any);
  const Block batch = model.transform(fresh);
  const double largest = test::max_abs(batch);
  for (const Index i : {0, 1, 255, 256, 299}) {
    const Points row = fresh.row(i);
    EXPECT_LE(test::max_abs(model.transform(row) - batch.row(i)), 1e-12 * largest);
  }
  EXPECT_EQ(code_of([&] { model.transform(fresh.leftCols(4)); }), "M710");
  EXPECT_EQ(model.transform(fresh.topRows(0)).rows(), 0);
  Points bad = fresh;
  bad(7, 2) = std::nan("");
  EXPECT_EQ(code_of([&] { model.transform(bad); }), "M212");
}

TEST_P(EveryTransforms, ElementTypesOfTheRowsDoNotMatter) {
  const Points whole =
      (table.x.array() * 1.5 + 2).round().max(0).min(255);  // a sigmoid is not yet 1
  const LearningTable rows(whole);
  const Eigen::MatrixXf single = whole.cast<float>();  // column-major
  const Eigen::Matrix<unsigned char, -1, -1, Eigen::RowMajor> bytes = whole.cast<unsigned char>();
  const auto with = [&](DataView view) {
    Training training = rows.training(kind());
    training.rows = view;
    return fit_model(kind().name, training, options(allowed(rows, 3)));
  };
  const Block expected = need<Transforms>(*with(whole)).transform(whole);
  EXPECT_TRUE(need<Transforms>(*with(single)).transform(single) == expected);
  EXPECT_TRUE(need<Transforms>(*with(bytes)).transform(bytes) == expected);
  EXPECT_TRUE(need<Transforms>(*with(bytes)).transform(whole) == expected);
}

TEST_P(EveryTransforms, FloatTilesGiveTheSameScoresToFourDigits) {
  Context single;
  single.budget.precision = Precision::single_;
  const auto model = fit(table, 2), rough = fit(table, 2, single);
  const Block scores = need<Transforms>(*model).transform(fresh),
              other = need<Transforms>(*rough).transform(fresh, single);
  EXPECT_LE(test::difference_up_to_sign(other, scores), 1e-4 * test::max_abs(scores));
}

TEST_P(EveryTransforms, CopiesOfARowGetItsScores) {
  Points twice(120, 5);
  twice << table.x, table.x;
  const LearningTable doubled(twice);
  const auto model = fit(doubled);
  const Block scores = need<Transforms>(*model).training_scores(twice);
  EXPECT_LE(test::max_abs(scores.topRows(60) - scores.bottomRows(60)),
            3 * score_tolerance(*model, twice));
  // The median distance is another one.
  if (GetParam().finds_width() || !model->report.spectrum) return;
  const Vector once = fit(table)->report.spectrum->eigenvalues;
  EXPECT_LE(test::max_abs(model->report.spectrum->eigenvalues - 2 * once), 1e-11 * once[0]);
}

class EveryInverts : public test::OverModels {};
INSTANTIATE_TEST_SUITE_P(Catalogue, EveryInverts,
                         testing::ValuesIn(test::cases_with(Ability::inverts)), name_of_case);

TEST_P(EveryInverts, GoesBackToRowsThatHaveTheScores) {
  const auto any = fit(table, 5);
  const auto& transforms = need<Transforms>(*any);
  const auto& inverts = need<Inverts>(*any);
  const Block scores = transforms.transform(table.x);
  const Points back = inverts.inverse(scores);
  EXPECT_EQ(back.rows(), 60);
  EXPECT_EQ(back.cols(), 5);
  EXPECT_LE(test::max_abs(transforms.transform(back) - scores), 1e-9 * test::max_abs(scores));
  EXPECT_EQ(code_of([&] { inverts.inverse(scores.leftCols(1)); }), "M712");
}

class EveryPredicts : public test::OverModels {};
INSTANTIATE_TEST_SUITE_P(Catalogue, EveryPredicts,
                         testing::ValuesIn(test::cases_with(Ability::predicts)), name_of_case);
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(EveryPredicts);

TEST_P(EveryPredicts, HasAColumnForEachClassOrTarget) {
  const auto any = fit(table);
  const auto& model = need<Predicts>(*any);
  const std::vector<std::string> expected =
      model.classifies() ? table.labels.classes : std::vector<std::string>{"sum", "slope"};
  EXPECT_EQ(model.prediction_names(), expected);
  const Block all = model.predict(fresh);
  EXPECT_EQ(all.cols(), static_cast<Index>(expected.size()));
  for (const Index i : {0, 1, 299}) {
    const Points row = fresh.row(i);
    EXPECT_LE(test::max_abs(model.predict(row) - all.row(i)), 1e-12 * test::max_abs(all));
  }
  EXPECT_EQ(code_of([&] { model.predict(fresh.leftCols(4)); }), "M710");
  Points bad = fresh;
  bad(7, 2) = std::nan("");
  EXPECT_EQ(code_of([&] { model.predict(bad); }), "M212");
}

class EveryRates : public test::OverModels {};
INSTANTIATE_TEST_SUITE_P(Catalogue, EveryRates, testing::ValuesIn(test::cases_with(Ability::rates)),
                         name_of_case);
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(EveryRates);

TEST_P(EveryRates, GivesEachRowANumberOfItsOwn) {
  const auto any = fit(table);
  const auto& model = need<Rates>(*any);
  EXPECT_FALSE(model.rating().empty());
  const Vector all = model.rate(fresh);
  ASSERT_EQ(all.size(), 300);
  for (const Index i : {0, 1, 255, 256, 299}) {
    const Points row = fresh.row(i);
    EXPECT_NEAR(model.rate(row)[0], all[i], 1e-12 * test::max_abs(all));
  }
  EXPECT_EQ(code_of([&] { model.rate(fresh.leftCols(4)); }), "M710");
  Points bad = fresh;
  bad(7, 2) = std::nan("");
  if (!any->takes_gaps()) {
    EXPECT_EQ(code_of([&] { model.rate(bad); }), "M212");
  }
}

class EveryLikelihood : public test::OverModels {};
INSTANTIATE_TEST_SUITE_P(Catalogue, EveryLikelihood,
                         testing::ValuesIn(test::cases_with(Ability::likelihood)), name_of_case);
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(EveryLikelihood);

TEST_P(EveryLikelihood, IsThatOfEachRowAlone) {
  const auto any = fit(table);
  const auto& model = need<Likelihood>(*any);
  const Vector all = model.log_density(fresh);
  ASSERT_EQ(all.size(), 300);
  for (const Index i : {0, 1, 255, 256, 299}) {
    const Points row = fresh.row(i);
    EXPECT_NEAR(model.log_density(row)[0], all[i], 1e-12 * test::max_abs(all));
  }
  EXPECT_EQ(code_of([&] { model.log_density(fresh.leftCols(4)); }), "M710");
  // Rows that were learnt from are likelier than rows far away.
  EXPECT_GT(model.log_density(table.x).mean(), model.log_density(Points(10 * table.x)).mean());
}

class EveryImputes : public test::OverModels {};
INSTANTIATE_TEST_SUITE_P(Catalogue, EveryImputes,
                         testing::ValuesIn(test::cases_with(Ability::imputes)), name_of_case);
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(EveryImputes);

TEST_P(EveryImputes, FillsGapsAndChangesNothingElse) {
  const auto any = fit(table);
  const auto& model = need<Imputes>(*any);
  EXPECT_TRUE(model.impute(fresh) == fresh);
  Points gaps = fresh;
  for (Index i = 0; i < 300; i += 2) gaps(i, i % 5) = std::nan("");
  if (any->scaler.kind() == "whiten") {  // a gap in one column is one in all that are mixed
    EXPECT_EQ(code_of([&] { model.impute(gaps); }), "M102");
    return;
  }
  const Points whole = model.impute(gaps);
  ASSERT_TRUE(whole.allFinite());
  for (Index i = 0; i < 300; ++i)
    for (Index j = 0; j < 5; ++j)
      if (!std::isnan(gaps(i, j))) {
        EXPECT_EQ(whole(i, j), gaps(i, j));
      }
  for (const Index i : {0, 2, 254, 256, 298}) {
    const Points row = gaps.row(i);
    EXPECT_LE(test::max_abs(model.impute(row) - whole.row(i)), 1e-12 * test::max_abs(whole));
  }
  Points bad = fresh;
  bad(7, 2) = HUGE_VAL;
  EXPECT_EQ(code_of([&] { model.impute(bad); }), "M212");
  EXPECT_EQ(code_of([&] { model.impute(fresh.leftCols(4)); }), "M710");
}

class EverySamples : public test::OverModels {};
INSTANTIATE_TEST_SUITE_P(Catalogue, EverySamples,
                         testing::ValuesIn(test::cases_with(Ability::samples)), name_of_case);
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(EverySamples);

TEST_P(EverySamples, DrawsTheSameRowsForTheSameSeed) {
  const auto any = fit(table);
  const auto& model = need<Samples>(*any);
  Context one;
  one.budget.threads = 1;
  const Points rows = model.sample(600, 5);
  EXPECT_EQ(rows.rows(), 600);
  EXPECT_EQ(rows.cols(), 5);
  EXPECT_TRUE(rows.allFinite());
  EXPECT_TRUE(model.sample(600, 5, one) == rows);
  EXPECT_TRUE(model.sample(40, 5) == rows.topRows(40));
  EXPECT_FALSE(model.sample(600, 6) == rows);
  // A mean of 600 rows is within five of its deviations of the mean of those that were learnt from.
  const Eigen::RowVectorXd far = (rows.colwise().mean() - table.x.colwise().mean()).cwiseAbs();
  const Points centred = table.x.rowwise() - table.x.colwise().mean();
  for (Index j = 0; j < 5; ++j)
    EXPECT_LE(far[j], 5 * std::sqrt(centred.col(j).squaredNorm() / 60 / 600));
}

}  // namespace every_ability_test
}  // namespace mercer
