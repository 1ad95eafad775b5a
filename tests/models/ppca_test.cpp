// Probabilistic PCA. The oracles are the closed form from Eigen's own eigenvalues and the density
// of the Gaussian written out with the covariance of the values that are there, in long double.
#include "mercer/models/kind/ppca.h"

#include "mercer/data/observed.h"
#include "mercer/models/detail/isotropic_em.h"
#include "tests/support/dense.h"
#include "tests/support/errors.h"
#include "tests/support/random_points.h"

#include <Eigen/Cholesky>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>

namespace mercer {
namespace ppca_test {

using test::code_of;
using test::kRatio;
using test::kUnit;

constexpr double kGap = std::numeric_limits<double>::quiet_NaN();

/// Rows of a few strong directions and noise.
Points planted(Index n, Index dim, Index rank, std::uint64_t seed, double noise = 0.5) {
  const Points hidden = test::random_points({.n = n, .dim = rank, .seed = seed});
  const Points map = test::random_points({.n = rank, .dim = dim, .seed = seed + 1}) * 2;
  Points x = hidden * map + noise * test::random_points({.n = n, .dim = dim, .seed = seed + 2});
  x.rowwise() += Eigen::RowVectorXd::LinSpaced(dim, -4, 7);
  return x;
}

/// The same with a share of the values gone, but never a whole row or column.
Points with_gaps(Points x, double share, std::uint64_t seed) {
  const Random random(seed);
  for (Index i = 0; i < x.rows(); ++i)
    for (Index j = 0; j < x.cols(); ++j)
      if (j != i % x.cols() && random.uniform(static_cast<std::uint64_t>(i * x.cols() + j)) < share)
        x(i, j) = kGap;
  return x;
}

using Long = Eigen::Matrix<long double, Eigen::Dynamic, Eigen::Dynamic>;

/// Log density of the values of a row that are there, by the covariance written out.
double density(const Ppca& model, const Eigen::RowVectorXd& row) {
  std::vector<Index> there;
  for (Index j = 0; j < row.size(); ++j)
    if (!std::isnan(row[j])) there.push_back(j);
  const auto k = static_cast<Index>(there.size());
  Long c(k, k), x(k, 1);
  for (Index i = 0; i < k; ++i) {
    const Index a = there[static_cast<std::size_t>(i)];
    x(i, 0) = static_cast<long double>(row[a]) - static_cast<long double>(model.mean()[a]);
    for (Index j = 0; j < k; ++j) {
      const Index b = there[static_cast<std::size_t>(j)];
      c(i, j) = i == j ? static_cast<long double>(model.noise_variance()) : 0.0L;
      for (Index f = 0; f < model.loadings().cols(); ++f)
        c(i, j) += static_cast<long double>(model.loadings()(a, f)) *
                   static_cast<long double>(model.loadings()(b, f));
    }
  }
  // Cholesky, by hand.
  long double sum = static_cast<long double>(k) * std::log(2 * std::numbers::pi_v<long double>);
  for (Index j = 0; j < k; ++j) {
    for (Index f = 0; f < j; ++f) c(j, j) -= c(j, f) * c(j, f);
    c(j, j) = std::sqrt(c(j, j));
    for (Index i = j + 1; i < k; ++i) {
      for (Index f = 0; f < j; ++f) c(i, j) -= c(i, f) * c(j, f);
      c(i, j) /= c(j, j);
    }
    for (Index f = 0; f < j; ++f) x(j, 0) -= c(j, f) * x(f, 0);
    x(j, 0) /= c(j, j);
    sum += 2 * std::log(c(j, j)) + x(j, 0) * x(j, 0);
  }
  return static_cast<double>(-sum / 2);
}

double figure(const Ppca& model, const std::string& name) {
  for (const Figure& one : model.report.figures)
    if (one.name == name) return one.value.as_number();
  ADD_FAILURE() << "no figure " << name;
  return 0;
}

Block unit_columns(Block w) {
  for (Index j = 0; j < w.cols(); ++j) w.col(j).normalize();
  return w;
}

TEST(PpcaClosed, TakesNoiseAndLoadingsFromTheEigenvalues) {
  for (const auto& [n, dim] : {std::pair<Index, Index>{120, 7}, {15, 40}}) {
    const Points x = planted(n, dim, 3, 1);
    const Ppca model = Ppca::fit(x, {.components = 3});
    const Points centred = test::centred_rows(x);
    const test::DenseEigen eigen =
        test::dense_eigen(Block(centred.transpose() * centred) / static_cast<double>(n));
    const double noise = (eigen.values.sum() - eigen.values.head(3).sum()) / double(dim - 3);
    const double rounding = kRatio * double(n + dim) * kUnit * eigen.values[0];
    EXPECT_NEAR(model.noise_variance(), noise, rounding);
    const Vector variances =
        model.loadings().colwise().squaredNorm().transpose().array() + model.noise_variance();
    EXPECT_LE(test::max_abs(variances - eigen.values.head(3)), rounding);
    const double expected =
        -0.5 * double(n) *
        (double(dim) * std::log(2 * std::numbers::pi) + eigen.values.head(3).array().log().sum() +
         double(dim - 3) * std::log(noise) + double(dim));
    EXPECT_NEAR(figure(model, "log_likelihood"), expected, 1e-12 * std::abs(expected));
    EXPECT_NEAR(model.log_density(x).sum(), expected, 1e-11 * std::abs(expected));
  }
}

TEST(PpcaClosed, GivesTheDensityOfTheGaussianWrittenOut) {
  const Points x = planted(60, 6, 2, 2);
  const Ppca model = Ppca::fit(x, {.components = 2});
  const Vector found = model.log_density(x);
  for (Index i = 0; i < 60; i += 7)
    EXPECT_NEAR(found[i], density(model, x.row(i)), 1e-12 * std::abs(found[i])) << i;
}

TEST(PpcaClosed, GoesBackToTheReconstructionOfPca) {
  const Points x = planted(80, 6, 2, 3);
  const Ppca model = Ppca::fit(x, {.components = 2});
  const Points centred = test::centred_rows(x);
  const Block u = test::dense_eigen(Block(centred.transpose() * centred)).vectors.leftCols(2);
  const Points expected = (centred * u * u.transpose()).rowwise() + x.colwise().mean();
  const Points back = model.inverse(model.transform(x));
  EXPECT_LE(test::max_abs(back - expected), 1e-12 * test::max_abs(x));
}

TEST(PpcaEm, MeetsTheClosedForm) {
  for (const auto& [n, dim] : {std::pair<Index, Index>{150, 8}, {30, 50}, {700, 5}}) {
    const Points x = planted(n, dim, 3, 4);
    const Ppca closed = Ppca::fit(x, {.components = 3});
    const Ppca em = Ppca::fit(x, {.components = 3, .algorithm = "em"});
    EXPECT_TRUE(em.report.converged);
    EXPECT_FALSE(em.report.spectrum.has_value());
    const double best = figure(closed, "log_likelihood");
    EXPECT_NEAR(figure(em, "log_likelihood"), best, 1e-9 * std::abs(best)) << n;
    EXPECT_LE(test::subspace_angle(unit_columns(closed.loadings()), unit_columns(em.loadings())),
              std::sqrt(1e-9));
    EXPECT_LE(test::max_abs(em.loadings() - closed.loadings()),
              std::sqrt(1e-9) * test::max_abs(closed.loadings()));
    EXPECT_LE(test::max_abs(em.transform(x) - closed.transform(x)), std::sqrt(1e-9) * 5);
  }
}

TEST(PpcaEm, LikelihoodsNeverFall) {
  for (const double share : {0.0, 0.1, 0.4}) {
    const Points x = with_gaps(planted(90, 9, 3, 5), share, 6);
    const detail::IsotropicFit fit =
        detail::fit_isotropic(x, summarize_observed(x, {}), {.components = 3}, {});
    ASSERT_TRUE(fit.converged);
    ASSERT_GT(fit.path.size(), 5U);
    // What rounding of a sum of so many terms may do.
    const double rounding = 90 * 9 * kRatio * kUnit * std::abs(fit.path.back());
    for (std::size_t t = 1; t < fit.path.size(); ++t)
      EXPECT_GE(fit.path[t], fit.path[t - 1] - rounding) << share << ' ' << t;
    EXPECT_GT(fit.path.back(), fit.path.front() + 1);
  }
}

TEST(PpcaEm, NoStepAwayFromTheEndIsLikelier) {
  const Points x = with_gaps(planted(120, 6, 2, 7), 0.3, 8);
  const Ppca model = Ppca::fit(x, {.components = 2});
  const double best = figure(model, "log_likelihood");
  double sum = 0;
  for (Index i = 0; i < x.rows(); ++i) sum += density(model, x.row(i));
  EXPECT_NEAR(best, sum, 1e-12 * std::abs(sum));
  EXPECT_NEAR(model.log_density(x).sum(), sum, 1e-12 * std::abs(sum));
  for (Index column = 0; column < 6; ++column)
    for (const double step : {-1e-3, 1e-3}) {
      State state = model.state();
      Points w = state.array("loadings").as_points();
      w(column, 0) += step;
      state.array("loadings") = Array::of("loadings", w);
      EXPECT_LT(Ppca::from(state).log_density(x).sum(), best) << column;
      state = model.state();
      Vector m = state.array("mean").as_vector();
      m[column] += step;
      state.array("mean") = Array::of("mean", m);
      EXPECT_LT(Ppca::from(state).log_density(x).sum(), best) << column;
      state = model.state();
      state.values["noise"] = model.noise_variance() * (1 + step);
      EXPECT_LT(Ppca::from(state).log_density(x).sum(), best);
    }
}

TEST(PpcaEm, FillsGapsByTheirMeanGivenTheOtherValues) {
  const Points whole = planted(200, 6, 2, 9, 0.1), x = with_gaps(whole, 0.25, 10);
  const Ppca model = Ppca::fit(x, {.components = 2});
  const Points filled = model.impute(x);
  const Block c = model.loadings() * model.loadings().transpose() +
                  model.noise_variance() * Block::Identity(6, 6);
  double error = 0, plain = 0;
  for (Index i = 0; i < 200; ++i) {
    std::vector<Index> there, gone;
    for (Index j = 0; j < 6; ++j) (std::isnan(x(i, j)) ? gone : there).push_back(j);
    const Vector known = (x.row(i).transpose() - model.mean())(there);
    const Vector expected =
        model.mean()(gone) + Block(c(gone, there)) * Block(c(there, there)).llt().solve(known);
    for (std::size_t k = 0; k < gone.size(); ++k) {
      EXPECT_NEAR(filled(i, gone[k]), expected[static_cast<Index>(k)], 1e-10);
      error += std::pow(filled(i, gone[k]) - whole(i, gone[k]), 2);
      plain += std::pow(model.mean()[gone[k]] - whole(i, gone[k]), 2);
    }
    for (const Index j : there) EXPECT_EQ(filled(i, j), x(i, j));
  }
  // Rows near a plane: what is filled in is far better than the means.
  EXPECT_LT(error, 0.05 * plain);
}

TEST(PpcaEm, ScoresRowsWithGapsOneByOne) {
  const Points x = with_gaps(planted(80, 5, 2, 11), 0.3, 12);
  const Ppca model = Ppca::fit(x, {.components = 2, .scale = "standard"});
  const Block all = model.transform(x);
  const Vector density_of_all = model.log_density(x);
  const Points filled = model.impute(x);
  for (Index i = 0; i < 80; i += 9) {
    const Points row = x.row(i);
    EXPECT_LE(test::max_abs(model.transform(row) - all.row(i)), 1e-13 * 10);
    EXPECT_NEAR(model.log_density(row)[0], density_of_all[i], 1e-12 * 50);
    EXPECT_LE(test::max_abs(model.impute(row) - filled.row(i)), 1e-13 * 100);
  }
  const Points nothing = Points::Constant(1, 5, kGap);
  EXPECT_LE(test::max_abs(model.transform(nothing)), 1e-15);
  EXPECT_EQ(model.log_density(nothing)[0], 0);
  Points infinite = x;
  infinite(3, 2) = HUGE_VAL;
  EXPECT_EQ(code_of([&] { model.transform(infinite); }), "M212");
  EXPECT_EQ(code_of([&] { model.impute(infinite); }), "M212");
}

TEST(PpcaEm, ThreadsDoNotChangeABitOfAFitWithGaps) {
  const Points x = with_gaps(planted(900, 6, 2, 13), 0.3, 14);
  Context one, three;
  one.budget.threads = 1;
  three.budget.threads = 3;
  const Ppca a = Ppca::fit(x, {.components = 2}, one), b = Ppca::fit(x, {.components = 2}, three);
  EXPECT_TRUE(a.loadings() == b.loadings());
  EXPECT_TRUE(a.mean() == b.mean());
  EXPECT_EQ(a.noise_variance(), b.noise_variance());
  EXPECT_TRUE(a.impute(x, one) == b.impute(x, three));
}

TEST(PpcaEm, OffsetsAndScalesMoveTheModelAlong) {
  const Points x = with_gaps(planted(100, 5, 2, 15), 0.2, 16);
  const Ppca model = Ppca::fit(x, {.components = 2});
  for (const double scale : {1e-100, 1e100}) {
    const Ppca other = Ppca::fit(Points(x * scale), {.components = 2});
    EXPECT_LE(test::max_abs(other.loadings() / scale - model.loadings()), 1e-6);
    EXPECT_NEAR(other.noise_variance() / scale / scale, model.noise_variance(),
                1e-6 * model.noise_variance());
  }
  // 1e8 is eight of sixteen digits; what is left decides.
  const Ppca moved = Ppca::fit(Points(x.array() + 1e8), {.components = 2});
  EXPECT_LE(test::max_abs(moved.loadings() - model.loadings()), 1e-5);
}

TEST(PpcaEm, ColumnsWithFewValuesAreHeld) {
  Points x = planted(60, 6, 2, 17);
  for (Index i = 3; i < 60; ++i) x(i, 4) = kGap;
  const Ppca model = Ppca::fit(x, {.components = 2});
  EXPECT_TRUE(test::has_warning(model.report.warnings, WarningCode::few_values));
  EXPECT_TRUE(model.impute(x).allFinite());
  const double spread = 10 * test::max_abs(x.topRows(3).col(4));
  EXPECT_LE(test::max_abs(model.impute(x).col(4)), spread);
}

TEST(PpcaSamples, HaveTheCovarianceOfTheModel) {
  const Ppca model = Ppca::fit(planted(300, 5, 2, 18), {.components = 2});
  const Index n = 20'000;
  const Points drawn = model.sample(n, 7);
  const Points centred = drawn.rowwise() - model.mean().transpose();
  const Block c = model.loadings() * model.loadings().transpose() +
                  model.noise_variance() * Block::Identity(5, 5);
  const Block found = Block(centred.transpose() * centred) / double(n);
  // An entry of such a covariance deviates by sqrt((c_ii c_jj + c_ij^2) / n); five deviations.
  for (Index i = 0; i < 5; ++i)
    for (Index j = 0; j < 5; ++j)
      EXPECT_NEAR(found(i, j), c(i, j),
                  5 * std::sqrt((c(i, i) * c(j, j) + c(i, j) * c(i, j)) / double(n)));
  const Ppca again = Ppca::fit(drawn, {.components = 2});
  EXPECT_NEAR(again.noise_variance(), model.noise_variance(),
              3 * model.noise_variance() * std::sqrt(2.0 / double(n * 3)));
  EXPECT_TRUE(model.sample(10, 7) == drawn.topRows(10));
  EXPECT_FALSE(model.sample(10, 8) == drawn.topRows(10));
}

TEST(PpcaErrors, SayWhatIsWrong) {
  const Points x = planted(40, 5, 2, 19);
  const auto code = [](const Points& rows, const PpcaOptions& options) {
    return code_of([&] { Ppca::fit(rows, options); });
  };
  EXPECT_EQ(code(x, {.components = 4}), "no error");
  EXPECT_EQ(code(x, {.components = 5}), "M233");
  EXPECT_EQ(code(x, {.components = 5, .algorithm = "em"}), "M233");
  EXPECT_EQ(code(x.leftCols(1), {}), "M233");
  EXPECT_EQ(code(x.topRows(1), {}), "M230");
  EXPECT_EQ(code(x.topRows(2), {}), "M233");
  EXPECT_EQ(code(x.topRows(5), {.components = 3}), "no error");
  EXPECT_EQ(code(x.topRows(5), {.components = 4}), "M233");
  EXPECT_EQ(code(x.row(0).replicate(9, 1), {}), "M231");
  EXPECT_EQ(code(x, {.components = Components::automatic("kaiser")}), "M102");
  EXPECT_EQ(code(x, {.components = Components::share(0.9), .algorithm = "em"}), "M102");
  // Three directions and no noise.
  const Points flat = x.leftCols(2) * Points::Random(2, 6);
  EXPECT_EQ(code(flat, {.components = 2}), "M233");
  EXPECT_EQ(code(flat, {.components = 2, .algorithm = "em"}), "M233");
  Points gap = x;
  gap(3, 1) = kGap;
  EXPECT_EQ(code(gap, {.algorithm = "closed"}), "M102");
  EXPECT_EQ(code(gap, {.components = Components::share(0.9)}), "M102");
  EXPECT_EQ(code(gap, {.components = Components::automatic("minka")}), "M102");
  EXPECT_EQ(code(gap, {.scale = "whiten"}), "M102");
  gap.row(3).setConstant(kGap);
  EXPECT_EQ(code(gap, {}), "M212");
  gap = x;
  gap.col(2).setConstant(kGap);
  EXPECT_EQ(code(gap, {}), "M212");
}

TEST(PpcaErrors, ConstantColumnsAreNoise) {
  Points x = planted(50, 6, 2, 20);
  x.col(3).setConstant(4);
  const Ppca model = Ppca::fit(x, {.components = 2});
  EXPECT_LE(model.loadings().row(3).norm(), 1e-12);
  EXPECT_TRUE(std::isfinite(figure(model, "log_likelihood")));
}

TEST(PpcaState, IsNotTrusted) {
  const Ppca model = Ppca::fit(planted(40, 5, 2, 21), {.components = 2});
  const auto changed = [&](const auto& change) {
    State state = model.state();
    change(state);
    return code_of([&] { Ppca::from(std::move(state)); });
  };
  EXPECT_EQ(changed([](State&) {}), "no error");
  EXPECT_EQ(changed([](State& s) { s.values["noise"] = 0.0; }), "M703");
  EXPECT_EQ(changed([](State& s) { s.values["noise"] = Value(); }), "M703");
  EXPECT_EQ(changed([](State& s) { s.values["gaps"] = 3; }), "M703");
  EXPECT_EQ(changed([](State& s) { s.array("mean") = Array::of("mean", Vector(4)); }), "M703");
  EXPECT_EQ(changed([](State& s) {
              s.array("loadings") = Array::of("loadings", Points(Points::Constant(5, 2, kGap)));
            }),
            "M703");
  EXPECT_EQ(changed([](State& s) {
              s.array("loadings") = Array::of("loadings", Points(Points::Ones(5, 5)));
            }),
            "M703");
}

TEST(PpcaStops, AtTheLimitOfStepsAndWhenItIsCancelled) {
  const Points x = with_gaps(planted(100, 6, 2, 22), 0.3, 23);
  const Ppca few = Ppca::fit(x, {.components = 2, .iterations = 3});
  EXPECT_FALSE(few.report.converged);
  EXPECT_TRUE(test::has_warning(few.report.warnings, WarningCode::tolerance_not_reached));
  Context stopped;
  stopped.observer.cancelled = [] { return true; };
  EXPECT_EQ(code_of([&] { Ppca::fit(x, {.components = 2}, stopped); }), "M001");
  Context late;
  bool over = false;
  late.observer.progress = [&](const Progress& now) { over = over || now.phase == "em"; };
  late.observer.out_of_time = [&] { return over; };
  const Ppca stopped_early = Ppca::fit(x, {.components = 2}, late);
  EXPECT_TRUE(test::has_warning(stopped_early.report.warnings, WarningCode::time_ran_out));
}

}  // namespace ppca_test
}  // namespace mercer
