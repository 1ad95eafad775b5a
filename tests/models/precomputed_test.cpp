// Kernel and distance matrices instead of a table: the same model as the table gives, new rows by
// cross matrices, and special spectra (the types of LAPACK's own tests among them) given as K.
#include "mercer/core/text.h"
#include "mercer/models/kind/kernel_pca.h"
#include "mercer/models/kind/pca.h"
#include "tests/support/dense.h"
#include "tests/support/errors.h"
#include "tests/support/fitted.h"
#include "tests/support/random_points.h"

#include <gtest/gtest.h>

#include <functional>
#include <numbers>

namespace mercer {
namespace precomputed_test {

using test::code_of;
using test::has_warning;
using test::kRatio;
using test::kUnit;

KernelPca fit_given(const Points& matrix, const char* as, Components components) {
  return KernelPca::fit(matrix, {.components = components, .as = as});
}

Points distances(const Points& x, const Points& y) {
  Points d(x.rows(), y.rows());
  for (Index i = 0; i < x.rows(); ++i)
    for (Index j = 0; j < y.rows(); ++j) d(i, j) = (x.row(i) - y.row(j)).norm();
  return d;
}

struct Precomputed : testing::Test {
  Points x = test::random_points({.n = 50, .dim = 4, .seed = 1}) *
             Vector(Vector::LinSpaced(4, 4, 1)).asDiagonal();
  Points fresh = test::random_points({.n = 9, .dim = 4, .seed = 2});

