// Kernel PCA on basic patterns: the choice of patterns against its definition written out, the
// rebuilt model against kernel PCA where nothing is left out and against the generalised
// eigenproblem where something is.
#include "mercer/models/kind/ekpca.h"

#include "mercer/io/model_file.h"
#include "mercer/models/kind/kernel_pca.h"
#include "tests/support/dense.h"
#include "tests/support/errors.h"
#include "tests/support/random_points.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace mercer {
namespace ekpca_test {

using test::code_of;
using test::kUnit;
using test::max_abs;
using test::random_points;

const Value& figure(const Model& model, std::string_view name) {
  for (const Figure& one : model.report.figures)
    if (one.name == name) return one.value;
  static const Value none;
  ADD_FAILURE() << name;
  return none;
}

std::vector<Index> pattern_rows(const Model& model) {
  std::vector<Index> rows;
  for (const Value& number : figure(model, "pattern_rows").as_list())
    rows.push_back(static_cast<Index>(number.as_number()) - 1);
  return rows;
}

// The rule as it is stated, on columns of the whole matrix.
std::vector<Index> by_definition(Block k, bool centred, double threshold, Index count) {
  const Index n = k.rows();
  if (centred) k.rowwise() -= k.colwise().mean().eval();
  const Vector lengths = k.colwise().norm();
  std::vector<Index> taken(1);
  lengths.maxCoeff(&taken[0]);
  while (static_cast<Index>(taken.size()) < count) {
    Index best = -1;
    double least = 2;
    for (Index i = 0; i < n; ++i) {
      double most = 0;
      for (const Index s : taken)
        most = std::max(most, std::abs(k.col(i).dot(k.col(s))) / (lengths[i] * lengths[s]));
      if (most < least) best = i, least = most;
    }
    if (least >= threshold) break;
    taken.push_back(best);
  }
  return taken;
}

TEST(Ekpca, TakesTheRowsWhoseColumnsAreLeastAlike) {
  const Points x = random_points({.n = 60, .dim = 2, .seed = 1});
  for (const char* kernel : {"gaussian:sigma=0.7", "polynomial:degree=3,scale=1,offset=1"})
    for (const PatternRule rule : {PatternRule::correlation, PatternRule::cosine}) {
      const Block k = test::dense_kernel(Kernel(kernel), x);
      const bool centred = rule == PatternRule::correlation;
      const Ekpca counted = Ekpca::fit(x, {.kernel = kernel, .patterns = 12, .select = rule});
      EXPECT_EQ(pattern_rows(counted), by_definition(k, centred, 2, 12)) << kernel;
      const Ekpca limited = Ekpca::fit(x, {.kernel = kernel, .threshold = 0.8, .select = rule});
      EXPECT_EQ(pattern_rows(limited), by_definition(k, centred, 0.8, 60)) << kernel;
      EXPECT_GE(figure(limited, "likeness_left").as_number(), 0.8);
      EXPECT_LT(figure(limited, "pattern_likeness").as_list().back().as_number(), 0.8);
    }
}

TEST(Ekpca, OnAllRowsIsKernelPca) {
  const Points x = random_points({.n = 50, .dim = 3, .seed = 2}), fresh = random_points({20, 3, 3});
  for (const char* kernel :
       {"gaussian:sigma=1", "laplacian:gamma=0.4", "polynomial:degree=2,scale=1,offset=1",
        "power_distance", "linear", "gaussian:gamma=1e-9"}) {
    const KernelPca whole = KernelPca::fit(x, {.kernel = kernel, .components = 3});
    const Ekpca few = Ekpca::fit(x, {.kernel = kernel, .components = 3, .patterns = 50});
    const Vector& mu = whole.report.spectrum->eigenvalues;
    // What the smallest axes that count as such (30 roundings of an entry) add.
    EXPECT_LE(max_abs(few.eigenvalues() - mu), 1e-11 * mu[0]) << kernel;
    EXPECT_LE(test::difference_up_to_sign(few.transform(fresh), whole.transform(fresh)),
              1e-8 * std::sqrt(mu[0] / 50))
        << kernel;
    EXPECT_NEAR(figure(few, "variance_held").as_number(), 1, 1e-10);
  }
}

// Maximise b'K_SN J K_NS b over b'K_SS b = 1, 1'b = 0: by Cholesky of the patterns' own matrix.
TEST(Ekpca, SolvesTheGeneralisedEigenproblemOfItsPatterns) {
  const Points x = random_points({.n = 80, .dim = 3, .seed = 4});
  const Kernel kernel("gaussian:sigma=1.5");
  const Ekpca model = Ekpca::fit(x, {.kernel = kernel, .components = 4, .patterns = 15});
  const std::vector<Index> rows = pattern_rows(model);
  const Index l = 15;
  Points chosen(l, 3);
  for (Index s = 0; s < l; ++s) chosen.row(s) = x.row(rows[static_cast<std::size_t>(s)]);
  const Block across = test::dense_kernel(kernel, x, chosen);
  Block centred = across;
  centred.rowwise() -= across.colwise().mean().eval();
  // Differences to the first pattern: a basis of what adds up to 0.
  Block basis = Block::Zero(l, l - 1);
  basis.topRows(1).setConstant(-1);
  basis.bottomRows(l - 1).setIdentity();
  const Block left = basis.transpose() * centred.transpose() * centred * basis;
  const Block right = basis.transpose() * test::dense_kernel(kernel, chosen) * basis;
  const Vector solved = test::generalised_eigen(left, right).values;
  for (Index j = 0; j < 4; ++j)
    EXPECT_NEAR(model.eigenvalues()[j], solved[j], 1e-10 * model.eigenvalues()[0]);
  const Block scores = model.transform(x);
  EXPECT_LE(scores.colwise().mean().cwiseAbs().maxCoeff(), 1e-12);
  const Block products = scores.transpose() * scores;
  EXPECT_LE(max_abs(products - Block(model.eigenvalues().asDiagonal())),
            1e-10 * model.eigenvalues()[0]);
  EXPECT_EQ(model.expansion().points().n(), 15);
}

TEST(Ekpca, OtherRulesDrawPatternsFromTheSeed) {
  const Points x = random_points({.n = 200, .dim = 3, .seed = 15});
  for (const PatternRule rule : {PatternRule::cholesky, PatternRule::random}) {
    const auto fit = [&](Index seed) {
      return Ekpca::fit(
          x, {.kernel = "gaussian:sigma=1", .patterns = 25, .select = rule, .seed = seed});
    };
    std::vector<Index> rows = pattern_rows(fit(1));
    EXPECT_EQ(rows, pattern_rows(fit(1)));
    EXPECT_NE(rows, pattern_rows(fit(2)));
    std::ranges::sort(rows);
    EXPECT_EQ(std::ranges::unique(rows).begin(), rows.end());
    EXPECT_EQ(rows.size(), 25U);
  }
}

TEST(Ekpca, NeverExplainsMoreThanKernelPca) {
  const Points x = random_points({.n = 100, .dim = 4, .seed = 5});
  const Vector whole = KernelPca::fit(x, {.kernel = "gaussian:sigma=1.5", .components = 5})
                           .report.spectrum->eigenvalues;
  Vector before = Vector::Zero(5);
  for (const Index patterns : {8, 16, 32, 64, 100}) {
    const Vector mu =
        Ekpca::fit(x, {.kernel = "gaussian:sigma=1.5", .components = 5, .patterns = patterns})
            .eigenvalues();
    // Patterns of a smaller model are the first of a larger one: its axes contain the others.
    for (Index j = 0; j < 5; ++j) {
      EXPECT_LE(mu[j], whole[j] * (1 + 1e-12));
      EXPECT_GE(mu[j], before[j] * (1 - 1e-12));
    }
    before = mu;
  }
}

TEST(Ekpca, ColumnsSeenAtASampleComeFromTheSeed) {
  const Points x = random_points({.n = 300, .dim = 3, .seed = 6});
  const auto rows = [&](Index seen, Index seed) {
    return pattern_rows(Ekpca::fit(
        x, {.kernel = "gaussian:sigma=1", .patterns = 20, .column_rows = seen, .seed = seed}));
  };
  EXPECT_EQ(rows(50, 1), rows(50, 1));
  EXPECT_NE(rows(50, 1), rows(50, 2));
  EXPECT_EQ(rows(300, 1), rows(1000, 2));
}

TEST(Ekpca, CopiesOfARowAreNoPatternsOfTheirOwn) {
  const Points x = random_points({.n = 10, .dim = 2, .seed = 7});
  const Points copies = x.replicate(5, 1);
  const Ekpca model = Ekpca::fit(copies, {.kernel = "gaussian:sigma=0.5", .threshold = 0.999999});
  EXPECT_EQ(pattern_rows(model).size(), 10U);
  const Ekpca forced = Ekpca::fit(copies, {.kernel = "gaussian:sigma=0.5", .patterns = 30});
  EXPECT_LE(max_abs(forced.eigenvalues() - model.eigenvalues()), 1e-9 * model.eigenvalues()[0]);
}

TEST(Ekpca, NamesWhatItKept) {
  Dataset data{random_points({.n = 30, .dim = 2, .seed = 8})};
  for (Index i = 0; i < 30; ++i) data.ids.push_back("row" + std::to_string(i));
  const Ekpca model = Ekpca::fit(data, {.kernel = "gaussian:sigma=1", .patterns = 5});
  const std::vector<Index> rows = pattern_rows(model);
  const Value::List& names = figure(model, "pattern_ids").as_list();
  ASSERT_EQ(names.size(), 5U);
  for (std::size_t i = 0; i < 5; ++i)
    EXPECT_EQ(names[i].as_text(), "row" + std::to_string(rows[i]));
  const auto loaded = model_from(decode_model(encode_model(model.state())));
  EXPECT_EQ(encode_model(loaded->state()), encode_model(model.state()));
}

TEST(Ekpca, OffsetsAndUnitsOfTheRowsDoNotMatter) {
  const Points x = test::coarse_points({.n = 60, .dim = 3, .seed = 9});
  const EkpcaOptions options{.components = 3, .patterns = 20};
  const Block here = Ekpca::fit(x, options).transform(x);
  const Points far = x.array() + 1e8;
  EXPECT_LE(max_abs(Ekpca::fit(far, options).transform(far) - here), 1e-9);
  for (const double scale : {0x1p-330, 0x1p330}) {
    const Points other = x * scale;
    EXPECT_LE(max_abs(Ekpca::fit(other, options).transform(other) - here), 1e-12) << scale;
  }
}

TEST(Ekpca, WideNarrowConstantAndRepeatedColumnsMakeNoDifficulty) {
  const auto fits = [](const Points& x, Index patterns) {
    const Ekpca model = Ekpca::fit(x, {.kernel = "gaussian:sigma=2", .patterns = patterns});
    const Block scores = model.transform(x);
    EXPECT_TRUE(scores.allFinite());
    EXPECT_LE(max_abs(scores.transpose() * scores - Block(model.eigenvalues().asDiagonal())),
              1e-9 * model.eigenvalues()[0])
        << x.rows() << " x " << x.cols();
  };
  fits(random_points({.n = 8, .dim = 50, .seed = 21}), 5);
  fits(random_points({.n = 50, .dim = 1, .seed = 22}), 9);
  Points x = random_points({.n = 30, .dim = 4, .seed = 23});
  x.col(1).setConstant(7);
  x.col(3) = x.col(0);
  fits(x, 10);
  fits(x.replicate(4, 1), 10);
  fits(random_points({.n = 3, .dim = 2, .seed = 24}), 3);
}

TEST(Ekpca, StopsWhenAskedAndKeepsToItsMemory) {
  const Points x = random_points({.n = 2000, .dim = 3, .seed = 25});
  Context context;
  context.observer.cancelled = [] { return true; };
  EXPECT_EQ(code_of([&] { Ekpca::fit(x, {.patterns = 10}, context); }), "M001");
  Context small;
  small.budget.memory = 1'000'000;
  EXPECT_EQ(code_of([&] { Ekpca::fit(x, {.patterns = 10}, small); }), "M301");
}

TEST(Ekpca, DirectionsThatRoundingMadeAreNoComponents) {
  const Points x = random_points({.n = 40, .dim = 3, .seed = 10});
  const Ekpca all =
      Ekpca::fit(x, {.kernel = "linear", .components = Components::all(), .patterns = 20});
  EXPECT_EQ(all.score_columns(), 3);
  EXPECT_EQ(code_of([&] { Ekpca::fit(x, {.kernel = "linear", .components = 4, .patterns = 20}); }),
            "M233");
}

TEST(Ekpca, AShareIsOfWhatThePatternsHold) {
  const Points x = random_points({.n = 60, .dim = 3, .seed = 11});
  const Ekpca model = Ekpca::fit(x, {.components = Components::share(0.9), .patterns = 20});
  const Value::List& shares = figure(model, "share").as_list();
  double sum = 0;
  for (const Value& share : shares) sum += share.as_number();
  EXPECT_GE(sum, 0.9);
  EXPECT_LT(sum - shares.back().as_number(), 0.9);
}

TEST(Ekpca, AnIndefiniteKernelLosesItsNegativePartAndSaysSo) {
  const Points x = random_points({.n = 40, .dim = 3, .seed = 12});
  const Ekpca model = Ekpca::fit(x, {.kernel = "sigmoid:scale=2,offset=-1", .patterns = 20});
  EXPECT_TRUE(test::has_warning(model.report.warnings, WarningCode::negative_eigenvalues));
  EXPECT_TRUE(model.transform(x).allFinite());
}

TEST(Ekpca, RefusesWhatMakesNoModel) {
  const Points x = random_points({.n = 20, .dim = 2, .seed = 13});
  const auto code = [&](const EkpcaOptions& options) {
    return code_of([&] { Ekpca::fit(x, options); });
  };
  EXPECT_EQ(code({.patterns = 21}), "M102");
  EXPECT_EQ(code({.patterns = 1}), "M102");
  EXPECT_EQ(code({.select = PatternRule::cholesky}), "M102");
  EXPECT_EQ(code({.select = PatternRule::random}), "M102");
  EXPECT_EQ(code({.threshold = 0}), "M102");
  EXPECT_EQ(code({.threshold = 1.5}), "M102");
  EXPECT_EQ(code({.threshold = 0.5, .patterns = 5}), "M102");
  EXPECT_EQ(code({.kernel = "thin_plate_spline"}), "M102");
  EXPECT_EQ(code({.components = 5, .patterns = 5}), "M233");
  EXPECT_EQ(code({.components = 20}), "M233");
  EXPECT_EQ(
      code({.kernel = "gaussian:sigma=1e6", .threshold = 0.01, .select = PatternRule::cosine}),
      "M244");
}

TEST(Ekpca, StoredModelsThatDoNotFitTogetherAreRefused) {
  const Points x = random_points({.n = 30, .dim = 2, .seed = 14});
  const State good = Ekpca::fit(x, {.kernel = "gaussian:sigma=1", .patterns = 6}).state();
  EXPECT_EQ(code_of([&] { model_from(good); }), "no error");
  const auto spoilt = [&](const auto& change) {
    State state = good;
    change(state);
    return code_of([&] { model_from(std::move(state)); });
  };
  EXPECT_EQ(spoilt([](State& s) { s.values["patterns"] = 5; }), "M703");
  EXPECT_EQ(spoilt([](State& s) { s.values["patterns"] = 31; }), "M703");
  EXPECT_EQ(spoilt([](State& s) { s.values["as"] = "kernel"; }), "M703");
  EXPECT_EQ(spoilt([](State& s) { s.values["figures"]["share"] = true; }), "M703");
  for (const char* name : {"bias", "coefficients", "points", "eigenvalues"})
    EXPECT_EQ(spoilt([&](State& s) { s.array(name).name = "another"; }), "M703") << name;
}

}  // namespace ekpca_test
}  // namespace mercer
