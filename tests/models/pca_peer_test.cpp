// Agreement with scikit-learn's PCA (whitening) and R's prcomp (correlations) on the wine data,
// from values stored in tests/oracle/reference (tools/make_reference_pca.py). Both divide by n - 1.
#include "mercer/models/kind/pca.h"
#include "tests/support/dense.h"
#include "tests/support/reference.h"

#include <gtest/gtest.h>

#include <cmath>

namespace mercer {
namespace pca_peer_test {

// Signs are a matter of taste.
void expect_scores(const Block& ours, const Points& theirs, double factor, double tolerance) {
  ASSERT_EQ(ours.rows(), theirs.rows());
  ASSERT_EQ(ours.cols(), theirs.cols());
  for (Index j = 0; j < ours.cols(); ++j) {
    const Vector known = theirs.col(j) * factor;
    const double sign = ours.col(j).dot(known) < 0 ? -1 : 1;
    EXPECT_LE(test::max_abs(sign * ours.col(j) - known), tolerance * known.cwiseAbs().maxCoeff());
  }
}

TEST(PcaPeer, WhitenedScoresAreThoseOfScikitLearn) {
  const Points x = test::read_reference("wine");
  const auto n = static_cast<double>(x.rows());
  const Pca model = Pca::fit(x, {.components = 4, .whiten = Whitening::pca});
  const Vector variances = model.report.spectrum->eigenvalues / (n - 1);
  const Points known = test::read_reference("pca_sklearn_variances");
  // Components are so far apart (2e5 times) that the fourth has ten digits in a covariance.
  for (Index j = 0; j < 4; ++j) EXPECT_NEAR(variances[j], known(j, 0), 1e-10 * known(j, 0));
  expect_scores(model.transform(x), test::read_reference("pca_sklearn_white_scores"),
                std::sqrt(n / (n - 1)), 1e-8);
}

TEST(PcaPeer, CorrelationsAreThoseOfPrcomp) {
  const Points x = test::read_reference("wine");
  const auto n = static_cast<double>(x.rows());
  const Pca model = Pca::fit(x, {.components = Components::all(), .scale = Scaling::standard});
  const Points sdev = test::read_reference("pca_prcomp_correlations_sdev");
  ASSERT_EQ(model.report.spectrum->eigenvalues.size(), sdev.rows());
  // Columns have variance 1 with divisor n here, with n - 1 there: the spectra are the same.
  for (Index j = 0; j < sdev.rows(); ++j)
    EXPECT_NEAR(model.report.spectrum->eigenvalues[j] / n, sdev(j, 0) * sdev(j, 0), 1e-12);
  expect_scores(model.transform(x).leftCols(4),
                test::read_reference("pca_prcomp_correlations_scores"), std::sqrt(n / (n - 1)),
                1e-10);
}

}  // namespace pca_peer_test
}  // namespace mercer
