// The class whose mean is nearest, against its definition: distances to means of explicit features,
// the two-class formula, and scikit-learn's NearestCentroid.
#include "mercer/models/kind/nearest_mean.h"

#include "mercer/io/model_file.h"
#include "mercer/models/judge.h"
#include "tests/support/dense.h"
#include "tests/support/errors.h"
#include "tests/support/random_points.h"
#include "tests/support/reference.h"

#include <gtest/gtest.h>

#include <cmath>

namespace mercer {
namespace nearest_mean_test {

using test::code_of;
using test::kUnit;
using test::max_abs;
using test::random_points;
using test::read_reference;

// Classes of unequal size, in no order.
Labels classes_of(Index n, Index count) {
  std::vector<std::string> texts;
  for (Index i = 0; i < n; ++i)
    texts.push_back("c" + std::to_string((i * i + i / 3) % (2 * count - 1) % count));
  return Labels::from_texts("class", texts);
}

Training with(DataView rows, Labels labels) {
  Training training(rows);
  training.input.labels = std::move(labels);
  return training;
}

Points means_of(const Points& rows, const Labels& labels) {
  Points sums = Points::Zero(static_cast<Index>(labels.classes.size()), rows.cols());
  Vector sizes = Vector::Zero(sums.rows());
  for (Index i = 0; i < rows.rows(); ++i) {
    const Index own = labels.of_row[static_cast<std::size_t>(i)];
    sums.row(own) += rows.row(i);
    sizes[own] += 1;
  }
  sums.array().colwise() /= sizes.array();
  return sums;
}

// (|x - m|^2 - |x - c|^2) / 2 in an explicit feature space.
Block by_distances(const Points& train, const Labels& labels, const Points& fresh) {
  const Points means = means_of(train, labels);
  const Eigen::RowVectorXd all = train.colwise().mean();
  Block figures(fresh.rows(), means.rows());
  for (Index i = 0; i < fresh.rows(); ++i)
    for (Index c = 0; c < means.rows(); ++c)
      figures(i, c) =
          ((fresh.row(i) - all).squaredNorm() - (fresh.row(i) - means.row(c)).squaredNorm()) / 2;
  return figures;
}

// All products of two of (1, columns), weighted: (x'y + 1)^2.
Points squares_of(const Points& rows) {
  const Index dim = rows.cols();
  Points features(rows.rows(), (dim + 1) * (dim + 2) / 2);
  for (Index i = 0; i < rows.rows(); ++i) {
    Vector one(dim + 1);
    one << 1, rows.row(i).transpose();
    Index at = 0;
    for (Index a = 0; a <= dim; ++a)
      for (Index b = a; b <= dim; ++b)
        features(i, at++) = (a == b ? 1 : std::sqrt(2.0)) * one[a] * one[b];
  }
  return features;
}

NearestMean fit(const Points& rows, const Labels& labels, const char* kernel) {
  return NearestMean::fit(with(rows, labels), {.kernel = kernel});
}

TEST(NearestMean, OfALinearKernelIsTheRuleOfExplicitMeans) {
  const Points x = random_points({.n = 90, .dim = 4, .seed = 3}), fresh = random_points({40, 4, 4});
  const Labels labels = classes_of(90, 4);
  const NearestMean model = fit(x, labels, "linear");
  const Block expected = by_distances(x, labels, fresh);
  EXPECT_LE(max_abs(model.predict(fresh) - expected), 100 * kUnit * max_abs(expected));
  EXPECT_EQ(model.expansion().points().n(), 4);  // nothing but the means is kept
}

TEST(NearestMean, OfASquaredKernelIsTheRuleOfExplicitFeatures) {
  const Points x = random_points({.n = 90, .dim = 4, .seed = 3}), fresh = random_points({40, 4, 4});
  const Labels labels = classes_of(90, 3);
  const Block figures = fit(x, labels, "polynomial:degree=2,scale=1,offset=1").predict(fresh);
  const Block expected = by_distances(squares_of(x), labels, squares_of(fresh));
  const double largest = squares_of(x).rowwise().squaredNorm().maxCoeff() +
                         squares_of(fresh).rowwise().squaredNorm().maxCoeff();
  EXPECT_LE(max_abs(figures - expected), 90 * kUnit * largest);
}

// Of many rows the means of the features take the rows' place.
TEST(NearestMean, OfManyRowsAndAPolynomialKernelKeepsMeansOfFeatures) {
  const Points x = random_points({.n = 3000, .dim = 3, .seed = 21});
  const Points fresh = random_points({40, 3, 4});
  const Labels labels = classes_of(3000, 3);
  const char* kernel = "polynomial:degree=2,scale=1,offset=1";
  const NearestMean few = fit(x, labels, kernel);
  ASSERT_TRUE(few.expansion().has_features());
  Context tiles;
  tiles.budget.operator_name = "blocked_gram";
  const NearestMean whole = NearestMean::fit(with(x, labels), {.kernel = kernel}, tiles);
  ASSERT_FALSE(whole.expansion().has_features());
  const Block expected = by_distances(squares_of(x), labels, squares_of(fresh));
  const double largest = squares_of(x).rowwise().squaredNorm().maxCoeff();
  EXPECT_LE(max_abs(few.predict(fresh) - expected), 3000 * kUnit * largest);
  EXPECT_LE(max_abs(whole.predict(fresh) - expected), 3000 * kUnit * largest);
  tiles.budget.operator_name = "covariance";
  EXPECT_EQ(code_of([&] { NearestMean::fit(with(x, labels), {.kernel = kernel}, tiles); }), "M102");
}

// Formulas (3.1) to (3.3) of the textbook example, with b = (|c-|^2 - |c+|^2) / 2.
TEST(NearestMean, OfTwoClassesHasTheClosedFormWithTheConstantTheRightWayRound) {
  const Points x = random_points({.n = 60, .dim = 3, .seed = 5}), fresh = random_points({30, 3, 6});
  std::vector<std::string> texts;
  for (Index i = 0; i < 60; ++i) texts.emplace_back(x(i, 0) + 0.3 * x(i, 1) > 0.6 ? "+" : "-");
  const Labels labels = Labels::from_texts("y", texts);
  const Index plus = labels.classes[0] == "+" ? 0 : 1;
  for (const char* spec : {"gaussian:sigma=1.3", "laplacian:gamma=0.4",
                           "gaussian:sigma=2+0.5*linear", "power_distance"}) {
    const Kernel kernel(spec);
    const Block k = test::dense_kernel(kernel, x), to = test::dense_kernel(kernel, fresh, x);
    Vector p = Vector::Zero(60), m = p;
    for (Index i = 0; i < 60; ++i)
      (labels.of_row[static_cast<std::size_t>(i)] == plus ? p : m)[i] = 1;
    p /= p.sum();
    m /= m.sum();
    const double b = 0.5 * (m.dot(k * m) - p.dot(k * p));
    const Vector f = (to * (p - m)).array() + b;
    const NearestMean model = fit(x, labels, spec);
    const Block figures = model.predict(fresh);
    EXPECT_LE(max_abs(figures.col(plus) - figures.col(1 - plus) - f), 60 * kUnit * max_abs(k))
        << spec;
    const Labels found = predicted_classes(model, figures);
    for (Index i = 0; i < 30; ++i)
      EXPECT_EQ(found.of_row[static_cast<std::size_t>(i)], f[i] > 0 ? plus : 1 - plus) << i;
  }
}

TEST(NearestMean, OfAKernelMatrixIsThatOfItsTable) {
  const Points x = random_points({.n = 50, .dim = 3, .seed = 7}), fresh = random_points({20, 3, 8});
  const Labels labels = classes_of(50, 3);
  const Kernel kernel("gaussian:sigma=1.5");
  const Block k = test::dense_kernel(kernel, x), to = test::dense_kernel(kernel, fresh, x);
  const NearestMean rows = fit(x, labels, "gaussian:sigma=1.5");
  const NearestMean pairs = NearestMean::fit(with(k, labels), {.as = Given::kernel});
  EXPECT_LE(max_abs(rows.predict(fresh) - pairs.predict(to)), 50 * kUnit);
  // Distances of a linear feature space: |x - y|.
  Block apart(50, 50), apart_new(20, 50);
  for (Index j = 0; j < 50; ++j) {
    for (Index i = 0; i < 50; ++i) apart(i, j) = (x.row(i) - x.row(j)).norm();
    for (Index i = 0; i < 20; ++i) apart_new(i, j) = (fresh.row(i) - x.row(j)).norm();
  }
  const NearestMean far = NearestMean::fit(with(apart, labels), {.as = Given::distance});
  const Block expected = by_distances(x, labels, fresh);
  EXPECT_LE(max_abs(far.predict(apart_new) - expected), 100 * kUnit * apart_new.squaredNorm());
}

TEST(NearestMean, FigureOfClassesTellDistancesBetweenMeans) {
  const Points x = random_points({.n = 70, .dim = 2, .seed = 9});
  const Labels labels = classes_of(70, 3);
  const Points means = means_of(x, labels);
  for (const char* kernel : {"linear", "1*linear"}) {
    const NearestMean model = fit(x, labels, kernel);
    const Value::List& rows = model.report.figures.at(2).value.as_list();
    ASSERT_EQ(model.report.figures.at(2).name, "squared_distances");
    for (std::size_t a = 0; a < 3; ++a)
      for (std::size_t b = 0; b < 3; ++b)
        EXPECT_NEAR(
            rows[a].as_list()[b].as_number(),
            (means.row(static_cast<Index>(a)) - means.row(static_cast<Index>(b))).squaredNorm(),
            1e-13);
  }
}

TEST(NearestMean, RowsFarFromTheOriginLoseNoMoreThanTheirOwnDigits) {
  const Points x = test::coarse_points({.n = 80, .dim = 3, .seed = 11});
  const Points fresh = test::coarse_points({.n = 40, .dim = 3, .seed = 12});
  const Labels labels = classes_of(80, 3);
  const double offset = 1e8;
  for (const char* kernel : {"linear", "gaussian:sigma=2"}) {
    const Block here = fit(x, labels, kernel).predict(fresh);
    const Block there =
        fit(x.array() + offset, labels, kernel).predict(Points(fresh.array() + offset));
    // Means of rows at 1e8 are rounded to 1.5e-8; they are multiplied by values of about 4.
    EXPECT_LE(max_abs(here - there), kernel[0] == 'l' ? 3e-7 : 1e-12) << kernel;
  }
}

TEST(NearestMean, UnitsOfTheRowsDoNotMatterFromVeryLargeToVerySmall) {
  const Points x = random_points({.n = 60, .dim = 3, .seed = 13}),
               fresh = random_points({30, 3, 14});
  const Labels labels = classes_of(60, 3);
  const Labels expected =
      predicted_classes(fit(x, labels, "linear"), fit(x, labels, "linear").predict(fresh));
  for (const double scale : {0x1p-330, 0x1p330}) {
    const NearestMean linear = fit(x * scale, labels, "linear");
    const NearestMean wide = fit(x * scale, labels, "gaussian");
    EXPECT_EQ(predicted_classes(linear, linear.predict(Points(fresh * scale))).of_row,
              expected.of_row);
    EXPECT_EQ(wide.predict(Points(fresh * scale)), fit(x, labels, "gaussian").predict(fresh))
        << scale;
  }
}

TEST(NearestMean, WideNarrowConstantAndRepeatedColumnsAndRowsMakeNoDifficulty) {
  const auto agrees = [](const Points& x, const Points& fresh) {
    const Labels labels = classes_of(x.rows(), 3);
    const Block expected = by_distances(x, labels, fresh);
    for (const char* kernel : {"linear", "1*linear"})
      EXPECT_LE(max_abs(fit(x, labels, kernel).predict(fresh) - expected),
                1e3 * kUnit * (max_abs(expected) + x.squaredNorm() / static_cast<double>(x.rows())))
          << x.rows() << " x " << x.cols() << kernel;
  };
  agrees(random_points({.n = 7, .dim = 40, .seed = 31}), random_points({9, 40, 32}));
  agrees(random_points({.n = 40, .dim = 1, .seed = 33}), random_points({9, 1, 34}));
  Points x = random_points({.n = 30, .dim = 4, .seed = 35}), fresh = random_points({9, 4, 36});
  x.col(1).setConstant(7);
  x.col(3) = x.col(0);
  agrees(x, fresh);
  agrees(x.replicate(3, 1), fresh);
  agrees(x.topRows(5), fresh.topRows(1));
}

TEST(NearestMean, ElementTypesAndSparsityOfTheRowsDoNotMatter) {
  const Points x = (random_points({.n = 60, .dim = 5, .seed = 37}).array() * 2 + 2).round().max(0);
  const Labels labels = classes_of(60, 3);
  const Eigen::MatrixXf single = x.cast<float>();
  const Eigen::Matrix<unsigned char, -1, -1, Eigen::RowMajor> bytes = x.cast<unsigned char>();
  SparseRows rows;
  for (Index i = 0; i < 60; ++i) {
    for (Index j = 0; j < 5; ++j)
      if (x(i, j) != 0) {
        rows.columns.push_back(static_cast<std::int32_t>(j));
        rows.values.push_back(x(i, j));
      }
    rows.starts.push_back(static_cast<Index>(rows.values.size()));
  }
  const Dataset sparse(std::move(rows), 5);
  for (const char* kernel : {"linear", "gaussian:sigma=3", "polynomial:degree=3"}) {
    const auto with_rows = [&](DataView view) {
      return NearestMean::fit(with(view, labels), {.kernel = kernel});
    };
    const Block expected = with_rows(x).predict(x);
    EXPECT_TRUE(with_rows(single).predict(single) == expected) << kernel;
    EXPECT_TRUE(with_rows(bytes).predict(x) == expected) << kernel;
    EXPECT_LE(max_abs(with_rows(sparse).predict(sparse) - expected), 1e-12 * max_abs(expected));
  }
}

TEST(NearestMean, StopsWhenAskedAndKeepsToItsMemory) {
  const Points x = random_points({.n = 3000, .dim = 3, .seed = 38});
  const Training training = with(x, classes_of(3000, 3));
  Context context;
  context.observer.cancelled = [] { return true; };
  EXPECT_EQ(code_of([&] { NearestMean::fit(training, {.kernel = "gaussian:sigma=1"}, context); }),
            "M001");
  EXPECT_EQ(code_of([&] { NearestMean::fit(training, {.kernel = "linear"}, context); }), "M001");
  Context small;
  small.budget.memory = 100'000;
  EXPECT_EQ(code_of([&] { NearestMean::fit(training, {.kernel = "linear"}, small); }), "M301");
}

TEST(NearestMean, EqualFiguresMeanTheClassThatCameFirst) {
  Points x(4, 1);
  x << -1, 1, -3, 3;
  const NearestMean model = fit(x, Labels::from_texts("y", {"b", "a", "b", "a"}), "linear");
  const Points middle = Points::Zero(1, 1);
  const Block figures = model.predict(middle);
  EXPECT_EQ(figures(0, 0), figures(0, 1));
  EXPECT_EQ(predicted_classes(model, figures).classes[0], "b");
  EXPECT_EQ(predicted_classes(model, figures).of_row[0], 0);
}

TEST(NearestMean, ClassesOfOneRowAreThatRow) {
  const Points x = random_points({.n = 6, .dim = 2, .seed = 15});
  const NearestMean model =
      fit(x, Labels::from_texts("y", {"a", "b", "c", "d", "e", "f"}), "gaussian:sigma=1");
  const Labels found = predicted_classes(model, model.predict(x));
  EXPECT_EQ(found.of_row, (std::vector<Index>{0, 1, 2, 3, 4, 5}));
}

TEST(NearestMean, ClassesThatNoRowHasAreLeftOut) {
  Labels labels = classes_of(30, 2);
  labels.classes.insert(labels.classes.begin(), "nobody");
  for (Index& own : labels.of_row) ++own;
  const Points x = random_points({.n = 30, .dim = 2, .seed = 16});
  EXPECT_EQ(fit(x, labels, "linear").prediction_names().size(), 2U);
}

TEST(NearestMean, SaysWhichSquaredDistancesAKernelMakesNegative) {
  const Points x = random_points({.n = 40, .dim = 3, .seed = 17});
  const Labels labels = classes_of(40, 2);
  // -I: every row is at -1 + 1/m from the mean of its m rows.
  const NearestMean odd =
      NearestMean::fit(with(Points(-Points::Identity(40, 40)), labels), {.as = Given::kernel});
  EXPECT_TRUE(test::has_warning(odd.report.warnings, WarningCode::negative_eigenvalues));
  EXPECT_TRUE(odd.predict(Points(-Points::Identity(40, 40))).allFinite());
  const NearestMean even = fit(x, labels, "gaussian:sigma=1");
  EXPECT_FALSE(test::has_warning(even.report.warnings, WarningCode::negative_eigenvalues));
}

TEST(NearestMean, RefusesWhatHasNoClassesOrNoDistances) {
  const Points x = random_points({.n = 20, .dim = 2, .seed = 18});
  const auto code = [&](const std::vector<std::string>& texts, const char* kernel = "linear") {
    return code_of([&] { fit(x, Labels::from_texts("y", texts), kernel); });
  };
  std::vector<std::string> texts(20, "a");
  EXPECT_EQ(code(texts), "M270");
  texts[3] = "b";
  EXPECT_EQ(code(texts), "no error");
  EXPECT_EQ(code(texts, "thin_plate_spline"), "M102");
  for (const char* none : {"", "NA", "?"}) {
    texts[5] = none;
    EXPECT_EQ(code(texts), "M272") << none;
  }
  texts.pop_back();
  EXPECT_EQ(code(texts), "M247");
  EXPECT_EQ(code_of([&] { NearestMean::fit(x); }), "M250");
  const Points pairs = Points::Identity(20, 20);
  EXPECT_EQ(code_of([&] {
              NearestMean::fit(with(pairs, classes_of(20, 2)),
                               {.as = Given::kernel, .scale = Scaling::standard});
            }),
            "M102");
}

TEST(NearestMean, TwoClassesWithOneMeanDifferNowhere) {
  Points x(4, 1);
  x << -1, -2, 1, 2;
  const NearestMean model = fit(x, Labels::from_texts("y", {"a", "b", "a", "b"}), "linear");
  EXPECT_EQ(max_abs(model.predict(x)), 0);
}

TEST(NearestMean, StoredModelsThatDoNotFitTogetherAreRefused) {
  const Points x = random_points({.n = 30, .dim = 2, .seed = 19});
  const State good = fit(x, classes_of(30, 3), "gaussian:sigma=1").state();
  EXPECT_EQ(code_of([&] { model_from(good); }), "no error");
  const auto spoilt = [&](const auto& change) {
    State state = good;
    change(state);
    return code_of([&] { model_from(std::move(state)); });
  };
  EXPECT_EQ(spoilt([](State& s) { s.values["means_are_rows"] = "yes"; }), "M703");
  EXPECT_EQ(spoilt([](State& s) { s.values["means_are_rows"] = true; }), "M703");
  EXPECT_EQ(spoilt([](State& s) { s.values["label"]["classes"].push_back("d"); }), "M703");
  for (const char* name : {"bias", "coefficients", "points", "labels"})
    EXPECT_EQ(spoilt([&](State& s) { s.array(name).name = "another"; }), "M703") << name;
}

// tools/make_reference_centroid.py: every second row of the wine data is learnt from.
TEST(NearestMean, OfALinearKernelIsScikitLearnsNearestCentroid) {
  const Points wine = read_reference("wine"),
               centroids = read_reference("centroid_sklearn_wine_centroids");
  const Points predicted = read_reference("centroid_sklearn_wine_predicted");
  Points half((wine.rows() + 1) / 2, wine.cols());
  std::vector<std::string> texts;
  for (Index i = 0; i < wine.rows(); i += 2) {
    half.row(i / 2) = wine.row(i);
    texts.emplace_back(i < 59 ? "0" : i < 59 + 71 ? "1" : "2");
  }
  const NearestMean model = fit(half, Labels::from_texts("grower", texts), "linear");
  EXPECT_LE(max_abs(model.expansion().points().view().to_points() - centroids),
            50 * kUnit * max_abs(centroids));
  const Labels found = predicted_classes(model, model.predict(wine));
  for (Index i = 0; i < wine.rows(); ++i)
    EXPECT_EQ(static_cast<double>(found.of_row[static_cast<std::size_t>(i)]), predicted(i, 0)) << i;
}

}  // namespace nearest_mean_test
}  // namespace mercer
