// The way back of kernel PCA: against the regression written out with the scalar kernel, what a
// saved model keeps of it, and what it is refused for.
#include "mercer/models/score_inverse.h"

#include "mercer/io/model_file.h"
#include "mercer/models/kind/kernel_pca.h"
#include "tests/support/dense.h"
#include "tests/support/errors.h"
#include "tests/support/random_points.h"

#include <Eigen/Dense>
#include <gtest/gtest.h>

namespace mercer {
namespace score_inverse_test {

const Points& rows() {
  static const Points x = test::random_points({.n = 90, .dim = 5, .seed = 4});
  return x;
}

// Rows of these scores by the formula, with the scalar kernel and a pivoted factorisation.
Block by_formula(const Kernel& kernel, const Block& training, const Block& scores, double alpha) {
  const auto values = [&](const Block& a, const Block& b) {
    Block k(a.rows(), b.rows());
    for (Index i = 0; i < a.rows(); ++i)
      for (Index j = 0; j < b.rows(); ++j) {
        const Vector x = a.row(i), y = b.row(j);
        k(i, j) = kernel(std::span(x.data(), static_cast<std::size_t>(x.size())),
                         std::span(y.data(), static_cast<std::size_t>(y.size())));
      }
    return k;
  };
  Block k = values(training, training);
  k.diagonal().array() += alpha;
  return values(scores, training) * k.fullPivLu().solve(Block(rows()));
}

KernelPca fit(const std::string& kernel, const std::string& between, double alpha,
              Components components = 4) {
  return KernelPca::fit(rows(), {.kernel = kernel,
                                 .components = components,
                                 .way_back = {.wanted = true, .alpha = alpha, .kernel = between}});
}

TEST(ScoreInverse, IsTheRegressionOfTheFormula) {
  const Points fresh = test::random_points({.n = 700, .dim = 5, .seed = 5});
  for (const char* kernel : {"gaussian:sigma=1.5", "linear", "polynomial:degree=2,scale=0.2",
                             "matern:nu=2.5,length=2", "gaussian:sigma=1+0.5*linear"})
    for (const double alpha : {1.0, 1e-3}) {
      const KernelPca model = fit(kernel, "", alpha);
      const Block training = model.scores(), scores = model.transform(fresh);
      const Block wanted = by_formula(Kernel(kernel), training, scores, alpha);
      const Block found = model.inverse(scores);
      EXPECT_LE(test::max_abs(found - wanted), 1e-8 * test::max_abs(wanted)) << kernel << alpha;
      // A row's answer is the same, whoever its neighbours are.
      EXPECT_TRUE(Block(model.inverse(scores.topRows(1))) == found.topRows(1)) << kernel;
    }
}

TEST(ScoreInverse, TakesAnotherKernelAndWidthsFromTheScores) {
  const KernelPca other = fit("gaussian:sigma=1.5", "linear", 0.5);
  EXPECT_LE(test::max_abs(Block(other.inverse(other.scores())) -
                          by_formula("linear", other.scores(), other.scores(), 0.5)),
            1e-9);
  const KernelPca median = fit("gaussian", "", 0.5);
  const Kernel found = Kernel("gaussian").resolve(Points(median.scores()), {});
  EXPECT_LE(test::max_abs(Block(median.inverse(median.scores())) -
                          by_formula(found, median.scores(), median.scores(), 0.5)),
            1e-9);
}

TEST(ScoreInverse, IsSavedWithTheModel) {
  const KernelPca model = fit("gaussian:sigma=1.5", "", 0.1);
  const Block scores = model.scores();
  const auto loaded = model_from(decode_model(encode_model(model.state())));
  const auto& inverts = need<Inverts>(*loaded);
  EXPECT_TRUE(inverts.inverse(scores) == model.inverse(scores));
  EXPECT_EQ(loaded->options["alpha"], Value(0.1));
  EXPECT_EQ(encode_model(loaded->state()), encode_model(model.state()));
}

TEST(ScoreInverse, IsThereOnlyWhereItWasAskedFor) {
  KernelPca model = KernelPca::fit(rows(), {.kernel = "gaussian:sigma=1.5"});
  const Model& plain = model;
  EXPECT_EQ(ability<Inverts>(plain), nullptr);
  EXPECT_EQ(test::code_of([&] { need<Inverts>(plain); }), "M714");
  EXPECT_EQ(plain.state().values["preimage"], Value());
  model.learn_inverse(rows(), "gaussian:sigma=1.5", 0.1, {});
  EXPECT_NE(ability<Inverts>(plain), nullptr);
  EXPECT_LE(test::max_abs(Block(model.inverse(model.scores())) -
                          by_formula("gaussian:sigma=1.5", model.scores(), model.scores(), 0.1)),
            1e-9);
}

TEST(ScoreInverse, FollowsFitsThroughFeatures) {
  Context context;
  context.budget.operator_name = "polynomial_features";
  const KernelPca model = KernelPca::fit(rows(),
                                         {.kernel = "polynomial:degree=2",
                                          .components = 3,
                                          .way_back = {.wanted = true, .alpha = 2.0}},
                                         context);
  const Block scores = model.transform(rows());
  EXPECT_LE(test::max_abs(Block(model.inverse(scores)) -
                          by_formula("polynomial:degree=2", model.scores(), scores, 2)),
            1e-6);
}

TEST(ScoreInverse, RefusesWhatLeadsNowhere) {
  const auto code = [](const KernelPcaOptions& options, const Context& context = {}) {
    return test::code_of([&] { KernelPca::fit(rows(), options, context); });
  };
  EXPECT_EQ(code({.kernel = "gaussian:sigma=1",
                  .way_back = {.wanted = true, .alpha = 0, .kernel = "linear"}}),
            "M242");  // 90 rows of rank 2
  EXPECT_EQ(code({.kernel = "multiquadric", .way_back = {.wanted = true}}), "M102");
  EXPECT_EQ(code({.kernel = "gaussian", .way_back = {.wanted = true, .kernel = "chi_squared"}}),
            "M102");
  EXPECT_EQ(code({.kernel = "gaussian", .way_back = {.wanted = true, .kernel = "nosuch"}}), "M103");
  EXPECT_EQ(code({.kernel = "gaussian", .way_back = {.alpha = 0.5}}), "M102");
  const Points pairs = rows() * rows().transpose();
  EXPECT_EQ(test::code_of([&] {
              KernelPca::fit(pairs, {.as = Given::kernel, .way_back = {.wanted = true}});
            }),
            "M102");
  Context small;
  small.budget.memory = 60'000;
  small.account = MemoryAccount(small.budget.memory);
  EXPECT_EQ(code({.kernel = "gaussian:sigma=1", .way_back = {.wanted = true}}, small), "M301");
  const KernelPca model = fit("gaussian:sigma=1.5", "", 1);
  EXPECT_EQ(test::code_of([&] { model.inverse(Block::Zero(2, 3)); }), "M712");
}

}  // namespace score_inverse_test
}  // namespace mercer
