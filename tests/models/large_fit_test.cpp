// Fits by block_krylov against fits by the dense solver on the same rows: eigenvalues within the
// tolerance, enclosures that hold the dense eigenvalues, a subspace as near as the certificate
// says.
#include "mercer/models/kind/kernel_pca.h"
#include "mercer/models/kind/pca.h"
#include "tests/models/search_fit.h"
#include "tests/support/dense.h"
#include "tests/support/errors.h"
#include "tests/support/random_points.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

namespace mercer {
namespace large_fit_test {

using search_fit::context_of;
using search_fit::fit;
using search_fit::groups;
using test::kUnit;

/// The unit eigenvectors u behind the coefficients u / sqrt(mu).
Block vectors_of(const KernelPca& model, Index count) {
  const Vector roots = model.report.spectrum->eigenvalues.head(count).cwiseSqrt();
  return model.coefficients().leftCols(count) * roots.asDiagonal();
}

/// What a search says, against the dense fit with one more component.
void expect_agreement(const KernelPca& model, const KernelPca& dense, double tolerance,
                      const std::string& what) {
  const Report& report = model.report;
  const Certificate& proof = report.spectrum->certificate;
  const Vector& truth = dense.report.spectrum->eigenvalues;
  const Index k = report.spectrum->eigenvalues.size();
  ASSERT_LT(k, truth.size()) << what;
  const double largest = truth[0];
  // Entries of K are of the size of its diagonal; the dense solver and the tiles round by n u of
  // it.
  const double rounding = 30 * static_cast<double>(report.n) * kUnit * largest;
  const double tiles = proof.operator_error * largest;
  EXPECT_TRUE(report.converged) << what;
  EXPECT_TRUE(proof.complete) << what;
  EXPECT_LE(proof.residuals.maxCoeff(), tolerance) << what;
  for (Index i = 0; i < k; ++i) {
    EXPECT_NEAR(report.spectrum->eigenvalues[i], truth[i], tolerance * largest + rounding)
        << what << i;
    EXPECT_GE(proof.eigenvalue_upper[i], truth[i] - rounding) << what << i;
    EXPECT_GE(proof.eigenvalue_upper[i], report.spectrum->eigenvalues[i]) << what << i;
    EXPECT_LE(report.spectrum->eigenvalues[i], truth[i] + rounding + tiles) << what << i;
  }
  const double gap = (truth[k - 1] - truth[k]) / rounding;
  const double angle = test::subspace_angle(vectors_of(dense, k), vectors_of(model, k));
  EXPECT_LE(angle, proof.angle + 1 / gap) << what;
}

const std::vector<std::string> kKernels = {"gaussian",
                                           "polynomial:degree=2",
                                           "laplacian",
                                           "linear:offset=1",
                                           "cosine",
                                           "thin_plate_spline",
                                           "sigmoid:scale=0.1",
                                           "gaussian+0.1*linear",
                                           "gaussian:sigma=0.9"};

TEST(LargeFit, AgreesWithTheDenseSolverForEveryKernelOperatorAndPrecision) {
  const Points x = groups(450, 12);
  for (const std::string& kernel : kKernels) {
    const KernelPca dense = fit(x, {.kernel = kernel, .components = 7}, {.solver = "dense"});
    for (const std::string op : {"blocked_gram", "dense_gram"})
      for (const Precision precision :
           {Precision::automatic, Precision::single_, Precision::double_}) {
        // Float tiles alone reach what their rounding allows: a tolerance for which that is enough.
        const double tolerance = precision == Precision::single_ ? 1e-5 : 1e-6;
        const std::string what = kernel + " " + op + " " + std::string(name_of(precision)) + " ";
        const KernelPca model = fit(x, {.kernel = kernel, .components = 6, .tolerance = tolerance},
                                    {.op = op, .precision = precision});
        EXPECT_EQ(model.report.plan.operator_name, op);
        EXPECT_EQ(model.report.plan.solver_name, "block_krylov");
        ASSERT_EQ(model.report.spectrum->eigenvalues.size(), 6) << what;
        expect_agreement(model, dense, tolerance, what);
      }
  }
}

TEST(LargeFit, ReachesEveryToleranceThatIsAsked) {
  const Points x = groups(700, 10, 2);
  for (const std::string kernel : {"gaussian", "laplacian"}) {
    const KernelPca dense = fit(x, {.kernel = kernel, .components = 9}, {.solver = "dense"});
    Index before = 0;
    for (const double tolerance : {1e-3, 1e-5, 1e-7, 1e-9, 1e-10}) {
      for (const std::string op : {"blocked_gram", "dense_gram"}) {
        const KernelPca model =
            fit(x, {.kernel = kernel, .components = 8, .tolerance = tolerance}, {.op = op});
        expect_agreement(model, dense, tolerance,
                         kernel + " " + op + " " + std::to_string(tolerance));
        if (op != "dense_gram") continue;
        EXPECT_GE(model.report.plan.passes, before) << "fewer passes for more digits";
        before = model.report.plan.passes;
      }
    }
  }
}

TEST(LargeFit, ManyRowsInFloatTilesAgreeToo) {
  const Points x = groups(1400, 20, 3);
  const KernelPca dense = fit(x, {.components = 11}, {.solver = "dense"});
  const KernelPca model =
      fit(x, {.components = 10}, {.op = "blocked_gram", .precision = Precision::single_});
  expect_agreement(model, dense, 1e-6, "1400 rows ");
}

TEST(LargeFit, ScoresAreThoseOfTheTrainingRowsTransformed) {
  const Points x = groups(500, 8, 4);
  for (const std::string kernel :
       {"gaussian", "polynomial:degree=2", "thin_plate_spline", "cosine"})
    for (const Precision precision : {Precision::single_, Precision::double_}) {
      const bool single = precision == Precision::single_;
      const double tolerance = single ? 3e-6 : 1e-12;
      const KernelPca model = fit(x, {.kernel = kernel, .components = 4, .tolerance = tolerance},
                                  {.op = "blocked_gram", .precision = precision});
      // K~ a = scores + r / sqrt(mu) with |r| <= tolerance mu_1.
      const Block scores = model.scores(), again = model.transform(x, {});
      const Vector& mu = model.report.spectrum->eigenvalues;
      for (Index j = 0; j < 4; ++j) {
        const double allowed = (single ? 1e-5 : 1e-10) * mu[0] / std::sqrt(mu[j]);
        EXPECT_LE((scores - again).col(j).norm(), allowed) << kernel << " " << j;
        EXPECT_NEAR(scores.col(j).squaredNorm(), mu[j], 1e-12 * mu[0]) << kernel;
      }
    }
}

TEST(LargeFit, GivesTheSameBytesForAnyNumberOfThreads) {
  const Points x = groups(900, 9, 5);
  for (const std::string op : {"blocked_gram", "dense_gram"})
    for (const Precision precision : {Precision::single_, Precision::double_}) {
      const KernelPcaOptions options = {.components = 5, .tolerance = 1e-5};
      const KernelPca one = fit(x, options, {.op = op, .precision = precision, .threads = 1});
      for (const Index threads : {2, 3, 4, 8}) {
        const KernelPca more =
            fit(x, options, {.op = op, .precision = precision, .threads = threads});
        EXPECT_TRUE(one.coefficients() == more.coefficients()) << op << " " << threads;
        EXPECT_TRUE(one.report.spectrum->eigenvalues == more.report.spectrum->eigenvalues)
            << op << " " << threads;
        EXPECT_TRUE(one.report.spectrum->certificate.eigenvalue_upper ==
                    more.report.spectrum->certificate.eigenvalue_upper)
            << op << " " << threads;
      }
    }
}

TEST(LargeFit, AnotherSeedChangesNothingBeyondTheTolerance) {
  const Points x = groups(600, 9, 6);
  for (const std::string op : {"blocked_gram", "dense_gram"}) {
    const KernelPca dense = fit(x, {.components = 6}, {.solver = "dense"});
    const KernelPca first = fit(x, {.components = 5}, {.op = op});
    for (Index seed = 1; seed < 6; ++seed) {
      const KernelPca model = fit(x, {.components = 5, .seed = seed}, {.op = op});
      expect_agreement(model, dense, 1e-6, "seed " + std::to_string(seed) + " ");
      EXPECT_FALSE(model.coefficients() == first.coefficients()) << "the seed has no effect";
    }
    EXPECT_TRUE(fit(x, {.components = 5}, {.op = op}).coefficients() == first.coefficients());
  }
}

TEST(LargeFit, TheCertificateIsOfTheKindThatWasAsked) {
  const Points x = groups(500, 6, 7);
  for (const std::string op : {"blocked_gram", "dense_gram"}) {
    const auto proof = [&](const std::string& certify, Precision precision) {
      const KernelPcaOptions options = {.components = 3, .tolerance = 1e-5, .certify = certify};
      const KernelPca model = fit(x, options, {.op = op, .precision = precision});
      EXPECT_TRUE(model.report.converged) << certify;
      return model.report.spectrum->certificate;
    };
    EXPECT_EQ(proof("none", Precision::double_).kind, ProofKind::none);
    EXPECT_FALSE(proof("none", Precision::double_).complete);
    const Certificate certain = proof("deterministic", Precision::double_);
    EXPECT_EQ(certain.kind, ProofKind::deterministic);
    EXPECT_TRUE(certain.complete);
    EXPECT_EQ(certain.failure, 0);
    const Certificate likely = proof("probabilistic", Precision::single_);
    EXPECT_EQ(likely.kind, ProofKind::probabilistic)
        << "sampled rows measure the rounding of float tiles";
    EXPECT_TRUE(likely.complete);
    EXPECT_GT(likely.failure, 0);
    EXPECT_LT(likely.failure, 1e-4);
  }
  EXPECT_EQ(test::code_of([&] { fit(x, {.certify = "maybe"}); }), "M102");
}

TEST(LargeFit, EigenvaluesAloneAreEnclosedAsNarrowlyAsAsked) {
  const Points x = groups(600, 9, 8);
  const KernelPca dense = fit(x, {.components = 6}, {.solver = "dense"});
  for (const double width : {1e-3, 1e-6, 1e-9})
    for (const std::string op : {"blocked_gram", "dense_gram"}) {
      const KernelPca model =
          fit(x, {.components = 5, .tolerance = Tolerance::of_eigenvalues(width)}, {.op = op});
      const Certificate& proof = model.report.spectrum->certificate;
      ASSERT_TRUE(model.report.converged && proof.complete) << op << " " << width;
      for (Index i = 0; i < 5; ++i) {
        const double mu = model.report.spectrum->eigenvalues[i],
                     truth = dense.report.spectrum->eigenvalues[i];
        EXPECT_LE(proof.eigenvalue_upper[i] - mu, width * mu * (1 + 1e-9)) << op << width;
        EXPECT_GE(proof.eigenvalue_upper[i], truth * (1 - 1e-13)) << op << width;
        EXPECT_LE(mu, truth * (1 + 1e-12)) << op << width;
      }
    }
}

TEST(LargeFit, HalfOfAllComponentsCanBeSearchedAndMoreAreLeftToTheDenseSolver) {
  const Points x = test::random_points({.n = 60, .dim = 5, .seed = 12});
  const KernelPca dense = fit(x, {.components = 59}, {.solver = "dense"});
  expect_agreement(fit(x, {.components = 30}), dense, 1e-6, "30 of 60 ");
  for (const Index count : {31, 58, 59}) {
    EXPECT_EQ(test::code_of([&] { fit(x, {.components = count}); }), "M102");
    const KernelPca model = fit(x, {.components = count}, {.solver = ""});
    EXPECT_EQ(model.report.spectrum->eigenvalues.size(), count);
    EXPECT_EQ(model.report.plan.solver_name, "dense");
  }
  EXPECT_EQ(test::code_of([&] { fit(x, {.components = 60}, {.solver = ""}); }), "M233");
}

TEST(LargeFit, PcaBySearchOnTheCovarianceAgreesToo) {
  const Points x = groups(500, 40, 13);
  const Pca dense = Pca::fit(x, {.components = 6}, context_of({.solver = "dense"}));
  for (const std::string op : {"covariance", "linear_gram"}) {
    const Pca model = Pca::fit(x, {.components = 6}, context_of({.op = op}));
    EXPECT_TRUE(model.report.converged && model.report.spectrum->certificate.complete) << op;
    EXPECT_LE(
        test::max_abs(model.report.spectrum->eigenvalues - dense.report.spectrum->eigenvalues),
        1e-6 * dense.report.spectrum->eigenvalues[0])
        << op;
    for (Index i = 0; i < 6; ++i)
      EXPECT_GE(model.report.spectrum->certificate.eigenvalue_upper[i],
                dense.report.spectrum->eigenvalues[i] * (1 - 1e-12))
          << op;
    const double angle = test::subspace_angle(dense.axes(), model.axes());
    EXPECT_LE(angle, model.report.spectrum->certificate.angle + 1e-10) << op;
  }
}

}  // namespace large_fit_test
}  // namespace mercer
