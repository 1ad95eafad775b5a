// Models on the scores of other models: one model that takes the rows of the first table.
#include "mercer/io/model_file.h"
#include "mercer/models/judge.h"
#include "mercer/models/kind.h"
#include "mercer/models/kind/kernel_pca.h"
#include "mercer/models/kind/nearest_mean.h"
#include "mercer/models/kind/pca.h"
#include "mercer/models/kind/pcr.h"
#include "tests/support/dense.h"
#include "tests/support/errors.h"
#include "tests/support/random_points.h"

#include <gtest/gtest.h>

#include <memory>

namespace mercer {
namespace on_scores_test {

using test::code_of;
using test::random_points;

class OnScores : public testing::Test {
 protected:
  OnScores() {
    std::vector<std::string> texts;
    for (Index i = 0; i < x.rows(); ++i)
      texts.emplace_back(x.row(i).squaredNorm() > 4 ? "out" : "in");
    labels = Labels::from_texts("y", texts);
  }
  std::unique_ptr<Model> on(const std::shared_ptr<const Model>& inner) const {
    const Block scores = need<Transforms>(*inner).transform(x);
    Training training(scores);
    training.input.labels = labels;
    auto model = fit_model("nearest_mean", training, Value::Object{{"kernel", "linear"}});
    stand_on(*model, inner);
    return model;
  }
  std::shared_ptr<const Model> inner(Scaling scale = Scaling::none) const {
    return std::make_shared<const KernelPca>(
        KernelPca::fit(x, {.kernel = "gaussian:sigma=1.5", .components = 3, .scale = scale}));
  }
  Points x = random_points({.n = 120, .dim = 4, .seed = 1});
  Points fresh = random_points({.n = 700, .dim = 4, .seed = 2});
  Labels labels;
};

TEST_F(OnScores, PredictsAsTheTwoModelsOneAfterTheOther) {
  for (const Scaling scale : {Scaling::none, Scaling::standard}) {
    const auto below = inner(scale);
    const auto model = on(below);
    const Block scores = need<Transforms>(*below).transform(fresh);
    const NearestMean alone = [&] {
      const Block known = need<Transforms>(*below).transform(x);
      Training training(known);
      training.input.labels = labels;
      return NearestMean::fit(training, {.kernel = "linear"});
    }();
    EXPECT_TRUE(need<Predicts>(*model).predict(fresh) == alone.predict(scores));
  }
}

TEST_F(OnScores, IsOneFileThatHoldsBoth) {
  const auto model = on(inner(Scaling::standard));
  const std::string bytes = encode_model(model->state());
  const auto loaded = model_from(decode_model(bytes));
  EXPECT_EQ(encode_model(loaded->state()), bytes);
  EXPECT_EQ(encode_model(loaded->viewed_state()), bytes);
  EXPECT_EQ(loaded->summary(), model->summary());
  EXPECT_EQ(model->summary()["on"]["method"].as_text(), "kernel_pca");
  EXPECT_TRUE(need<Predicts>(*loaded).predict(fresh) == need<Predicts>(*model).predict(fresh));
  EXPECT_EQ(loaded->first().kind(), "kernel_pca");
}

TEST_F(OnScores, StandsOnModelsThatStandOnOthers) {
  auto first = std::make_shared<Pca>(Pca::fit(x, {.components = 3}));
  const Block scores = first->transform(x);
  auto second = std::make_shared<KernelPca>(
      KernelPca::fit(scores, {.kernel = "gaussian:sigma=1.5", .components = 2}));
  stand_on(*second, first);
  const auto model = on(second);
  const auto loaded = model_from(decode_model(encode_model(model->state())));
  EXPECT_EQ(loaded->first().kind(), "pca");
  EXPECT_TRUE(need<Predicts>(*loaded).predict(fresh) == need<Predicts>(*model).predict(fresh));
}

TEST_F(OnScores, RefusesRowsAndModelsThatDoNotFit) {
  const auto model = on(inner());
  EXPECT_EQ(code_of([&] { need<Predicts>(*model).predict(fresh.leftCols(3)); }), "M710");
  Points bad = fresh;
  bad(600, 1) = std::nan("");
  EXPECT_EQ(code_of([&] { need<Predicts>(*model).predict(bad); }), "M212");
  const auto two = std::make_shared<const KernelPca>(KernelPca::fit(x, {.components = 2}));
  EXPECT_EQ(code_of([&] { stand_on(*model, two); }), "M703");
  State state = model->state();
  state.values["on"]["method"] = "nearest_mean";
  EXPECT_EQ(code_of([&] { model_from(std::move(state)); }), "M703");
}

TEST_F(OnScores, HasNoWayBackToTheTable) {
  const auto below = inner();
  const Block scores = need<Transforms>(*below).transform(x);
  Training training(scores);
  const Points y = x.col(0);
  training.targets = {DataView(y), {"first"}};
  Pcr model = Pcr::fit(training, {.components = 2});
  stand_on(model, below);
  EXPECT_EQ(model.transform(fresh).rows(), 700);
  EXPECT_EQ(code_of([&] { need<Inverts>(model).inverse(model.transform(x)); }), "M715");
}

}  // namespace on_scores_test
}  // namespace mercer
