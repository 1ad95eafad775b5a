// Kernel discriminant analysis against scikit-learn, closed forms and the definition written out.
#include "mercer/models/kind/kernel_lda.h"

#include "mercer/core/text.h"
#include "tests/support/dense.h"
#include "tests/support/errors.h"
#include "tests/support/random_points.h"
#include "tests/support/regression_tables.h"

#include <Eigen/Eigenvalues>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>

namespace mercer {
namespace kernel_lda_test {

using test::code_of;
using test::figure_table;

Points stored(const std::string& name) {
  std::ifstream file(std::string(MERCER_TEST_DATA) + "/" + name + ".csv");
  EXPECT_TRUE(file.good()) << name;
  std::vector<std::vector<double>> rows;
  for (std::string line; std::getline(file, line);) {
    rows.emplace_back();
    for (const std::string& cell : split(line, ','))
      rows.back().push_back(parse_number(trim(cell)).value());
  }
  Points matrix(static_cast<Index>(rows.size()), static_cast<Index>(rows.at(0).size()));
  for (Index i = 0; i < matrix.rows(); ++i)
    for (Index j = 0; j < matrix.cols(); ++j)
      matrix(i, j) = rows[static_cast<std::size_t>(i)].at(static_cast<std::size_t>(j));
  return matrix;
}

Labels labels_of(const std::vector<Index>& of_row) {
  Labels labels{"class", {}, of_row};
  for (const Index c : of_row)
    while (static_cast<Index>(labels.classes.size()) <= c)
      labels.classes.push_back(std::string(1, static_cast<char>('a' + labels.classes.size())));
  return labels;
}

Training with_classes(const Points& x, const std::vector<Index>& of_row) {
  Training training(x);
  training.input.labels = labels_of(of_row);
  return training;
}

/// Three overlapping groups.
struct Groups {
  explicit Groups(Index n = 90, Index dim = 4, std::uint64_t seed = 7)
      : x(test::random_points({.n = n, .dim = dim, .seed = seed})) {
    for (Index i = 0; i < n; ++i) {
      of_row.push_back(i % 7 < 3 ? 0 : i % 7 < 5 ? 1 : 2);
      x(i, 0) += of_row.back() == 1 ? 2 : 0;
      x(i, 1) += of_row.back() == 2 ? 1.5 : 0;
    }
  }
  Training training() const { return with_classes(x, of_row); }
  Points x;
  std::vector<Index> of_row;
};

/// Scatter of explicit features between and within classes, as sums over rows.
struct Scatter {
  Scatter(const Points& f, const std::vector<Index>& of_row, Index classes)
      : within(Block::Zero(f.cols(), f.cols())), between(within), means(classes, f.cols()) {
    const Eigen::RowVectorXd mean = f.colwise().mean();
    for (Index c = 0; c < classes; ++c) {
      Points mine(0, f.cols());
      for (Index i = 0; i < f.rows(); ++i)
        if (of_row[static_cast<std::size_t>(i)] == c) {
          mine.conservativeResize(mine.rows() + 1, Eigen::NoChange);
          mine.row(mine.rows() - 1) = f.row(i);
        }
      means.row(c) = mine.colwise().mean();
      const Points apart = mine.rowwise() - means.row(c);
      within += apart.transpose() * apart;
      const Eigen::RowVectorXd off = means.row(c) - mean;
      between += static_cast<double>(mine.rows()) * off.transpose() * off;
    }
  }
  /// Eigenvalues of S_b w = l (S_w + e I) w, descending, and scores of the rows.
  std::pair<Vector, Block> solve(const Points& f, double ridge, Index count) const {
    Block right = within;
    right.diagonal().array() += ridge;
    const Eigen::GeneralizedSelfAdjointEigenSolver<Block> solver(between, right);
    const Block w = solver.eigenvectors().rowwise().reverse().leftCols(count);
    const Points centred = f.rowwise() - f.colwise().mean();
    return {solver.eigenvalues().reverse().head(count), centred * w};
  }
  Block within, between, means;
};

/// Columns equal up to sign and scale.
void expect_same_directions(const Block& ours, const Block& known, double tolerance) {
  ASSERT_EQ(ours.rows(), known.rows());
  ASSERT_EQ(ours.cols(), known.cols());
  for (Index j = 0; j < ours.cols(); ++j) {
    const Vector a = ours.col(j).normalized(), b = known.col(j).normalized();
    EXPECT_LE(test::max_abs(a.dot(b) < 0 ? Vector(a + b) : Vector(a - b)), tolerance) << j;
  }
}

Points squares_and_products(const Points& x) {
  // (x.y + 1)^2 = f(x).f(y)
  const Index d = x.cols();
  Points f(x.rows(), 1 + d + d + d * (d - 1) / 2);
  for (Index i = 0; i < x.rows(); ++i) {
    Index at = 0;
    f(i, at++) = 1;
    for (Index j = 0; j < d; ++j) f(i, at++) = std::sqrt(2.0) * x(i, j);
    for (Index j = 0; j < d; ++j)
      for (Index k = j; k < d; ++k) f(i, at++) = (j == k ? 1 : std::sqrt(2.0)) * x(i, j) * x(i, k);
  }
  return f;
}

TEST(KernelLdaPeer, ALinearKernelGivesTheScoresAndClassesOfScikitLearn) {
  Points x = stored("wine");
  x.rowwise() -= x.colwise().mean().eval();
  const Eigen::RowVectorXd spread =
      (x.colwise().squaredNorm() / static_cast<double>(x.rows())).cwiseSqrt();
  for (Index j = 0; j < x.cols(); ++j) x.col(j) /= spread[j];
  std::vector<Index> of_row;
  for (Index i = 0; i < x.rows(); ++i) of_row.push_back(i < 59 ? 0 : i < 130 ? 1 : 2);
  const KernelLda model =
      KernelLda::fit(with_classes(x, of_row), {.kernel = "linear", .ridge = "0"});
  const Block known = stored("lda_sklearn_wine_scores").leftCols(2);
  expect_same_directions(model.transform(x), known, 1e-8);
  // There the covariance within classes has divisor n, here n - C: log odds differ by that factor,
  // those of the priors apart.
  const Points peer = stored("lda_sklearn_wine_probabilities");
  const Block ours = model.predict(x);
  const double factor = (178.0 - 3) / 178;
  const Vector priors = Eigen::Vector3d(59, 71, 48) / 178;
  for (Index i = 0; i < x.rows(); ++i)
    for (Index c = 1; c < 3; ++c) {
      const double prior = std::log(priors[c] / priors[0]);
      const double there = std::log(peer(i, c) / peer(i, 0)) - prior;
      const double here = std::log(ours(i, c) / ours(i, 0)) - prior;
      EXPECT_NEAR(here, factor * there, 1e-8 * (1 + std::abs(there))) << i;
    }
}

TEST(KernelLda, EqualsTheGeneralisedEigenproblemOfTheColumnsForALinearKernel) {
  const Groups groups;
  const Scatter scatter(groups.x, groups.of_row, 3);
  const double trace = (scatter.within + scatter.between).trace();
  for (const double share : {0.0, 1e-6, 1e-2, 1.0}) {
    const KernelLda model =
        KernelLda::fit(groups.training(), {.kernel = "linear", .ridge = exact(share)});
    const auto [values, scores] = scatter.solve(groups.x, share * trace, 2);
    // n u times the condition of the scatter, about 10.
    for (Index k = 0; k < 2; ++k)
      EXPECT_NEAR(model.eigenvalues()[k], values[k], 1e-12 * values[0]) << share;
    expect_same_directions(model.transform(groups.x), scores, 1e-11);
  }
}

TEST(KernelLda, EqualsExplicitFeaturesForAPolynomialKernel) {
  const Groups groups(200, 3, 3);
  const Points f = squares_and_products(groups.x);
  const Scatter scatter(f.rightCols(f.cols() - 1), groups.of_row, 3);
  const double trace = (scatter.within + scatter.between).trace();
  for (const double share : {0.0, 1e-3}) {
    const KernelLda model =
        KernelLda::fit(groups.training(),
                       {.kernel = "polynomial:degree=2,scale=1,offset=1", .ridge = exact(share)});
    const auto [values, scores] = scatter.solve(f.rightCols(f.cols() - 1), share * trace, 2);
    for (Index k = 0; k < 2; ++k)
      EXPECT_NEAR(model.eigenvalues()[k], values[k], 1e-10 * values[0]) << share;
    expect_same_directions(model.transform(groups.x), scores, 1e-9);
  }
}

TEST(KernelLda, ExactFeaturesOfManyRowsGiveTheSameAsTheirMatrix) {
  const Groups groups(2400, 3, 5);  // above the number of rows whose whole matrix is solved
  const Points f = squares_and_products(groups.x);
  const Scatter scatter(f.rightCols(f.cols() - 1), groups.of_row, 3);
  const KernelLda model = KernelLda::fit(
      groups.training(), {.kernel = "polynomial:degree=2,scale=1,offset=1", .ridge = "0"});
  EXPECT_EQ(model.remark(), "");
  EXPECT_EQ(model.report.plan.operator_name, "polynomial_features");
  EXPECT_LT(model.report.plan.predicted_bytes, 8U * 2400 * 2400);  // vectors as many as rows
  EXPECT_TRUE(model.report.warnings.empty());
  const auto [values, scores] = scatter.solve(f.rightCols(f.cols() - 1), 0, 2);
  for (Index k = 0; k < 2; ++k) EXPECT_NEAR(model.eigenvalues()[k], values[k], 1e-9 * values[0]);
  expect_same_directions(model.transform(groups.x), scores, 1e-8);
}

// a = (W + e K)^-1 (M_1 - M_2) with the sums of the centred kernel matrix, in long double.
TEST(KernelLda, TwoClassesFollowTheClosedForm) {
  const Points x = test::random_points({.n = 40, .dim = 3, .seed = 11});
  std::vector<Index> of_row;
  for (Index i = 0; i < 40; ++i) of_row.push_back(x(i, 0) + 0.3 * x(i, 1) > 0 ? 1 : 0);
  const Kernel kernel("gaussian:sigma=1.5");
  using Long = Eigen::Matrix<long double, -1, -1>;
  const Long k = test::double_centred(test::dense_kernel(kernel, x)).cast<long double>();
  const double share = 1e-3;
  Long within = (static_cast<long double>(share) * k.trace() * k).eval();
  Eigen::Matrix<long double, -1, 1> difference = Eigen::Matrix<long double, -1, 1>::Zero(40);
  for (Index c = 0; c < 2; ++c) {
    Long mine(40, 0);
    for (Index i = 0; i < 40; ++i)
      if (of_row[static_cast<std::size_t>(i)] == c) {
        mine.conservativeResize(Eigen::NoChange, mine.cols() + 1);
        mine.col(mine.cols() - 1) = k.col(i);
      }
    const Eigen::Matrix<long double, -1, 1> mean = mine.rowwise().mean();
    difference += (c == 0 ? 1 : -1) * mean;
    mine.colwise() -= mean;
    within += mine * mine.transpose();
  }
  // The matrix is singular along ones: any solution does.
  const Eigen::CompleteOrthogonalDecomposition<Long> solver(within);
  const Block known = (k * solver.solve(difference)).cast<double>();
  const KernelLda model =
      KernelLda::fit(with_classes(x, of_row), {.kernel = kernel, .ridge = exact(share)});
  ASSERT_EQ(model.score_columns(), 1);
  expect_same_directions(model.transform(x), known, 1e-8);
}

TEST(KernelLda, AllLandmarksAreAsGoodAsAllComponents) {
  const Groups groups(120, 3, 13);
  const auto with = [&](Span span) {
    return KernelLda::fit(
        groups.training(),
        {.kernel = "gaussian:sigma=1.2", .ridge = "1e-4", .rank = Components::all(), .span = span});
  };
  const KernelLda components = with(Span::components), landmarks = with(Span::landmarks);
  // What the last pivots leave is below 1e-12 of the trace; the ridge is 1e-4 of it.
  EXPECT_LE(test::max_abs(components.eigenvalues() - landmarks.eigenvalues()),
            1e-7 * components.eigenvalues()[0]);
  const Points fresh = test::random_points({.n = 50, .dim = 3, .seed = 14});
  EXPECT_LE(test::max_abs(components.transform(fresh) - landmarks.transform(fresh)),
            1e-6 * test::max_abs(components.transform(fresh)));
}

TEST(KernelLda, ScoresHaveUnitScatterWithinClassesAndTheEigenvaluesBetween) {
  const Groups groups;
  const KernelLda model =
      KernelLda::fit(groups.training(), {.kernel = "gaussian:sigma=2", .ridge = "1e-2"});
  const Block scores = model.transform(groups.x);
  const Scatter scatter(Points(scores), groups.of_row, 3);
  EXPECT_LE(test::max_abs(scatter.means - model.class_means()), 1e-10);
  const double free = 90 - 3;
  const Block between = scatter.between / free;
  EXPECT_LE(test::max_abs(between - Block(model.eigenvalues().asDiagonal())),
            1e-10 * model.eigenvalues()[0]);
  // The ridge is the rest of the identity.
  EXPECT_LE(Vector((scatter.within / free).diagonal()).maxCoeff(), 1 + 1e-10);
}

// Every row left out in turn, by fits of the others' indicators with the same ridge.
TEST(KernelLda, ErrorsOfTheRidgePathAreThoseOfLeavingEachRowOut) {
  const Groups groups(40, 2, 17);
  const KernelLda model = KernelLda::fit(groups.training(), {.kernel = "linear", .ridge = "auto"});
  const Block path = figure_table(model, "ridge_path");
  ASSERT_EQ(path.rows(), 21);
  const Points centred = groups.x.rowwise() - groups.x.colwise().mean();
  const double trace = centred.squaredNorm();
  for (const Index r : {2, 9}) {
    double squares = 0, wrong = 0;
    for (Index out = 0; out < 40; ++out) {
      // Least squares with a constant that is not penalised.
      Block a = Block::Zero(3, 3), b = Block::Zero(3, 3);
      for (Index i = 0; i < 40; ++i) {
        if (i == out) continue;
        const Eigen::Vector3d row(1, groups.x(i, 0), groups.x(i, 1));
        a += row * row.transpose();
        b.col(groups.of_row[static_cast<std::size_t>(i)]) += row;
      }
      a.diagonal().tail(2).array() += path(r, 0) * trace;
      const Eigen::Vector3d row(1, groups.x(out, 0), groups.x(out, 1));
      Vector predicted = (a.ldlt().solve(b)).transpose() * row;
      Index best = 0;
      predicted.maxCoeff(&best);
      const Index own = groups.of_row[static_cast<std::size_t>(out)];
      wrong += best == own ? 0 : 1;
      predicted[own] -= 1;
      squares += predicted.squaredNorm();
    }
    EXPECT_NEAR(path(r, 1), squares / 120, 1e-10);
    EXPECT_NEAR(path(r, 2), wrong / 40, 1e-12);
  }
}

TEST(KernelLda, GaussiansWithTheirOwnCovariancesAreTheDensitiesOfTheScores) {
  const Groups groups;
  const KernelLda model = KernelLda::fit(groups.training(), {.kernel = "linear",
                                                             .ridge = "0",
                                                             .classifier = Classifier::gaussian,
                                                             .covariance = ClassCovariance::own,
                                                             .priors = "0.2,0.3,0.5"});
  const Block scores = model.transform(groups.x), ours = model.predict(groups.x);
  Block logs(90, 3);
  const std::array<double, 3> priors = {0.2, 0.3, 0.5};
  for (Index c = 0; c < 3; ++c) {
    Points mine(0, 2);
    for (Index i = 0; i < 90; ++i)
      if (groups.of_row[static_cast<std::size_t>(i)] == c) {
        mine.conservativeResize(mine.rows() + 1, Eigen::NoChange);
        mine.row(mine.rows() - 1) = scores.row(i);
      }
    const Eigen::RowVectorXd mean = mine.colwise().mean();
    const Points apart = mine.rowwise() - mean;
    const Block covariance = apart.transpose() * apart / static_cast<double>(mine.rows() - 1);
    for (Index i = 0; i < 90; ++i) {
      const Vector off = scores.row(i) - mean;
      logs(i, c) = std::log(priors[static_cast<std::size_t>(c)]) -
                   std::log(covariance.determinant()) / 2 - off.dot(covariance.inverse() * off) / 2;
    }
  }
  for (Index i = 0; i < 90; ++i) {
    const Vector known = (logs.row(i).array() - logs.row(i).maxCoeff()).exp().transpose();
    EXPECT_LE(test::max_abs(ours.row(i).transpose() - known / known.sum()), 1e-10);
  }
}

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

}  // namespace kernel_lda_test
}  // namespace mercer
