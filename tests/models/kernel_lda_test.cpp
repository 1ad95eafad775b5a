// Kernel discriminant analysis against scikit-learn, closed forms and the definition written out.
#include "mercer/models/kind/kernel_lda.h"

#include "tests/models/kernel_lda_cases.h"
#include "tests/support/regression_tables.h"

#include <Eigen/Cholesky>
#include <Eigen/LU>
#include <Eigen/QR>

#include <cmath>

namespace mercer {
namespace kernel_lda_test {

using namespace kernel_lda_cases;
using test::figure_table;

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
  Points x = test::read_reference("wine");
  x.rowwise() -= x.colwise().mean().eval();
  const Eigen::RowVectorXd spread =
      (x.colwise().squaredNorm() / static_cast<double>(x.rows())).cwiseSqrt();
  for (Index j = 0; j < x.cols(); ++j) x.col(j) /= spread[j];
  std::vector<Index> of_row;
  for (Index i = 0; i < x.rows(); ++i) of_row.push_back(i < 59 ? 0 : i < 130 ? 1 : 2);
  const KernelLda model =
      KernelLda::fit(with_classes(x, of_row), {.kernel = "linear", .ridge = "0"});
  const Block known = test::read_reference("lda_sklearn_wine_scores").leftCols(2);
  expect_same_directions(model.transform(x), known, 1e-8);
  // There the covariance within classes has divisor n, here n - C: log odds differ by that factor,
  // those of the priors apart.
  const Points peer = test::read_reference("lda_sklearn_wine_probabilities");
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
  EXPECT_LT(model.report.plan.predicted.bytes, 8U * 2400 * 2400);  // vectors as many as rows
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

}  // namespace kernel_lda_test
}  // namespace mercer
