// What every method must satisfy, found through the catalogue: fit, transform, save, load.
#include "mercer/io/model.h"
#include "mercer/io/model_file.h"
#include "mercer/models/model.h"
#include "tests/support/dense.h"
#include "tests/support/errors.h"
#include "tests/support/random_points.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <numeric>

namespace mercer {
namespace {

namespace fs = std::filesystem;
using test::kUnit;

struct Case {
  const ModelKind* kind;
  std::string kernel;  // empty for methods without one
  std::string scale = "none";
  std::string whiten = "none";

  std::string name() const {
    return std::string(kind->name) + " " + kernel + " scale=" + scale + " whiten=" + whiten;
  }
  FitOptions options(Index components = 3) const {
    FitOptions options;
    if (!kernel.empty()) options.kernel = kernel;
    options.components = components;
    options.scale = scale;
    options.whiten = whiten;
    return options;
  }
};

std::vector<Case> all_cases() {
  std::vector<Case> cases;
  for (const ModelKind* kind : model_kinds()) {
    if (!kind->uses_kernel) {
      cases.push_back({kind, ""});
      cases.push_back({kind, "", "standard"});
      cases.push_back({kind, "", "none", "pca"});
      cases.push_back({kind, "", "none", "zca"});
      continue;
    }
    for (const char* kernel :
         {"gaussian", "linear", "polynomial:degree=2,scale=0.25", "gaussian:gamma=1e-9",
          "sigmoid:scale=0.125,offset=0.25", "gaussian:sigma=2+0.5*linear"})
      cases.push_back({kind, kernel});
    for (const char* scale : {"standard", "range", "whiten"})
      cases.push_back({kind, "gaussian", scale});
  }
  return cases;
}

class EveryModel : public testing::TestWithParam<Case> {
 protected:
  std::unique_ptr<Model> fit(DataView rows, Index components = 3) const {
    return fit_model(GetParam().kind->name, rows, GetParam().options(components), context);
  }
  Context context;
  Points x = test::random_points({.n = 60, .dim = 5, .seed = 1}) *
             Vector(Vector::LinSpaced(5, 1, 2)).asDiagonal();
  Points fresh = test::random_points({.n = 300, .dim = 5, .seed = 2});
};
INSTANTIATE_TEST_SUITE_P(Catalogue, EveryModel, testing::ValuesIn(all_cases()),
                         [](const auto& tested) {
                           std::string name = tested.param.name();
                           for (char& c : name)
                             if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '_';
                           return name;
                         });

/// c n u k_max / sqrt(mu_j), and n u of the score itself.
double score_tolerance(const Model& model, double largest_kernel) {
  const auto n = static_cast<double>(model.report.n);
  const double least = model.report.eigenvalues.minCoeff();
  return 10 * n * kUnit *
         (largest_kernel / std::sqrt(least) + std::sqrt(model.report.eigenvalues[0]));
}

/// Largest kernel value that enters the sums of a transform.
double largest_kernel(const Model& model, const Points& rows) {
  if (model.kernel().is_null()) return rows.rowwise().squaredNorm().maxCoeff();
  const Kernel kernel(model.kernel()["spec"].as_text());
  const Points scaled = model.scaler.apply(rows);
  // A nearly constant Gaussian is computed less one.
  const bool minus_one = model.kernel()["spec"].as_text() == Kernel("gaussian:gamma=1e-9").spec();
  return minus_one ? 1e-9 * 4 * rows.rowwise().squaredNorm().maxCoeff()
                   : test::max_abs(test::dense_kernel(kernel, scaled));
}

TEST_P(EveryModel, TransformsItsTrainingRowsToTheTrainingScores) {
  const auto model = fit(x);
  const Block scores = model->training_scores(x, context), again = model->transform(x, context);
  const double error = test::max_abs(scores - again);
  EXPECT_LE(error, score_tolerance(*model, largest_kernel(*model, x)));
  EXPECT_EQ(scores.cols(), model->score_columns());
  RecordProperty("ratio",
                 std::to_string(10 * error / score_tolerance(*model, largest_kernel(*model, x))));
}

TEST_P(EveryModel, ComesBackFromItsFileWithEveryBit) {
  const auto model = fit(x);
  model->input = {"table.csv",
                  fingerprint(x),
                  {"a", "b", "c", "d", "e"},
                  true,
                  Labels::from_texts("class", std::vector<std::string>(60, "one"))};
  const fs::path folder = fs::temp_directory_path() / ("mercer_model_" + std::to_string(getpid()));
  fs::create_directories(folder);
  const std::string path = (folder / "model.mercer").string();
  save_model(path, *model);
  const auto loaded = load_model(path);
  fs::remove_all(folder);
  EXPECT_EQ(encode_model(loaded->state()), encode_model(model->state()));
  EXPECT_EQ(loaded->summary(), model->summary());
  EXPECT_TRUE(loaded->transform(fresh, context) == model->transform(fresh, context));
  EXPECT_TRUE(loaded->training_scores(x, context) == model->training_scores(x, context));
  EXPECT_EQ(loaded->input.labels.of_row, model->input.labels.of_row);
}

TEST_P(EveryModel, RowsInAnotherOrderHaveTheSameScores) {
  std::vector<Index> order(60);
  std::iota(order.begin(), order.end(), Index{0});
  std::rotate(order.begin(), order.begin() + 17, order.end());
  std::swap(order[3], order[40]);
  Points permuted(60, 5);
  for (Index i = 0; i < 60; ++i) permuted.row(i) = x.row(order[static_cast<std::size_t>(i)]);
  const auto model = fit(x), other = fit(permuted);
  const Block scores = model->training_scores(x, context);
  const Block moved = other->training_scores(permuted, context);
  Block back(moved.rows(), moved.cols());
  for (Index i = 0; i < 60; ++i) back.row(order[static_cast<std::size_t>(i)]) = moved.row(i);
  // Vectors move by n u |K| / gap: gaps of these spectra are above a thousandth of mu_1.
  const double tolerance = 1e3 * score_tolerance(*model, largest_kernel(*model, x));
  EXPECT_LE(test::difference_up_to_sign(back, scores), tolerance);
  const double mu = model->report.eigenvalues[0];
  EXPECT_LE(test::max_abs(other->report.eigenvalues - model->report.eigenvalues), 1e-12 * mu);
}

TEST_P(EveryModel, RowByRowEqualsTheBatch) {
  const auto model = fit(x);
  const Block batch = model->transform(fresh, context);
  const double largest = test::max_abs(batch);
  for (const Index i : {0, 1, 255, 256, 299}) {
    const Points row = fresh.row(i);
    EXPECT_LE(test::max_abs(model->transform(row, context) - batch.row(i)), 1e-12 * largest);
  }
}

TEST_P(EveryModel, ElementTypesOfTheRowsDoNotMatter) {
  const Points whole = (x.array() * 1.5 + 2).round().max(0).min(255);  // a sigmoid is not yet 1
  const Eigen::MatrixXf single = whole.cast<float>();                  // column-major
  const Eigen::Matrix<unsigned char, -1, -1, Eigen::RowMajor> bytes = whole.cast<unsigned char>();
  const Block expected = fit(whole)->transform(whole, context);
  EXPECT_TRUE(fit(single)->transform(single, context) == expected);
  EXPECT_TRUE(fit(bytes)->transform(bytes, context) == expected);
  EXPECT_TRUE(fit(bytes)->transform(whole, context) == expected);
}

TEST_P(EveryModel, FloatTilesGiveTheSameScoresToFourDigits) {
  Context single;
  single.budget.precision = Precision::single_;
  const auto model = fit(x, 2);
  const auto rough = fit_model(GetParam().kind->name, x, GetParam().options(2), single);
  const Block scores = model->transform(fresh, context), other = rough->transform(fresh, single);
  EXPECT_LE(test::difference_up_to_sign(other, scores), 1e-4 * test::max_abs(scores));
}

TEST_P(EveryModel, CopiesOfARowGetItsScores) {
  Points twice(120, 5);
  twice << x, x;
  const auto model = fit(twice);
  const Block scores = model->training_scores(twice, context);
  const double tolerance = score_tolerance(*model, largest_kernel(*model, twice));
  EXPECT_LE(test::max_abs(scores.topRows(60) - scores.bottomRows(60)), 3 * tolerance);
  if (GetParam().kernel == "gaussian") return;  // the median distance is another one
  const Vector once = fit(x)->report.eigenvalues;
  EXPECT_LE(test::max_abs(model->report.eigenvalues - 2 * once), 1e-11 * once[0]);
}

TEST_P(EveryModel, ThreadsDoNotChangeABit) {
  Context one, three;
  one.budget.threads = 1;
  three.budget.threads = 3;
  const auto fit_with = [&](const Context& c) {
    return fit_model(GetParam().kind->name, x, GetParam().options(), c);
  };
  EXPECT_EQ(encode_model(fit_with(one)->state()), encode_model(fit_with(three)->state()));
}

TEST_P(EveryModel, ItsReportIsWhole) {
  const auto model = fit(x);
  const FitReport& report = model->report;
  EXPECT_EQ(report.n, 60);
  EXPECT_EQ(report.dim, 5);
  EXPECT_TRUE(report.converged);
  EXPECT_EQ(report.certificate.residuals.size(), report.eigenvalues.size());
  EXPECT_LE(report.ratios.sum(), 1 + 60 * kUnit);
  for (Index i = 1; i < report.eigenvalues.size(); ++i)
    EXPECT_GE(report.eigenvalues[i - 1], report.eigenvalues[i]);
  EXPECT_FALSE(report.plan.operator_name.empty());
  EXPECT_GE(report.plan.candidates.size(), 3U);
}

TEST_P(EveryModel, RefusesWhatItCannotFit) {
  const auto code = [&](const Points& rows) { return test::code_of([&] { fit(rows); }); };
  EXPECT_EQ(code(Points(0, 5)), "M202");
  EXPECT_EQ(code(Points(5, 0)), "M211");
  EXPECT_EQ(code(x.topRows(1)), "M230");
  EXPECT_EQ(code(x.row(0).replicate(9, 1)), "M231");
  Points bad = x;
  bad(7, 2) = std::nan("");
  EXPECT_EQ(code(bad), "M212");
  EXPECT_EQ(test::code_of([&] { fit(x, 60); }), "M233");
  EXPECT_EQ(test::code_of([&] { fit(x)->transform(x.leftCols(4), context); }), "M710");
  EXPECT_EQ(fit(x)->transform(x.topRows(0), context).rows(), 0);
  EXPECT_EQ(test::code_of([&] { fit(x)->transform(bad, context); }), "M212");
}

}  // namespace
}  // namespace mercer