  /// Same eigenvalues and scores, of training and of new rows.
  void expect_same(const KernelPca& ours, const Block& new_scores, const KernelPca& table,
                   double largest) const {
    const double mu = table.report.spectrum->eigenvalues[0],
                 rounding = kRatio * 50 * kUnit * largest;
    EXPECT_LE(test::max_abs(ours.report.spectrum->eigenvalues - table.report.spectrum->eigenvalues),
              rounding);
    EXPECT_NEAR(ours.report.spectrum->trace, table.report.spectrum->trace, 50 * rounding);
    const double loss = rounding / std::sqrt(table.report.spectrum->eigenvalues.minCoeff());
    EXPECT_LE(test::difference_up_to_sign(ours.scores(), table.scores()), 10 * loss);
    EXPECT_LE(test::difference_up_to_sign(new_scores, table.transform(fresh, {})), 10 * loss);
    EXPECT_GT(mu, 0);
  }
};

TEST_F(Precomputed, AKernelMatrixGivesTheModelOfItsTable) {
  for (const char* spec : {"gaussian:sigma=3", "polynomial:degree=2,scale=0.1", "cosine"}) {
    const Points k = test::dense_kernel(spec, x), cross = test::dense_kernel(spec, fresh, x);
    const KernelPca ours = fit_given(k, "kernel", 3);
    const KernelPca table = KernelPca::fit(x, {.kernel = spec, .components = 3});
    expect_same(ours, ours.transform(cross, {}), table, test::max_abs(k));
    EXPECT_LE(test::max_abs(ours.transform(k, {}) - ours.scores()),
              kRatio * 50 * kUnit * test::max_abs(k));
    EXPECT_TRUE(ours.needs_cross_matrix());
    EXPECT_EQ(ours.report.plan.operator_name, "given_matrix");
  }
  const Points k = test::dense_kernel("gaussian:sigma=3", x);
  const KernelPca plain = KernelPca::fit(k, {.components = 3, .center = false, .as = "kernel"});
  EXPECT_LE(test::max_abs(plain.report.spectrum->eigenvalues - test::dense_eigen(k).values.head(3)),
            kRatio * 50 * kUnit * 50);
}

TEST_F(Precomputed, EuclideanDistancesGiveTheLinearModel) {
  const KernelPca table = KernelPca::fit(x, {.kernel = "linear", .components = 4});
  const Points d = distances(x, x), cross = distances(fresh, x);
  const double largest = d.cwiseAbs2().maxCoeff();
  const KernelPca plain = fit_given(d, "distance", 4);
  expect_same(plain, plain.transform(cross, {}), table, largest);
  EXPECT_EQ(plain.report.spectrum->negative_share, 0);
  const KernelPca squared = fit_given(d.cwiseAbs2(), "squared-distance", 4);
  expect_same(squared, squared.transform(Points(cross.cwiseAbs2()), {}), table, largest);
}

TEST_F(Precomputed, FeatureDistancesGiveTheKernelModel) {
  // |phi(x) - phi(y)|^2 = 2 - 2 k(x, y) for the Gaussian.
  const Points k = test::dense_kernel("gaussian:sigma=3", x);
  const Points cross = test::dense_kernel("gaussian:sigma=3", fresh, x);
  const KernelPca table = KernelPca::fit(x, {.kernel = "gaussian:sigma=3", .components = 3});
  const KernelPca ours = fit_given(2 - 2 * k.array(), "squared-distance", 3);
  expect_same(ours, ours.transform(Points(2 - 2 * cross.array()), {}), table, 2);
}

TEST_F(Precomputed, TheModelSurvivesItsState) {
  const Points d = distances(x, x), cross = distances(fresh, x);
  for (const char* as : {"kernel", "distance", "squared-distance"}) {
    const bool kernel = std::string_view(as) == "kernel";
    const Points k = kernel ? Points(test::dense_kernel("gaussian:sigma=3", x)) : d;
    const auto model = test::fitted<KernelPca>(k, {.components = 3, .as = as}, {});
    const auto any = model_from(model->state());
    const auto* loaded = dynamic_cast<const KernelPca*>(any.get());
    ASSERT_NE(loaded, nullptr);
    EXPECT_TRUE(loaded->transform(cross, {}) == model->transform(cross, {})) << as;
    EXPECT_TRUE(loaded->training_scores(k, {}) == model->training_scores(k, {})) << as;
    EXPECT_TRUE(loaded->needs_cross_matrix());
    EXPECT_TRUE(loaded->kernel_description() == model->kernel_description());
    EXPECT_EQ(code_of([&] { loaded->transform(fresh, {}); }), "M713") << as;
    State state = model->state();
    state.values["as"] = "table";  // it has no points
    EXPECT_NE(code_of([&] { model_from(state); }), "no error") << as;
    state.values["as"] = "matrix";
    EXPECT_EQ(code_of([&] { model_from(state); }), "M703") << as;
  }
}

TEST_F(Precomputed, WhatCannotBeSuchAMatrixIsRefused) {
  const Points d = distances(x, x), k = test::dense_kernel("gaussian:sigma=3", x);
  const auto code = [](const Points& matrix, const char* as, bool center = true) {
    return code_of([&] { KernelPca::fit(matrix, {.center = center, .as = as}); });
  };
  EXPECT_EQ(code(x, "kernel"), "M240");
  EXPECT_EQ(code(d, "distance", false), "M232");
  EXPECT_EQ(code(k, "kernel", false), "no error");
  Points uneven = d;
  uneven(3, 4) += 1;
  EXPECT_EQ(code(uneven, "distance"), "M241");
  EXPECT_EQ(code(k, "distance"), "M245");  // a diagonal of ones
  EXPECT_EQ(code(-d, "distance"), "M245");
  EXPECT_EQ(code(Points::Zero(5, 5), "kernel"), "M244");
  EXPECT_EQ(code(Points::Ones(5, 5), "kernel"), "M244");
  EXPECT_EQ(code(Points::Zero(5, 5), "distance"), "M244");
  EXPECT_EQ(code(-k, "kernel"), "M244");
  EXPECT_EQ(code(k * 1e302, "kernel"), "M221");
  const auto option = [&](KernelPcaOptions options) {
    options.as = "kernel";
    return code_of([&] { test::fitted<KernelPca>(k, options, {}); });
  };
  EXPECT_EQ(option({}), "no error");
  EXPECT_EQ(option({.kernel = "linear"}), "M102");
  EXPECT_EQ(option({.scale = "standard"}), "M102");
  // What was given counts, also where it is the default.
  const auto given = [&](const char* name, const char* word) {
    return code_of([&] {
      fit_model("kernel_pca", k, Value::Object{{"as", "kernel"}, {name, word}});
    });
  };
  EXPECT_EQ(given("kernel", "gaussian"), "M102");
  EXPECT_EQ(given("components", "2"), "no error");
  EXPECT_EQ(code_of([&] { fit_model("pca", k, Value::Object{{"as", "kernel"}}); }), "M101");
}

TEST_F(Precomputed, DistancesThatNoPointsHaveAreReported) {
  // A path of three towns round a fourth: the star metric is not Euclidean.
  Points d(4, 4);
  d << 0, 1, 1, 1, 1, 0, 2, 2, 1, 2, 0, 2, 1, 2, 2, 0;
  const KernelPca star = fit_given(d, "distance", 2);
  EXPECT_TRUE(has_warning(star.report.warnings, WarningCode::not_euclidean));
  EXPECT_FALSE(has_warning(star.report.warnings, WarningCode::negative_eigenvalues));
  const Vector known = test::dense_eigen(-0.5 * test::double_centred(d.cwiseAbs2())).values;
  EXPECT_NEAR(star.report.spectrum->negative_share,
              -known.cwiseMin(0).sum() / known.cwiseAbs().sum(), 1e-14);
  EXPECT_FALSE(has_warning(fit_given(distances(x, x), "distance", 2).report.warnings,
                           WarningCode::not_euclidean));
  EXPECT_EQ(code_of([&] { KernelPca::fit(d, {.indefinite = "error", .as = "distance"}); }), "M242");
}

TEST_F(Precomputed, N13TwoHalvesThatDifferLittleAreAveraged) {
  const Points k = test::dense_kernel("gaussian:sigma=3", x);  // largest entry 1
  const Vector known = fit_given(k, "kernel", 3).report.spectrum->eigenvalues;
  for (int power = -16; power <= -1; ++power) {
    const double size = std::pow(10.0, power);
    Points uneven = k;
    uneven.triangularView<Eigen::StrictlyLower>() = k * (1 - 0.9 * size);
    if (size > 1e-8 * 1.001) {
      EXPECT_EQ(code_of([&] { fit_given(uneven, "kernel", 3); }), "M241") << power;
      continue;
    }
    const KernelPca model = fit_given(uneven, "kernel", 3);
    EXPECT_EQ(has_warning(model.report.warnings, WarningCode::symmetrised), power >= -14) << power;
    // The mean is off by 0.45 of it at most, an eigenvalue by N times that.
    EXPECT_LE(test::max_abs(model.report.spectrum->eigenvalues - known),
              50 * size + kRatio * 50 * kUnit)
        << power;
  }
}

double worst_spectrum_ratio = 0;  // of one test, for the record

/// r1, r2 and r3 of an uncentred fit that keeps every significant pair; the matrix may lie near the
/// ends of the range, so everything is brought to 1 first. `known`: the spectrum, where there is
/// one.
void expect_spectrum(const std::string& name, const Points& k, const Vector& known = {}) {
  SCOPED_TRACE(name);
  const auto n = static_cast<double>(k.rows());
  const double factor = std::exp2(-std::round(std::log2(test::max_abs(k))));
  const KernelPca model = KernelPca::fit(
      k, {.components = Components::all(), .center = false, .indefinite = "krein", .as = "kernel"});
  const Vector mu = model.report.spectrum->eigenvalues.cwiseProduct(model.signature()) * factor;
  const Block a = k * factor;
  const Vector roots = (model.report.spectrum->eigenvalues * factor).cwiseSqrt();
  const Block u = (model.scores() * std::sqrt(factor)) * roots.cwiseInverse().asDiagonal();
  ASSERT_TRUE(mu.allFinite() && u.allFinite());
  const double r1 = test::residual_ratio(a, u, mu), r2 = test::orthogonality_ratio(u);
  // What was left out is below the rank tolerance, 10 n u of the largest, each.
  const double left_out = (n - static_cast<double>(mu.size())) * 30;
  const double size = mu.cwiseAbs().sum();
  const double r3 = std::abs(a.trace() - mu.sum()) / (size * n * kUnit);
  worst_spectrum_ratio = std::max({worst_spectrum_ratio, r1, r2, std::max(0.0, r3 - left_out)});
  EXPECT_LE(r1, kRatio);
  EXPECT_LE(r2, kRatio);
  EXPECT_LE(r3, kRatio + left_out);
  EXPECT_TRUE(model.report.converged);
  EXPECT_LE(model.report.spectrum->certificate.residuals.maxCoeff(), kRatio * n * kUnit);
  if (known.size() == 0) return;
  Vector sorted = known.cwiseAbs() * factor, ours = mu.cwiseAbs();
  std::sort(sorted.data(), sorted.data() + sorted.size(), std::greater<>());
  EXPECT_LE(test::value_ratio(ours, sorted.head(ours.size()), k.rows(), sorted[0]), kRatio);
  if (sorted.size() == ours.size()) return;
  EXPECT_LE(sorted[ours.size()], 40 * n * kUnit * sorted[0]);
}

Points symmetric(Index n, const std::function<double(Index, Index)>& entry) {
  Points k(n, n);
  for (Index i = 0; i < n; ++i)
    for (Index j = 0; j <= i; ++j) k(i, j) = k(j, i) = entry(i, j);
  return k;
}

TEST(SpecialSpectra, N16NamedMatrices) {
  worst_spectrum_ratio = 0;
  expect_spectrum("Hilbert", symmetric(30, [](Index i, Index j) {
                    return 1 / static_cast<double>(i + j + 1);
                  }));
  expect_spectrum("Wilkinson", symmetric(21, [](Index i, Index j) {
                    if (i == j) return std::abs(10.0 - static_cast<double>(i));
                    return i == j + 1 ? 1.0 : 0.0;
                  }));
  for (const double rho : {0.1, 0.9, 0.999999})
    expect_spectrum("Kac-Murdock-Szego", symmetric(50, [&](Index i, Index j) {
                      return std::pow(rho, static_cast<double>(i - j));
                    }));
  const auto wave = [](Index k, Index n) {
    const double s =
        std::sin(static_cast<double>(k + 1) * std::numbers::pi / static_cast<double>(2 * (n + 1)));
    return 4 * s * s;
  };
  Vector line(60), grid(64);
  for (Index k = 0; k < 60; ++k) line[k] = wave(k, 60);
  for (Index k = 0; k < 64; ++k) grid[k] = wave(k / 8, 8) + wave(k % 8, 8);
  expect_spectrum(
      "line",
      symmetric(60, [](Index i, Index j) { return i == j       ? 2.0
                                                  : i == j + 1 ? -1.0
                                                               : 0.0; }), line);
  expect_spectrum("grid",
                  symmetric(64,
                            [](Index i, Index j) {
                              if (i == j) return 4.0;
                              return i - j == 8 || (i - j == 1 && i % 8 != 0) ? -1.0 : 0.0;
                            }),
                  grid);
  RecordProperty("worst_ratio", brief(worst_spectrum_ratio));
}

/// The spectra that LAPACK tests its symmetric solvers with: 1 to u evenly, geometrically, or all u
/// but one.
Vector spectrum(const char* kind, Index n, bool signs, std::uint64_t seed) {
  Vector d(n);
  for (Index i = 0; i < n; ++i) {
    const double at = static_cast<double>(i) / static_cast<double>(n - 1);
    if (*kind == 'e') d[i] = 1 - at * (1 - kUnit);
    if (*kind == 'g') d[i] = std::pow(kUnit, at);
    if (*kind == 'c') d[i] = i == 0 ? 1 : kUnit;
  }
  const Vector choice = test::random_points({.n = n, .dim = 1, .seed = seed}).col(0);
  return signs ? Vector((choice.array() < 0).select(-d, d)) : d;
}

TEST(SpecialSpectra, N16AllTypesOfLapack) {
  worst_spectrum_ratio = 0;
  constexpr Index n = 40;
  EXPECT_EQ(code_of([] {
              KernelPca::fit(Points(Points::Zero(n, n)), {.center = false, .as = "kernel"});
            }),
            "M244");
  expect_spectrum("identity", Points::Identity(n, n), Vector::Ones(n));
  const Block turn = test::random_orthonormal(n, n, 3);
  const Points noise = test::random_points({.n = n, .dim = n, .seed = 4});
  const Points entries = (noise + noise.transpose()) / 8;
  // As they are, at LAPACK's square roots of the ends of the range, and near the ends themselves.
  for (const double scale : {1.0, 1e154, 1e-154, 1e297, 1e-290}) {
    for (const char* kind : {"even", "geometric", "clustered"})
      for (const bool signs : {true, false}) {
        const Vector d = spectrum(kind, n, signs, 5);
        const std::string name = kind + std::string(signs ? " with signs " : " ") + brief(scale);
        expect_spectrum("diagonal " + name, Points(d.asDiagonal()) * scale, d * scale);
        const Points full = turn * d.asDiagonal() * turn.transpose();
        expect_spectrum("turned " + name,
                        symmetric(n, [&](Index i, Index j) { return full(i, j) * scale; }),
                        d * scale);
      }
    expect_spectrum("random entries " + brief(scale), entries * scale);
    const Vector d = spectrum("geometric", n, false, 6);
    expect_spectrum("dominant tridiagonal " + brief(scale), symmetric(n, [&](Index i, Index j) {
                      if (i == j) return d[i] * scale;
                      return i == j + 1 ? 0.25 * std::sqrt(d[i] * d[j]) * scale : 0.0;
                    }));
  }
  RecordProperty("worst_ratio", brief(worst_spectrum_ratio));
}

}  // namespace precomputed_test
}  // namespace mercer
