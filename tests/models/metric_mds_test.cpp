// Scaling by stress: the stress never rises, embeddable data reach none, the fixed point is one,
// scikit-learn's best of the same 20 starts is reached, weights and missing distances, and what is
// refused.
#include "mercer/models/kind/metric_mds.h"

#include "mercer/core/random.h"
#include "mercer/core/text.h"
#include "mercer/models/detail/stress/smacof.h"
#include "mercer/models/kind/mds.h"
#include "tests/models/mds_cases.h"
#include "tests/support/dense.h"
#include "tests/support/errors.h"
#include "tests/support/fitted.h"
#include "tests/support/random_points.h"

#include <gtest/gtest.h>

#include <cmath>

namespace mercer {
namespace metric_mds_test {

using namespace mds_cases;
using test::code_of;
using test::has_warning;
using test::kUnit;

const double kNaN = std::nan("");

// The definition: pairs i < j, those that are missing left out.
double stress_of(const Points& wanted, const Points& weights, const Block& z) {
  double sum = 0;
  for (Index i = 0; i < z.rows(); ++i)
    for (Index j = 0; j < i; ++j)
      if (weights(i, j) > 0)
        sum += weights(i, j) * std::pow(wanted(i, j) - (z.row(i) - z.row(j)).norm(), 2);
  return sum;
}

double stress_of(const Points& wanted, const Block& z) {
  return stress_of(wanted, Points::Ones(wanted.rows(), wanted.cols()), z);
}

// Weights between 0.1 and 1.1, some of them 0.
Points some_weights(Index n, std::uint64_t seed) {
  Points w = Points::Zero(n, n);
  const Random random(seed, 3);
  for (Index i = 0; i < n; ++i)
    for (Index j = 0; j < i; ++j) {
      const double draw = random.uniform(static_cast<std::uint64_t>(i * n + j));
      w(i, j) = w(j, i) = draw < 0.1 && j > 0 ? 0 : draw + 0.1;
    }
  return w;
}

struct Search {
  Search(const Points& rows, Given given, const detail::PairWeights& weights = {})
      : pairs(rows, given, weights, {}), stress(pairs, {}) {}
  detail::SmacofResult from(const Block& start, detail::SmacofLimits limits = {}) const {
    return detail::smacof(pairs, stress, start, limits, {});
  }
  detail::PairTable pairs;
  detail::Stress stress;
};

TEST(MetricMds, StressNeverRises) {
  const Points d = read_reference("eurodist");
  const Points starts = read_reference("starts_eurodist");
  const Points w = some_weights(21, 1);
  Points gaps = d;
  gaps(3, 8) = gaps(8, 3) = gaps(0, 20) = gaps(20, 0) = kNaN;
  const std::vector<Search*> searches = {
      new Search(d, Given::distance), new Search(d, Given::distance, {-1, {}}),
      new Search(d, Given::distance, {0, w}), new Search(gaps, Given::distance, {2, w})};
  for (const Search* search : searches) {
    for (Index s = 0; s < 8; ++s) {
      const detail::SmacofResult found = search->from(starts.middleCols(2 * s, 2));
      EXPECT_TRUE(found.converged) << s;
      ASSERT_EQ(static_cast<Index>(found.history.size()), found.iterations + 1);
      for (std::size_t i = 1; i < found.history.size(); ++i)
        EXPECT_LT(found.history[i], found.history[i - 1]) << s << ' ' << i;
      EXPECT_EQ(found.history.back(), found.stress);
    }
    delete search;
  }
}

TEST(MetricMds, OneStepIsTheFormulaOfTheTextbook) {
  const Index n = 300;  // more than one tile, the last of them odd
  const Points x = test::random_points({.n = n, .dim = 5, .seed = 2});
  const Points d = distances(x, x);
  const Block z = test::random_points({.n = n, .dim = 3, .seed = 3});
  const Points w = some_weights(n, 2);
  for (const bool weighted : {false, true}) {
    const Search search(d, Given::distance, {0, weighted ? DataView(w) : DataView()});
    const double scale = search.pairs.scale();
    Block b = Block::Zero(n, n), v = b;
    for (Index i = 0; i < n; ++i)
      for (Index j = 0; j < n; ++j)
        if (i != j) {
          const double weight = weighted ? w(i, j) : 1;
          b(i, j) = -weight * scale * d(i, j) / (z.row(i) - z.row(j)).norm();
          v(i, j) = -weight;
          b(i, i) -= b(i, j);
          v(i, i) += weight;
        }
    const detail::StressPoint point = search.stress.at(z, {});
    const Block pulled = b * z;
    EXPECT_LE(test::max_abs(point.pulled - pulled), 1e-12 * test::max_abs(pulled));
    const Points ones = weighted ? w : Points(Points::Ones(n, n));
    const double stress = stress_of(scale * d, ones, z);
    EXPECT_NEAR(point.stress, stress, 1e-12 * stress);
    const Block next = search.stress.majorised(point);
    EXPECT_LE(test::max_abs(v * next - pulled), 1e-11 * test::max_abs(pulled));
    EXPECT_LE(test::max_abs(next.colwise().sum()), 1e-10);
    Block centred = z;
    centred.rowwise() -= centred.colwise().mean().eval();
    const Block step = centred - next;
    const double promised = (step.transpose() * v * step).trace();
    EXPECT_NEAR(search.stress.guaranteed(centred, point, next), promised, 1e-10 * promised);
    EXPECT_LE(stress_of(scale * d, ones, next), stress - promised * (1 - 1e-9));
  }
}

TEST(MetricMds, RowsOfATableNeedNoMoreComponentsThanItHasColumns) {
  const Points x = test::random_points({.n = 20, .dim = 2, .seed = 31});
  const MetricMds model = MetricMds::fit(x, {.components = 5});
  EXPECT_EQ(model.configuration().cols(), 2);
  ASSERT_EQ(model.report.warnings.size(), 1U);
  EXPECT_EQ(model.report.warnings[0].code, WarningCode::rank_lower);
  EXPECT_EQ(model.report.warnings[0].message,
            "2 of 5 components: the distances between rows of 2 columns need no more");
  EXPECT_TRUE(MetricMds::fit(x, {.components = 2}).report.warnings.empty());
  EXPECT_TRUE(MetricMds::fit(x.col(0)).report.warnings.empty());  // nobody asked for two
}

TEST(MetricMds, TheAnswerIsAFixedPoint) {
  const Points d = read_reference("eurodist");
  const MetricMds model = MetricMds::fit(
      d, {.components = 2, .as = "distance", .tolerance = 1e-14, .iterations = 5000});
  EXPECT_TRUE(model.report.converged);
  const Search search(d, Given::distance);
  const Block z = model.configuration() * search.pairs.scale();
  const Block next = search.stress.majorised(search.stress.at(z, {}));
  // n |Z - Z+|^2 <= 1e-14 stress, which is about 0.01 n |Z|^2 here.
  EXPECT_LE((z - next).norm(), 1e-7 * z.norm());
  EXPECT_LE(test::max_abs(z.colwise().mean()), 1e-14 * test::max_abs(z));
  EXPECT_NEAR(figure(model.report, "stress"), stress_of(d, model.configuration()),
              1e-11 * figure(model.report, "stress"));
  double squares = 0;
  for (Index i = 0; i < 21; ++i)
    for (Index j = 0; j < i; ++j) squares += (z.row(i) - z.row(j)).squaredNorm();
  squares /= search.pairs.scale() * search.pairs.scale();
  EXPECT_NEAR(figure(model.report, "stress_1"), std::sqrt(figure(model.report, "stress") / squares),
              1e-12);
}

TEST(MetricMds, EmbeddableDistancesReachNoStress) {
  for (const double size : {1.0, 1e100, 1e-100}) {
    const Points x = size * test::random_points({.n = 30, .dim = 3, .seed = 4});
    const Points d = distances(x, x);
    for (const Index k : {3, 4}) {
      const MetricMds given = MetricMds::fit(d, {.components = k, .as = "distance"});
      const MetricMds table = MetricMds::fit(x, {.components = k});
      for (const MetricMds* model : {&given, &table}) {
        EXPECT_TRUE(model->report.converged);
        const Points z = model->configuration();
        EXPECT_EQ(z.cols(), model == &table ? 3 : k);  // which is all that rows of 3 columns need
        EXPECT_LE(test::max_abs(distances(z, z) - d), 1e-11 * size);
        EXPECT_LE(figure(model->report, "stress"), 1e-24 * size * size);
      }
    }
  }
}

TEST(MetricMds, ReachesTheStressOfScikitLearnFromTheSameStarts) {
  for (const char* name : {"eurodist", "swiss"}) {
    const bool given = std::string_view(name) == "eurodist";
    const Points data = read_reference(name);
    const Points starts = read_reference(std::string("starts_") + name);
    const Vector theirs = read_reference(std::string("smacof_") + name).col(0);
    const Search search(data, given ? Given::distance : Given::table);
    Vector ours(20);
    for (Index s = 0; s < 20; ++s)
      ours[s] = search.from(starts.middleCols(2 * s, 2), {1e-12, 5000}).stress /
                std::pow(search.pairs.scale(), 2);
    EXPECT_LE(ours.minCoeff(), theirs.minCoeff() * (1 + 1e-6)) << name;
    // From most starts it ends no higher either: combined steps may lead to another minimum.
    Index no_worse = 0;
    for (Index s = 0; s < 20; ++s) no_worse += ours[s] <= theirs[s] * (1 + 1e-6) ? 1 : 0;
    EXPECT_GE(no_worse, 15) << name << '\n' << ours.transpose() << '\n' << theirs.transpose();
    // The method itself, by its own starts.
    const MetricMds model = MetricMds::fit(
        data, {.components = 2, .as = given ? Given::distance : Given::table, .restarts = 20});
    EXPECT_LE(figure(model.report, "stress"), theirs.minCoeff() * (1 + 1e-6)) << name;
  }
}

TEST(MetricMds, MissingDistancesAreFoundWhereTheOthersTellThem) {
  const Points x = test::random_points({.n = 25, .dim = 2, .seed = 5});
  const Points d = distances(x, x);
  Points gaps = d;
  const Random random(9);
  Index missing = 0;
  for (Index i = 0; i < 25; ++i)
    for (Index j = 0; j < i; ++j)
      if (random.uniform(static_cast<std::uint64_t>(i * 25 + j)) < 0.15) {
        gaps(i, j) = gaps(j, i) = kNaN;
        ++missing;
      }
  const MetricMds model = MetricMds::fit(
      gaps, {.components = 2, .as = "distance", .tolerance = 1e-12, .iterations = 5000});
  EXPECT_EQ(figure(model.report, "missing_distances"), static_cast<double>(missing));
  const Points z = model.configuration();
  EXPECT_LE(test::max_abs(distances(z, z) - d), 1e-4);
  // One half of a pair is enough.
  Points half = d;
  half(4, 2) = kNaN;
  const MetricMds whole = MetricMds::fit(d, {.as = "distance"}),
                  same = MetricMds::fit(half, {.as = "distance"});
  EXPECT_LE(test::max_abs(whole.configuration() - same.configuration()), 1e-6);
  EXPECT_EQ(code_of([&] { Mds::fit(gaps, {.as = "distance"}); }), "M212");
}

TEST(MetricMds, WeightsChangeWhichDistancesCount) {
  const Points d = read_reference("eurodist");
  const MetricMds plain = MetricMds::fit(d, {.as = "distance"}),
                  sammon = MetricMds::fit(d, {.as = "distance", .weight_power = -1});
  Points inverse = d.cwiseInverse();
  inverse.diagonal().setZero();
  EXPECT_NEAR(figure(sammon.report, "stress"), stress_of(d, inverse, sammon.configuration()),
              1e-10 * figure(sammon.report, "stress"));
  EXPECT_LT(figure(sammon.report, "stress"), stress_of(d, inverse, plain.configuration()));
  // The same weights as a matrix.
  Training training(d);
  training.weights = inverse;
  const MetricMds given = MetricMds::fit(training, {.as = "distance"});
  EXPECT_NEAR(figure(given.report, "stress"), figure(sammon.report, "stress"),
              1e-9 * figure(sammon.report, "stress"));
  // A weight of 0 is a missing distance.
  Points ones = Points::Ones(21, 21), gaps = d;
  ones(3, 8) = ones(8, 3) = 0;
  gaps(3, 8) = gaps(8, 3) = kNaN;
  training.weights = ones;
  const MetricMds zero = MetricMds::fit(training, {.as = "distance", .tolerance = 1e-12}),
                  missing = MetricMds::fit(gaps, {.as = "distance", .tolerance = 1e-12});
  EXPECT_NEAR(figure(zero.report, "stress"), figure(missing.report, "stress"),
              1e-8 * figure(missing.report, "stress"));
}

TEST(MetricMds, ManyRowsGiveTheSameWhetherDistancesAreKeptOrNot) {
  const Points x = test::random_points({.n = 700, .dim = 6, .seed = 10});
  Context tight;
  tight.budget.memory = 4 << 20;  // the pairs would take 2.7 MB of which half is allowed
  const MetricMdsOptions options{.components = 2, .iterations = 20};
  const MetricMds kept = MetricMds::fit(x, options), anew = MetricMds::fit(x, options, tight);
  EXPECT_TRUE(kept.configuration() == anew.configuration());
  EXPECT_FALSE(kept.report.converged);
  EXPECT_TRUE(has_warning(kept.report.warnings, WarningCode::tolerance_not_reached));
}

TEST(MetricMds, EndsWithTheBestWhenTheTimeIsOver) {
  const Points x = test::random_points({.n = 60, .dim = 6, .seed = 11});
  Context context;
  int asked = 0;
  context.observer.out_of_time = [&] { return ++asked > 400; };
  const MetricMds model =
      MetricMds::fit(x, {.components = 2, .restarts = 50, .tolerance = 1e-14}, context);
  EXPECT_FALSE(model.report.converged);
  EXPECT_TRUE(has_warning(model.report.warnings, WarningCode::time_ran_out));
  context.observer = {};
  context.observer.cancelled = [] { return true; };
  EXPECT_EQ(code_of([&] { MetricMds::fit(x, {}, context); }), "M001");
}

TEST(MetricMds, BeginsWhereItIsTold) {
  const Points x = test::random_points({.n = 30, .dim = 5, .seed = 13});
  const MetricMds first = MetricMds::fit(x, {.tolerance = 1e-12, .iterations = 5000});
  const Block start = start_from(first, x);
  Training training(x);
  training.start = &start;
  // Unit columns are not the configuration itself, but near enough to end in the same minimum.
  const MetricMds again = MetricMds::fit(training, {.tolerance = 1e-12, .iterations = 5000});
  EXPECT_NEAR(figure(again.report, "stress"), figure(first.report, "stress"),
              1e-9 * figure(first.report, "stress"));
  EXPECT_EQ(code_of([&] { MetricMds::fit(training, {.components = 3}); }), "M102");
}

TEST(MetricMds, SurvivesItsState) {
  const Points x = test::random_points({.n = 20, .dim = 3, .seed = 12});
  const Points d = distances(x, x);
  const auto table = test::fitted<MetricMds>(x, {.scale = "standard"});
  const auto given = test::fitted<MetricMds>(d, {.as = "distance", .weight_power = -1});
  for (const auto& [model, rows] : {std::pair(table.get(), x), std::pair(given.get(), d)}) {
    const auto any = model_from(model->state());
    EXPECT_TRUE(need<Transforms>(*any).transform(Points(1.25 * rows)) ==
                model->transform(Points(1.25 * rows)));
    EXPECT_TRUE(need<Transforms>(*any).training_scores(rows) == model->configuration());
    State state = model->state();
    state.values["stress"]["as"] = "kernel";
    EXPECT_EQ(code_of([&] { model_from(state); }), "M703");
    state = model->state();
    state.values["stress"]["scale"] = 0;
    EXPECT_EQ(code_of([&] { model_from(state); }), "M703");
  }
}

TEST(MetricMds, RefusesWhatHasNoMeaning) {
  const Points d = read_reference("eurodist");
  const auto code = [](const Points& rows, MetricMdsOptions options) {
    return code_of([&] { MetricMds::fit(rows, options); });
  };
  const MetricMdsOptions given{.as = "distance"};
  Points bad = d;
  bad(2, 5) += 1;
  EXPECT_EQ(code(bad, given), "M241");
  bad(2, 5) = bad(5, 2) = -1;
  EXPECT_EQ(code(bad, given), "M245");
  bad(2, 5) = bad(5, 2) = std::numeric_limits<double>::infinity();
  EXPECT_EQ(code(bad, given), "M212");
  EXPECT_EQ(code(d.leftCols(20), given), "M240");
  EXPECT_EQ(code(Points::Zero(5, 5), given), "M244");
  EXPECT_EQ(code(Points::Ones(5, 3), {}), "M231");
  EXPECT_EQ(code(Points::Zero(1, 1), given), "M230");
  EXPECT_EQ(code(d, {.components = 21, .as = "distance"}), "M233");
  EXPECT_EQ(code(d, {.components = Components::share(0.9), .as = "distance"}), "M102");
  EXPECT_EQ(code(d, {.components = Components::all(), .as = "distance"}), "M102");
  EXPECT_EQ(code(d, {.as = "kernel"}), "M102");
  EXPECT_EQ(code(d, {.as = "distance", .scale = "range"}), "M102");
  EXPECT_EQ(code(d, {.as = "distance", .tolerance = Tolerance::of_eigenvalues(1e-6)}), "M102");
  Points apart = d;  // two groups
  apart.topRightCorner(10, 11).setConstant(kNaN);
  apart.bottomLeftCorner(11, 10).setConstant(kNaN);
  EXPECT_EQ(code(apart, given), "M245");
  const Points two = (Points(2, 2) << 0, 3, 3, 0).finished();
  EXPECT_EQ(code(two, given), "no error");
  Training training(d);
  const Points few = Points::Ones(20, 20), negative = -Points::Ones(21, 21);
  training.weights = few;
  EXPECT_EQ(code_of([&] { MetricMds::fit(training, given); }), "M240");
  training.weights = negative;
  EXPECT_EQ(code_of([&] { MetricMds::fit(training, given); }), "M102");
  training.weights = d;
  EXPECT_EQ(code_of([&] { Mds::fit(training, {.as = "distance"}); }), "M102");
  const MetricMds model = MetricMds::fit(d, given);
  EXPECT_EQ(code_of([&] { model.transform(d.leftCols(20)); }), "M713");
  EXPECT_EQ(code_of([&] { model.transform(Points(-d)); }), "M245");
}

}  // namespace metric_mds_test
}  // namespace mercer
