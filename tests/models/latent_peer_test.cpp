// Agreement with R's factanal, pcaMethods::ppca and scikit-learn, from values stored in
// tests/oracle/reference by tools/make_latent_reference.R and .py. factanal's optimiser stops where
// its objective no longer falls, and parameters are then known to the root of rounding: 1e-6 of
// their size, in this flat a maximum. A likelihood is known to twice the digits.
#include "mercer/models/kind/factor_analysis.h"
#include "mercer/models/kind/ppca.h"
#include "tests/support/dense.h"
#include "tests/support/reference.h"

#include <gtest/gtest.h>

namespace mercer {
namespace latent_peer_test {

double figure(const Model& model, const std::string& name) {
  for (const Figure& one : model.report.figures)
    if (one.name == name) return one.value.as_number();
  ADD_FAILURE() << "no figure " << name;
  return 0;
}

/// The peer's columns in the order and with the signs that are nearest to ours.
Block lined_up(const Block& theirs, const Block& ours) {
  Block all = theirs;
  for (Index j = 0; j < ours.cols(); ++j) {
    Index best = 0;
    (theirs.transpose() * ours.col(j)).cwiseAbs().maxCoeff(&best);
    const double sign = theirs.col(best).dot(ours.col(j)) < 0 ? -1 : 1;
    all.col(j) = sign * theirs.col(best);
  }
  return all;
}

constexpr double kParameters = 1e-5;

FactorAnalysis wine_factors(const char* rotation) {
  return FactorAnalysis::fit(Points(test::read_reference("wine")),
                             {.components = 3, .rotation = rotation, .scale = "standard"});
}

TEST(FactanalPeer, UniquenessesAndTheTestAgree) {
  const FactorAnalysis model = wine_factors("none");
  EXPECT_LE(
      test::max_abs(model.uniquenesses() - test::read_reference("factanal_wine_uniquenesses")),
      kParameters);
  const Block test = test::read_reference("factanal_wine_test");
  EXPECT_NEAR(figure(model, "chi_squared"), test(0, 0), 1e-8 * test(0, 0));
  EXPECT_EQ(figure(model, "degrees_of_freedom"), test(1, 0));
  EXPECT_NEAR(figure(model, "p_value"), test(2, 0), 1e-6 * test(2, 0));
}

TEST(FactanalPeer, LoadingsOfEveryRotationAgree) {
  for (const auto& [rotation, name] :
       {std::pair{"none", "loadings"}, {"varimax", "varimax"}, {"promax", "promax"}}) {
    const FactorAnalysis model = wine_factors(rotation);
    const Block theirs = test::read_reference(std::string("factanal_wine_") + name);
    EXPECT_LE(test::max_abs(model.loadings() - lined_up(theirs, model.loadings())), kParameters)
        << rotation;
  }
  const Block ours = wine_factors("promax").factor_correlations();
  const Block theirs = test::read_reference("factanal_wine_correlations");
  // Order and signs of factors apart.
  EXPECT_NEAR(ours.squaredNorm(), theirs.squaredNorm(), kParameters);
}

TEST(SklearnPeer, NoiseAndScoreDivideByOneRowLess) {
  const Points wine = test::read_reference("wine");
  const Block peer = test::read_reference("sklearn_wine_pca_model");
  const double n = 178, f = n / (n - 1), dim = 13;
  for (Index k = 1; k <= 5; ++k) {
    const Ppca model = Ppca::fit(wine, {.components = k});
    // The trace is 1e4 times the noise of five components: so many of the digits are lost.
    EXPECT_NEAR(peer(k - 1, 0), f * model.noise_variance(), 1e-10 * peer(k - 1, 0)) << k;
    const double largest = figure(model, "log_likelihood_per_row");
    EXPECT_NEAR(peer(k - 1, 1), largest + 0.5 * (dim - dim * std::log(f) - dim / f), 1e-9) << k;
    EXPECT_GE(largest, peer(k - 1, 1)) << k;
  }
}

TEST(SklearnPeer, FactorAnalysisIsNoLikelier) {
  const Points wine = test::read_reference("wine");
  const Block peer = test::read_reference("sklearn_wine_factors");
  for (Index k = 1; k <= 3; ++k) {
    const FactorAnalysis model = FactorAnalysis::fit(wine, {.components = k, .scale = "standard"});
    const double ours = figure(model, "log_likelihood_per_row");
    EXPECT_GE(ours, peer(k - 1, 0) - 1e-12 * std::abs(ours)) << k;
    EXPECT_NEAR(ours, peer(k - 1, 0), 1e-6 * std::abs(ours)) << k;
  }
}

TEST(PcaMethodsPeer, CompletedRowsAgreeAndOursAreLikelier) {
  const Block there = test::read_reference("ppca_gaps_there");
  Points table = test::read_reference("ppca_gaps_table");
  for (Index i = 0; i < table.rows(); ++i)
    for (Index j = 0; j < table.cols(); ++j)
      if (there(i, j) == 0) table(i, j) = std::nan("");
  const Ppca model = Ppca::fit(table, {.components = 2});
  EXPECT_LE(test::max_abs(model.mean()), 1e-8);  // rows and their negatives
  const Block completed = test::read_reference("ppca_gaps_completed");
  EXPECT_LE(test::max_abs(model.impute(table) - completed), 1e-3);

  // Their model of the rows, W W' from W's eigenvectors.
  State state = model.state();
  const test::DenseEigen eigen = test::dense_eigen(test::read_reference("ppca_gaps_explained"));
  const Points w = eigen.vectors.leftCols(2) * eigen.values.head(2).cwiseSqrt().asDiagonal();
  state.array("loadings") = Array::of("loadings", w);
  state.array("mean") = Array::of("mean", Vector(Vector::Zero(7)));
  state.values["noise"] = test::read_reference("ppca_gaps_noise")(0, 0);
  EXPECT_GE(figure(model, "log_likelihood"), Ppca::from(state).log_density(table).sum());
}

}  // namespace latent_peer_test
}  // namespace mercer
