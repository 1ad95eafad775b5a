// Scores and rows that come block by block: the same bytes as all at once, whatever the memory; row
// numbers of the table, not of the block; and rows that a model shares instead of copying them.
#include "mercer/data/sparse.h"
#include "mercer/models/kind.h"
#include "mercer/models/kind/kernel_pca.h"
#include "mercer/models/kind/pca.h"
#include "tests/support/errors.h"
#include "tests/support/fitted.h"
#include "tests/support/random_points.h"

#include <gtest/gtest.h>

#include <limits>

namespace mercer {
namespace blocks_test {

constexpr Index kFresh = 1800;  // new rows, several blocks of them

Context with_memory(std::uint64_t bytes) {
  Context context;
  context.budget.memory = bytes;
  context.account = MemoryAccount(bytes);
  return context;
}

struct Case {
  std::string name, method;
  Value::Object options;
  bool whole = false;
};

std::vector<Case> cases() {
  return {{"gaussian", "kernel_pca", {{"components", 3}}},
          {"gaussian_of_whole_numbers", "kernel_pca", {{"components", 3}}, true},
          {"linear", "kernel_pca", {{"kernel", "linear"}, {"components", 3}}},
          {"sums", "kernel_pca", {{"kernel", "laplacian"}, {"components", 3}}},
          {"mixed", "kernel_pca", {{"kernel", "gaussian:sigma=3+0.5*cosine"}, {"components", 3}}},
          {"thin_plate", "kernel_pca", {{"kernel", "thin_plate_spline"}, {"components", 3}}},
          {"polynomial", "kernel_pca", {{"kernel", "polynomial:degree=2"}, {"components", 3}}},
          {"standard", "kernel_pca", {{"components", 3}, {"scale", "standard"}}},
          {"range_of_whole_numbers", "kernel_pca", {{"components", 3}, {"scale", "range"}}, true},
          {"whiten", "kernel_pca", {{"components", 3}, {"scale", "whiten"}}},
          {"pca", "pca", {{"components", 3}}},
          {"pca_whitened", "pca", {{"components", 3}, {"whiten", "pca"}}},
          {"pca_zca", "pca", {{"components", 3}, {"whiten", "zca"}}},
          {"pca_scaled", "pca", {{"components", 3}, {"scale", "whiten"}}}};
}

class Blocks : public testing::TestWithParam<Case> {
 protected:
  Points rows(Index n, std::uint64_t seed) const {
    Points x = test::random_points({.n = n, .dim = 12, .seed = seed});
    if (GetParam().whole) x = (x * 10).array().round();
    return x;
  }
  std::unique_ptr<Model> fitted() const {
    return fit_model(GetParam().method, rows(700, 1), Value(GetParam().options), {});
  }
};
INSTANTIATE_TEST_SUITE_P(Models, Blocks, testing::ValuesIn(cases()),
                         [](const auto& one) { return one.param.name; });

TEST_P(Blocks, GiveTheSameScoresWhateverTheMemory) {
  const std::unique_ptr<Model> any = fitted();
  const auto* model = &need<Transforms>(*any);
  Points fresh = rows(kFresh, 2);
  for (const bool broken : {false, true}) {
    // One number that is not whole, at the end: blocks before it must not be taken for whole ones.
    if (broken) fresh(kFresh - 1, 0) += 0.25;
    const Block expected = model->transform(fresh, {});
    const std::uint64_t least = GetParam().method == "pca" ? 200'000 : 400'000;
    for (const std::uint64_t bytes : {least, 5 * least, 500 * least}) {
      Index count = 0, blocks = 0;
      Points scores(kFresh, expected.cols());
      model->transform_blocks(fresh, with_memory(bytes), [&](DataView block) {
        scores.middleRows(count, block.n()) = block.to_points();
        count += block.n();
        ++blocks;
      });
      EXPECT_EQ(count, kFresh);
      // Maps of features take many rows at once.
      EXPECT_TRUE(blocks > 1 || bytes > least || GetParam().name == "polynomial") << blocks;
      EXPECT_TRUE(Block(scores) == expected) << bytes;
    }
  }
}

TEST_P(Blocks, GiveTheSameRowsBackWhateverTheMemory) {
  const std::unique_ptr<Model> any = fitted();
  if (GetParam().method != "pca") {
    EXPECT_EQ(test::code_of([&] { need<Inverts>(*any); }), "M714");
    return;
  }
  const auto* model = &need<Inverts>(*any);
  const Block scores = need<Transforms>(*any).transform(rows(kFresh, 2), {});
  const Points expected = model->inverse(scores, {});
  for (const std::uint64_t bytes : {400'000, 2'000'000, 100'000'000}) {
    Index count = 0;
    Points back(kFresh, 12);
    model->inverse_blocks(scores, with_memory(bytes), [&](DataView block) {
      back.middleRows(count, block.n()) = block.to_points();
      count += block.n();
    });
    EXPECT_EQ(count, kFresh);
    EXPECT_TRUE(back == expected) << bytes;
  }
}

TEST_P(Blocks, AreRefusedWhereNotEvenASmallOneFits) {
  const std::unique_ptr<Model> any = fitted();
  const auto* model = &need<Transforms>(*any);
  const Points fresh = rows(kFresh, 2);
  EXPECT_EQ(test::code_of([&] { model->transform(fresh, with_memory(10'000)); }), "M301");
  const Block none = model->transform(fresh.topRows(0), {});
  EXPECT_EQ(none.rows(), 0);
  EXPECT_EQ(none.cols(), model->score_columns());
}

std::string message_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const Error& error) {
    return code_text(error.code()) + " " + error.message() + " " + error.place();
  }
  return "no error";
}

TEST(RowNumbers, AreThoseOfTheTable) {
  const Context tight = with_memory(700'000);
  Points x = test::random_points({.n = 300, .dim = 12, .seed = 1}).cwiseAbs();
  Points fresh = test::random_points({.n = kFresh, .dim = 12, .seed = 2}).cwiseAbs();
  const auto chi =
      test::fitted<KernelPca>(x, {.kernel = "chi_squared_similarity", .components = 2}, {});
  fresh(1500, 3) = -1;
  EXPECT_NE(message_of([&] { chi->transform(fresh, tight); }).find("row 1501, column 4"),
            std::string::npos);
  // All columns rise together: the first axis adds them up, and a row of huge ones overflows.
  const double huge = 0.9 * std::numeric_limits<double>::max();
  const Vector common = test::random_points({.n = 300, .dim = 1, .seed = 3});
  x = 0.01 * (x.colwise() + 5 * common);  // small deviations, by which scaling divides
  for (const char* scale : {"none", "standard"}) {
    const auto pca = test::fitted<Pca>(x, {.components = 2, .scale = scale}, {});
    Points far = fresh;
    far.row(1500).setConstant(huge);
    const std::string message = message_of([&] { pca->transform(far, tight); });
    EXPECT_EQ(message.substr(0, 14), "M213 row 1501:") << scale << ": " << message;
    Block scores = Block::Zero(kFresh, 2);
    scores(1700, 1) = std::numeric_limits<double>::infinity();
    const std::string back = message_of([&] { pca->inverse(scores, tight); });
    EXPECT_NE(back.find("row 1701"), std::string::npos) << back;
  }
}

TEST(SharedRows, AreThoseOfTheDataSet) {
  const Points x = test::random_points({.n = 50, .dim = 4, .seed = 1});
  const Dataset data{Points(x)};
  const auto points_of = [](const Model& model) {
    return model.viewed_state().array("points").view.data;
  };
  const KernelPcaOptions options{.kernel = "gaussian:sigma=1", .components = 2};
  const auto shares = test::fitted<KernelPca>(data, options, {});
  EXPECT_EQ(points_of(*shares), data.view().data());
  const auto copies = test::fitted<KernelPca>(data.view(), options, {});
  EXPECT_NE(points_of(*copies), data.view().data());
  EXPECT_TRUE(shares->transform(x, {}) == copies->transform(x, {}));
}

TEST(SharedRows, OfASparseDataSetStayWithTheModel) {
  std::unique_ptr<KernelPca> model;
  const Points x = test::random_points({.n = 30, .dim = 3, .seed = 1});
  {
    SparseRows rows;
    for (Index i = 0; i < x.rows(); ++i) {
      for (Index j = 0; j < 3; ++j) {
        rows.columns.push_back(static_cast<std::int32_t>(j));
        rows.values.push_back(x(i, j));
      }
      rows.starts.push_back(3 * (i + 1));
    }
    const Dataset data(std::move(rows), 3);
    model = test::fitted<KernelPca>(data, {.kernel = "gaussian:sigma=1", .components = 2}, {});
  }
  const auto dense =
      test::fitted<KernelPca>(x, {.kernel = "gaussian:sigma=1", .components = 2}, {});
  EXPECT_LE((model->transform(x, {}) - dense->transform(x, {})).cwiseAbs().maxCoeff(), 1e-12);
}

TEST(ScaledRows, CountWhileTheFitLives) {
  const Points x = test::random_points({.n = 1000, .dim = 100, .seed = 1});
  const Dataset data{Points(x)};
  const Context context = with_memory(std::uint64_t{1} << 30);
  const auto model = test::fitted<KernelPca>(data, {.components = 2, .scale = "standard"}, context);
  EXPECT_GE(context.account->held(), 800'000u);  // the model keeps the scaled rows
  const auto refused = [&](std::uint64_t bytes) {
    return test::code_of(
        [&] { KernelPca::plan(data, {.components = 2, .scale = "standard"}, with_memory(bytes)); });
  };
  EXPECT_EQ(refused(700'000), "M301");
}

}  // namespace blocks_test
}  // namespace mercer
