// Classical scaling: R's cmdscale on eurodist (with and without a constant), PCA and linear kernel
// PCA, distances given back, new points by both formulas, the additive constant against the
// eigenvalue of its textbook, and what is refused.
#include "mercer/models/kind/mds.h"

#include "mercer/core/random.h"
#include "mercer/core/text.h"
#include "mercer/models/detail/additive_constant.h"
#include "mercer/models/detail/trosset_priebe.h"
#include "mercer/models/kind/kernel_pca.h"
#include "mercer/models/kind/pca.h"
#include "tests/models/mds_cases.h"
#include "tests/support/dense.h"
#include "tests/support/errors.h"
#include "tests/support/fitted.h"
#include "tests/support/random_points.h"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>

namespace mercer {
namespace mds_test {

using namespace mds_cases;
using test::code_of;
using test::has_warning;
using test::kUnit;

Block scores_of(const Mds& model, const Points& rows) { return model.training_scores(rows); }

// Symmetric, zero on the diagonal, far from Euclidean.
Points rough_distances(Index n, std::uint64_t seed) {
  Points d = Points::Zero(n, n);
  const Random random(seed, 5);
  for (Index i = 0; i < n; ++i)
    for (Index j = 0; j < i; ++j)
      d(i, j) = d(j, i) = 0.2 + random.uniform(static_cast<std::uint64_t>(i * n + j));
  return d;
}

TEST(Mds, EqualsCmdscaleOnEurodist) {
  const Points d = read_reference("eurodist");
  const Mds model = Mds::fit(d, {.components = 2, .as = "distance"});
  const Vector eigenvalues = read_reference("cmdscale_eigenvalues").col(0);
  for (Index k = 0; k < 2; ++k)
    EXPECT_NEAR(model.report.spectrum->eigenvalues[k], eigenvalues[k], 1e-12 * eigenvalues[0]);
  const Points points = read_reference("cmdscale_points");
  EXPECT_LE(test::difference_up_to_sign(scores_of(model, d), points),
            1e-11 * test::max_abs(points));
  const Points gof = read_reference("cmdscale_gof");
  EXPECT_NEAR(figure(model.report, "goodness_of_fit"), gof(0, 0), 1e-12);
  EXPECT_NEAR(figure(model.report, "goodness_of_fit_positive"), gof(1, 0), 1e-12);
  EXPECT_TRUE(has_warning(model.report.warnings, WarningCode::not_euclidean));
  const double negative = -eigenvalues.cwiseMin(0).sum() / eigenvalues.cwiseAbs().sum();
  EXPECT_NEAR(model.report.spectrum->negative_share, negative, 1e-12);
}

TEST(Mds, EqualsCmdscaleWithAConstantAdded) {
  const Points d = read_reference("eurodist");
  const Mds model = Mds::fit(d, {.components = 2, .as = "distance", .additive = "cailliez"});
  const double constant = read_reference("cmdscale_add_constant")(0, 0);
  EXPECT_NEAR(model.additive_constant(), constant, 1e-11 * constant);
  EXPECT_EQ(figure(model.report, "additive_constant"), model.additive_constant());
  const Points points = read_reference("cmdscale_add_points");
  EXPECT_LE(test::difference_up_to_sign(scores_of(model, d), points), 1e-9 * test::max_abs(points));
  const Points gof = read_reference("cmdscale_add_gof");
  EXPECT_NEAR(figure(model.report, "goodness_of_fit"), gof(0, 0), 1e-10);
  EXPECT_NEAR(figure(model.report, "goodness_of_fit_positive"), gof(1, 0), 1e-10);
  EXPECT_FALSE(has_warning(model.report.warnings, WarningCode::not_euclidean));
  // New rows get the constant too: training rows come back.
  EXPECT_LE(test::max_abs(model.transform(d) - scores_of(model, d)), 1e-9 * test::max_abs(points));
  const Points squares = d.cwiseAbs2();
  const Mds other =
      Mds::fit(squares, {.components = 2, .as = "squared-distance", .additive = "cailliez"});
  EXPECT_NEAR(other.additive_constant(), constant, 1e-11 * constant);
  EXPECT_LE(test::max_abs(other.transform(squares) - model.transform(d)),
            1e-8 * test::max_abs(points));
}

TEST(Mds, TheConstantCountsInTheLengthOfNewSamples) {
  // With every component the samples are represented exactly, so that both formulas agree.
  const Points d = read_reference("eurodist");
  const Mds model = Mds::fit(d, {.components = Components::all(),
                                 .as = "distance",
                                 .additive = "cailliez",
                                 .out_of_sample = "trosset-priebe"});
  const Block z = scores_of(model, d);
  EXPECT_LE(test::max_abs(model.transform(d) - z), 1e-6 * test::max_abs(z));
  Points more = d.array() + model.additive_constant();
  more.diagonal().setZero();
  EXPECT_LE(test::max_abs(distances(z, z) - more), 1e-9 * more.maxCoeff());
}

TEST(Mds, IsPcaAndLinearKernelPca) {
  const Points x = test::random_points({.n = 40, .dim = 6, .seed = 3}) *
                   Vector(Vector::LinSpaced(6, 5, 1)).asDiagonal();
  const Points d = distances(x, x);
  const Mds table = Mds::fit(x, {.components = 4}),
            given = Mds::fit(d, {.components = 4, .as = "distance"});
  const Block pca = Pca::fit(x, {.components = 4}).transform(x);
  const Block kernel = KernelPca::fit(x, {.kernel = "linear", .components = 4}).scores();
  const Block scores = scores_of(table, x);
  // Errors of distances are u d^2; scores lose the root of the smallest eigenvalue.
  const double allowed = 1e3 * 40 * kUnit * d.cwiseAbs2().maxCoeff() /
                         std::sqrt(table.report.spectrum->eigenvalues[3]);
  EXPECT_LE(test::difference_up_to_sign(scores, pca), allowed);
  EXPECT_LE(test::max_abs(scores - kernel), allowed);  // signs are by the scores in both
  EXPECT_LE(test::max_abs(scores - scores_of(given, d)), allowed);
  EXPECT_NEAR(figure(table.report, "goodness_of_fit"), figure(given.report, "goodness_of_fit"),
              1e-12);
  // The kernel matrix says the same.
  const Points k = x * x.transpose();
  const Mds by_kernel = Mds::fit(k, {.components = 4, .as = "kernel"});
  EXPECT_LE(test::max_abs(scores_of(by_kernel, k) - scores), allowed);
}

TEST(Mds, AllComponentsGiveTheDistancesBack) {
  for (const double size : {1.0, 1e100, 1e-100}) {
    const Points x = size * test::random_points({.n = 25, .dim = 3, .seed = 4});
    const Points d = distances(x, x);
    const Mds model = Mds::fit(d, {.components = Components::all(), .as = "distance"});
    const Points z = scores_of(model, d);
    EXPECT_EQ(z.cols(), 3) << size;
    EXPECT_LE(test::max_abs(distances(z, z) - d), 1e-12 * size) << size;
  }
}

TEST(Mds, GowerIsExactForPointsOfTheSameSpace) {
  const Points x = test::random_points({.n = 30, .dim = 3, .seed = 5});
  const Points fresh = test::random_points({.n = 7, .dim = 3, .seed = 6}) * 3;
  const Points d = distances(x, x), cross = distances(fresh, x);
  for (const char* way : {"gower", "trosset-priebe"}) {
    const Mds model = Mds::fit(d, {.components = 3, .as = "distance", .out_of_sample = way});
    const Points z = scores_of(model, d), placed = model.transform(cross);
    EXPECT_LE(test::max_abs(distances(placed, z) - cross), 1e-12) << way;
    const Mds table = Mds::fit(x, {.components = 3, .out_of_sample = way});
    EXPECT_LE(test::max_abs(table.transform(fresh) - placed), 1e-12) << way;
  }
}

// The strain of the matrix that the new sample borders, from its definition.
double strain(const Vector& b, const Points& z, double beta, const Vector& at) {
  return 2 * (b - z * at).squaredNorm() + std::pow(beta - at.squaredNorm(), 2);
}

TEST(Mds, TrossetAndPriebeFindTheLeastStrain) {
  const Points x = test::random_points({.n = 20, .dim = 5, .seed = 7}) *
                   Vector(Vector::LinSpaced(5, 3, 1)).asDiagonal();
  const Points d = distances(x, x);
  const Mds model =
      Mds::fit(d, {.components = 2, .as = "distance", .out_of_sample = "trosset-priebe"});
  const Points z = scores_of(model, d);
  const Points d2 = d.cwiseAbs2();
  for (const double far : {0.5, 2.0, 8.0}) {
    const Points fresh = far * test::random_points({.n = 4, .dim = 5, .seed = 8});
    const Points cross = distances(fresh, x), placed = model.transform(cross);
    for (Index i = 0; i < 4; ++i) {
      const Vector a = cross.row(i).cwiseAbs2().transpose();
      const Vector b =
          -0.5 * (a - d2.rowwise().mean() - Vector::Constant(20, a.mean() - d2.mean()));
      const double beta = a.mean() - d2.mean() / 2;
      const double reached = strain(b, z, beta, placed.row(i).transpose());
      // No point of a fine grid, nor any near the place itself, has less.
      const double span = 1.5 * std::sqrt(std::max(beta, 0.0)) + 1;
      double least = 1e300;
      for (int s = -150; s <= 150; ++s)
        for (int t = -150; t <= 150; ++t)
          least = std::min(least, strain(b, z, beta, Eigen::Vector2d(s, t) * (span / 150)));
      EXPECT_LE(reached, least * (1 + 1e-12)) << far << ' ' << i;
      for (int s = 0; s < 8; ++s) {
        const Eigen::Vector2d aside(std::cos(s * M_PI / 4), std::sin(s * M_PI / 4));
        EXPECT_LE(reached, strain(b, z, beta, placed.row(i).transpose() + 1e-4 * aside));
      }
    }
  }
}

TEST(Mds, ASampleWithNothingAlongTheLastComponentIsPlacedToo) {
  // Off the plane by its length alone: both sides are as good, and the positive one is taken.
  const Vector mu = Eigen::Vector2d(9, 4), g = Eigen::Vector2d(0.5, 0);
  const double beta = 30;
  const Vector z = detail::least_strain(mu, g, beta);
  const auto value = [&](double a, double b) {
    return 2 * (mu[0] * std::pow(a - g[0], 2) + mu[1] * b * b) + std::pow(beta - a * a - b * b, 2);
  };
  EXPECT_GT(z[1], 0);
  double least = 1e300;
  for (int s = -400; s <= 400; ++s)
    for (int t = -400; t <= 400; ++t) least = std::min(least, value(s * 0.02, t * 0.02));
  EXPECT_LE(value(z[0], z[1]), least * (1 + 1e-12));
  EXPECT_EQ(detail::least_strain(mu, g, 0.25), g);  // |g|^2 = beta: Gower's place
}

// The largest real eigenvalue of the textbook's matrix of twice the size, by bisection on its
// equivalent: the least c whose Gram matrix has no negative eigenvalue.
double constant_by_bisection(const Points& d) {
  const auto lowest = [&](double c) {
    Points more = d.array() + c;
    more.diagonal().setZero();
    return test::dense_eigen(test::double_centred(-0.5 * Block(more.cwiseAbs2())))
        .values.minCoeff();
  };
  double low = 0, high = 10 * d.maxCoeff();
  for (int step = 0; step < 60; ++step)
    (lowest((low + high) / 2) < -1e-13 * d.maxCoeff() ? low : high) = (low + high) / 2;
  return high;
}

TEST(Mds, TheConstantIsTheLeastThatMakesDistancesEuclidean) {
  for (const Index n : {3, 5, 30}) {
    const Points d = rough_distances(n, 11);
    const double c = detail::additive_constant(d, {}).value;
    EXPECT_NEAR(c, constant_by_bisection(d), 1e-6 * d.maxCoeff()) << n;
    for (const double size : {1e100, 1e-100})
      EXPECT_NEAR(detail::additive_constant(Points(size * d), {}).value / size, c, 1e-11) << n;
  }
  const Points x = test::random_points({.n = 20, .dim = 2, .seed = 12});
  EXPECT_LE(detail::additive_constant(distances(x, x), {}).value, 1e-7);
  EXPECT_EQ(detail::additive_constant(Points::Zero(4, 4), {}).value, 0);
}

TEST(Mds, TheConstantOfManySamplesIsFoundByProducts) {
  // The search begins where all eigenvalues would be dear; its residual is checked here anew.
  const Points d = rough_distances(500, 13);
  const detail::AdditiveConstant found = detail::additive_constant(d, {});
  Points more = d.array() + found.value;
  more.diagonal().setZero();
  const Vector all = test::dense_eigen(test::double_centred(-0.5 * Block(more.cwiseAbs2()))).values;
  EXPECT_GE(all.minCoeff(), -1e-10 * all.maxCoeff());
  const Points less = (more.array() - 1e-6).matrix();
  Points below = less;
  below.diagonal().setZero();
  EXPECT_LT(
      test::dense_eigen(test::double_centred(-0.5 * Block(below.cwiseAbs2()))).values.minCoeff(),
      -1e-8);
  EXPECT_LE(found.residual, 1e-8);
  EXPECT_LE(found.steps, 12);
}

TEST(Mds, ManyRowsAreSolvedWithoutAllEigenvalues) {
  const Points x = test::random_points({.n = 1500, .dim = 8, .seed = 14}) *
                   Vector(Vector::LinSpaced(8, 6, 1)).asDiagonal();
  const Points d = distances(x, x);
  Context context;
  context.budget.solver_name = "block_krylov";
  const Mds given = Mds::fit(d, {.components = 2, .as = "distance"}, context);
  const Mds table = Mds::fit(x, {.components = 2});
  EXPECT_EQ(given.report.plan.solver_name, "block_krylov");
  EXPECT_TRUE(given.report.converged);
  EXPECT_LE(test::max_abs(given.report.spectrum->eigenvalues - table.report.spectrum->eigenvalues),
            1e-6 * table.report.spectrum->eigenvalues[0]);
}

TEST(Mds, FewDuplicatedOrFarRowsAreNoTrouble) {
  const Points two = (Points(2, 3) << 1, 2, 3, 4, 6, 3).finished();
  const Points z = scores_of(Mds::fit(two, {}), two);
  EXPECT_EQ(z.cols(), 1);
  EXPECT_NEAR(std::abs(z(0, 0) - z(1, 0)), 5, 1e-14);
  const Points d = distances(two, two);
  EXPECT_NEAR(std::abs(scores_of(Mds::fit(d, {.as = "distance"}), d).col(0).norm()),
              5 / std::sqrt(2.0), 1e-14);
  const Points x = test::random_points({.n = 10, .dim = 2, .seed = 15});
  Points twice(20, 2);
  twice << x, x;
  const Points pairs = distances(twice, twice);
  const Points same = scores_of(Mds::fit(pairs, {.components = 2, .as = "distance"}), pairs);
  EXPECT_LE(test::max_abs(same.topRows(10) - same.bottomRows(10)), 1e-13);
  const Points coarse = test::coarse_points({.n = 30, .dim = 3, .seed = 16});
  const Points far = coarse.array() + 1e8;
  EXPECT_LE(test::max_abs(scores_of(Mds::fit(far, {.components = 3}), far) -
                          scores_of(Mds::fit(coarse, {.components = 3}), coarse)),
            4 * 1e8 * kUnit);  // to which their mean is rounded
  const Points wide = test::random_points({.n = 6, .dim = 40, .seed = 17});
  EXPECT_EQ(scores_of(Mds::fit(wide, {.components = Components::all()}), wide).cols(), 5);
}

TEST(Mds, SurvivesItsState) {
  const Points d = read_reference("eurodist");
  const Points x = test::random_points({.n = 30, .dim = 3, .seed = 18});
  struct Case {
    Points rows;
    MdsOptions options;
  };
  const std::vector<Case> cases = {
      {x, {.out_of_sample = "trosset-priebe", .scale = "standard"}},
      {d, {.as = "distance", .additive = "cailliez", .out_of_sample = "trosset-priebe"}},
      {d, {.as = "squared-distance"}},
      {x * x.transpose(), {.as = "kernel"}}};
  for (const Case& one : cases) {
    const auto model = test::fitted<Mds>(one.rows, one.options);
    const auto any = model_from(model->state());
    const auto& loaded = need<Transforms>(*any);
    EXPECT_TRUE(loaded.transform(one.rows) == model->transform(one.rows));
    EXPECT_TRUE(loaded.training_scores(one.rows) == model->training_scores(one.rows));
    EXPECT_EQ(any->needs_cross_matrix(), model->needs_cross_matrix());
    State state = model->state();
    state.values["scaling"]["out_of_sample"] = "nearest";
    EXPECT_EQ(code_of([&] { model_from(state); }), "M703");
    state = model->state();
    state.values["scaling"]["added"] = -1;
    EXPECT_EQ(code_of([&] { model_from(state); }), "M703");
    state = model->state();
    state.values["scaling"]["pairs"] = !model->needs_cross_matrix();
    EXPECT_EQ(code_of([&] { model_from(state); }), "M703");
  }
}

TEST(Mds, RefusesWhatIsNoDistance) {
  const Points d = read_reference("eurodist");
  const auto code = [](const Points& rows, MdsOptions options) {
    return code_of([&] { Mds::fit(rows, options); });
  };
  const MdsOptions given{.as = "distance"};
  EXPECT_EQ(code(d, given), "no error");
  Points bad = d;
  bad(2, 5) += 1;
  EXPECT_EQ(code(bad, given), "M241");
  bad(2, 5) = bad(5, 2) = -1;
  EXPECT_EQ(code(bad, given), "M245");
  bad(2, 5) = bad(5, 2) = std::nan("");
  EXPECT_EQ(code(bad, given), "M212");
  EXPECT_EQ(code(d.leftCols(20), given), "M240");
  EXPECT_EQ(code(Points::Zero(5, 5), given), "M244");
  EXPECT_EQ(code(Points::Zero(5, 5), {.as = "distance", .additive = "cailliez"}), "M244");
  EXPECT_EQ(code(Points::Zero(1, 1), given), "M230");
  EXPECT_EQ(code(Points::Ones(5, 2), {}), "M231");
  EXPECT_EQ(code(d, {.components = 21, .as = "distance"}), "M233");
  EXPECT_EQ(code(d, {.components = 20, .as = "distance"}), "no error");
  EXPECT_EQ(code(d, {.components = Components::share(0.99), .as = "distance"}), "M248");
  EXPECT_EQ(code(d, {.as = "distance", .scale = "standard"}), "M102");
  EXPECT_EQ(code(d, {.as = "kernel", .additive = "cailliez"}), "M102");
  EXPECT_EQ(code(d, {.additive = "cailliez"}), "M102");
  EXPECT_EQ(code(d, {.as = "kernel", .out_of_sample = "trosset-priebe"}), "M102");
  const Mds model = Mds::fit(d, {.as = "distance", .additive = "cailliez"});
  EXPECT_EQ(code_of([&] { model.transform(d.leftCols(20)); }), "M713");
  EXPECT_EQ(code_of([&] { model.transform(Points(-d)); }), "M245");
}

}  // namespace mds_test
}  // namespace mercer
