// Shares of variance where eigenvalues may be negative: one definition, |mu| over the sum of all
// |mu|, under every policy; a number where it is known, a bound where it is not, the same from
// every solver. And what equal magnitudes of both signs do to clusters, bounds and warnings.
#include "mercer/models/kind/kernel_pca.h"
#include "tests/support/dense.h"
#include "tests/support/errors.h"
#include "tests/support/random_points.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <string>

namespace mercer {
namespace shares_test {

using test::kUnit;

Context solver(const std::string& name) {
  Context context;
  context.budget.solver_name = name;
  return context;
}

KernelPca fit_matrix(const Points& k, const char* policy, Components components,
                     const std::string& solver_name = {}, bool center = false) {
  return KernelPca::fit(
      k, {.components = components, .center = center, .indefinite = policy, .as = "kernel"},
      solver(solver_name));
}

/// Eigenvalues that were put in.
Points with_spectrum(const Vector& values, std::uint64_t seed) {
  const Block q = test::random_orthonormal(values.size(), values.size(), seed);
  const Block k = q * values.asDiagonal() * q.transpose();
  return (k + k.transpose()) / 2;
}

/// Corners of a cube in so many dimensions, joined by edges: eigenvalues d - 2 i, C(d, i) times.
Points cube_graph(unsigned dim) {
  const unsigned n = 1U << dim;
  Points k = Points::Zero(n, n);
  for (unsigned i = 0; i < n; ++i)
    for (unsigned j = 0; j < n; ++j) k(i, j) = std::popcount(i ^ j) == 1 ? 1 : 0;
  return k;
}

struct Shares : testing::Test {
  // Positive ones are 12, negative ones 4 in all.
  Vector values = [] {
    Vector v = Vector::Zero(60);
    v.head(8) << 6, 3, 2, 1, -2.5, -1, -0.4, -0.1;
    return v;
  }();
  Points k = with_spectrum(values, 1);
};

TEST_F(Shares, AreOfTheSumOfMagnitudesUnderEveryPolicy) {
  const auto ratios = [&](const char* policy) {
    return fit_matrix(k, policy, 3).report.spectrum->ratios;
  };
  Vector expected(3);
  expected << 6, 3, 2;
  EXPECT_LE(test::max_abs(ratios("clip") - expected / 16), 1e-13);
  expected << 6, 3, 2.5;
  EXPECT_LE(test::max_abs(ratios("flip") - expected / 16), 1e-13);
  EXPECT_LE(test::max_abs(ratios("krein") - expected / 16), 1e-13);
  expected << 8.5, 5.5, 4.5;  // raised by 2.5, all 60: 8 + 150
  EXPECT_LE(test::max_abs(ratios("shift") - expected / 158), 1e-13);
}

TEST_F(Shares, AddUpToOneWhereEverythingCounts) {
  EXPECT_NEAR(fit_matrix(k, "flip", Components::all()).report.spectrum->ratios.sum(), 1, 1e-13);
  EXPECT_NEAR(fit_matrix(k, "clip", Components::all()).report.spectrum->ratios.sum(), 0.75, 1e-13);
}

// What all others add up to no search can know, but it is at least the trace, and at least what was
// found.
TEST_F(Shares, AreNotStatedButBoundedWhereNotAllEigenvaluesAreKnown) {
  for (const char* policy : {"clip", "flip", "krein"}) {
    const Report exact = fit_matrix(k, policy, 3, "dense").report;
    for (const char* name : {"block_krylov", "lanczos", "lobpcg", "subspace"}) {
      const Report report = fit_matrix(k, policy, 3, name).report;
      ASSERT_EQ(report.plan.solver_name, name);
      EXPECT_TRUE(report.spectrum->ratios.array().isNaN().all()) << policy << ' ' << name;
      EXPECT_TRUE(std::isnan(report.spectrum->negative_share)) << policy << ' ' << name;
      EXPECT_TRUE((report.spectrum->ratio_bounds().array() >= exact.spectrum->ratios.array()).all())
          << name;
      EXPECT_LE(report.spectrum->ratio_bounds().sum(), 1 + 4 * kUnit) << name;
    }
  }
}

// That none was seen does not show that there is none.
TEST_F(Shares, OfAMatrixThatMayBeIndefiniteAreNotKnownToASearch) {
  const Points gram = with_spectrum(values.cwiseMax(0), 2);
  const Report report = fit_matrix(gram, "clip", 3, "block_krylov").report;
  EXPECT_TRUE(report.spectrum->ratios.array().isNaN().all());
  Vector expected(3);
  expected << 6, 3, 2;
  EXPECT_LE(test::max_abs(report.spectrum->ratio_bounds() - expected / 12), 1e-13);
  EXPECT_LE(
      test::max_abs(fit_matrix(gram, "clip", 3, "dense").report.spectrum->ratios - expected / 12),
      1e-13);
}

TEST_F(Shares, OfDefiniteKernelsAreTheSameFromEverySolver) {
  const Points x = test::random_points({.n = 120, .dim = 3, .seed = 3});
  const auto report = [&](const char* name, const char* policy) {
    return KernelPca::fit(x, {.kernel = "gaussian:sigma=2", .components = 4, .indefinite = policy},
                          solver(name))
        .report;
  };
  const Vector exact = report("dense", "clip").spectrum->ratios;
  for (const char* policy : {"clip", "flip"})
    for (const char* name : {"dense", "block_krylov", "lanczos"}) {
      EXPECT_LE(test::max_abs(report(name, policy).spectrum->ratios - exact), 1e-11)
          << name << policy;
      EXPECT_EQ(report(name, policy).spectrum->negative_share, 0);
      EXPECT_TRUE(report(name, policy).spectrum->ratio_bounds() ==
                  report(name, policy).spectrum->ratios);
    }
}

TEST_F(Shares, ThatCannotBeReachedAreAnErrorThatSaysWhatCan) {
  const auto components = [&](const char* policy, double share) {
    return fit_matrix(k, policy, Components::share(share)).report.spectrum->eigenvalues.size();
  };
  EXPECT_EQ(components("clip", 0.7), 4);
  EXPECT_EQ(components("clip", 0.75), 4);  // met exactly, by all there are
  EXPECT_EQ(components("flip", 0.99), 7);
  try {
    components("clip", 0.76);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(code_text(error.code()), "M248");
    EXPECT_NE(error.message().find("0.75"), std::string::npos) << error.message();
    EXPECT_NE(error.hint().find("at most 0.7"), std::string::npos) << error.hint();
  }
  // Raised by 2.5: the positive ones are (12 + 10) of 158.
  EXPECT_EQ(test::code_of([&] { components("shift", 0.14); }), "M248");
  EXPECT_EQ(components("shift", 0.08), 2);
  EXPECT_EQ(test::code_of([&] { components("error", 0.99); }), "M242");
}

TEST_F(Shares, TheHintCanBeFollowed) {
  const Points x = test::random_points({.n = 40, .dim = 3, .seed = 1}).cwiseAbs() * 0.5;
  const auto fit = [&](double share) {
    return KernelPca::fit(
        x, {.kernel = "sigmoid:scale=5,offset=0.5", .components = Components::share(share)});
  };
  try {
    fit(0.999);
    FAIL();
  } catch (const Error& error) {
    const std::string hint = error.hint();
    const double most = std::stod(hint.substr(hint.find("at most ") + 8));
    const Report report = fit(most).report;
    EXPECT_GE(report.spectrum->ratios.sum(), most);
    EXPECT_LT(report.spectrum->ratios.head(report.spectrum->ratios.size() - 1).sum(), most);
    EXPECT_EQ(test::code_of([&] { fit(most + 2e-4); }), "M248");
  }
}

// Ten equal eigenvalues after centring: nine are 0.9 of them.
TEST(SharesOfEqualValues, MetExactlyCount) {
  const Points eye = Points::Identity(11, 11);
  for (const char* policy : {"clip", "flip", "shift"})
    for (const Index count : {1, 5, 7, 9})
      EXPECT_EQ(
          fit_matrix(eye, policy, Components::share(static_cast<double>(count) / 10), {}, true)
              .report.spectrum->eigenvalues.size(),
          count)
          << policy;
  EXPECT_EQ(fit_matrix(eye, "clip", Components::share(0.901), {}, true)
                .report.spectrum->eigenvalues.size(),
            10);
}

// No time for all eigenvalues: of a definite kernel the trace says when a share is reached. Of
// another nothing does.
TEST(SharesInTime, OfAKernelThatMayBeIndefiniteAreNotClaimed) {
  const Points x = test::random_points({.n = 300, .dim = 3, .seed = 4}).cwiseAbs() * 0.5;
  Machine slow;  // the dense solver would take hours, products take nothing
  slow.tridiagonal = 2e4;
  Context context;
  context.budget.machine = &slow;
  context.budget.seconds = 1000;
  const Report report =
      KernelPca::fit(x,
                     {.kernel = "sigmoid:scale=5,offset=0.5", .components = Components::share(0.2)},
                     context)
          .report;
  EXPECT_FALSE(report.converged);
  EXPECT_TRUE(test::has_warning(report.warnings, WarningCode::time_ran_out));
  EXPECT_TRUE(report.spectrum->ratios.array().isNaN().all());
}

TEST(EqualMagnitudes, OfBothSignsAreOneCluster) {
  const Points k = cube_graph(4);  // 4, 2 four times, 0 six times, -2 four times, -4
  for (const char* policy : {"flip", "krein"}) {
    const Report report = fit_matrix(k, policy, Components::all()).report;
    EXPECT_EQ(report.spectrum->eigenvalues.size(), 10);
    EXPECT_EQ(report.spectrum->clusters, (std::vector<Range>{{0, 2}, {2, 10}})) << policy;
  }
  EXPECT_EQ(fit_matrix(k, "clip", Components::all()).report.spectrum->clusters,
            (std::vector<Range>{{1, 5}}));
}

TEST(EqualMagnitudes, ACutBetweenTheSignsIsSaid) {
  const Points k = cube_graph(6);
  for (const char* name : {"dense", "block_krylov"}) {
    const auto cuts = [&](Index count) {
      return test::has_warning(fit_matrix(k, "flip", count, name).report.warnings,
                               WarningCode::split_cluster);
    };
    EXPECT_TRUE(cuts(1)) << name;  // +6, -6
    EXPECT_FALSE(cuts(2)) << name;
    EXPECT_TRUE(cuts(8)) << name;  // +4 six times, -4 six times
    EXPECT_FALSE(cuts(14)) << name;
  }
}

TEST(EqualMagnitudes, HaveTightUpperBounds) {
  const Points k = cube_graph(4);
  for (const char* name : {"dense", "block_krylov", "lanczos"}) {
    const Report report = fit_matrix(k, "flip", 2, name).report;
    EXPECT_TRUE(report.spectrum->certificate.complete) << name;
    for (const double upper : report.spectrum->certificate.eigenvalue_upper) {
      EXPECT_GE(upper, 4) << name;
      EXPECT_LE(upper, 4 * (1 + 1e-11)) << name;
    }
  }
}

// Enclosures of flipped values are as narrow as those of the others, whatever the others do.
TEST(EqualMagnitudes, BoundsOfFlippedValuesAreAsNarrowAsAsked) {
  Vector values = Vector::Zero(300);
  for (Index i = 0; i < 300; ++i) values[i] = (i % 3 == 1 ? -1 : 1) * std::pow(0.8, i);
  const Points k = with_spectrum(values, 7);
  const Report report = KernelPca::fit(k,
                                       {.components = 6,
                                        .tolerance = Tolerance::parse("eigenvalues:1e-8"),
                                        .center = false,
                                        .indefinite = "flip",
                                        .as = "kernel"},
                                       solver("block_krylov"))
                            .report;
  EXPECT_TRUE(report.converged);
  for (Index i = 0; i < 6; ++i) {
    const double truth = std::pow(0.8, i), upper = report.spectrum->certificate.eigenvalue_upper[i];
    EXPECT_GE(upper, truth * (1 - 1e-14));
    EXPECT_LE(upper, report.spectrum->eigenvalues[i] * (1 + 1e-8));
    EXPECT_NEAR(report.spectrum->eigenvalues[i], truth, 1e-8 * truth);
  }
}

}  // namespace shares_test
}  // namespace mercer
