// Rules that choose the number of components: planted ranks, and Minka's evidence in long double.
#include "mercer/models/component_rules.h"

#include "mercer/core/error.h"
#include "mercer/models/kind.h"
#include "mercer/models/kind/factor_analysis.h"
#include "mercer/models/kind/pca.h"
#include "mercer/models/kind/ppca.h"
#include "tests/support/errors.h"
#include "tests/support/random_points.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

namespace mercer {
namespace component_rules_test {

Points planted(Index n, Index dim, Index rank, std::uint64_t seed) {
  return test::random_points({.n = n, .dim = rank, .seed = seed}) *
             test::random_points({.n = rank, .dim = dim, .seed = seed + 1}) +
         0.3 * test::random_points({.n = n, .dim = dim, .seed = seed + 2});
}

Index chosen(const Points& x, const char* rule) {
  return Ppca::fit(x, {.components = Components::automatic(rule)}).score_columns();
}

TEST(ComponentRules, FindAPlantedRank) {
  const Points x = planted(300, 12, 4, 1);
  for (const char* rule : {"", "minka", "likelihood", "parallel"})
    EXPECT_EQ(chosen(x, rule), 4) << rule;
  const Points wide = planted(60, 90, 3, 2);
  EXPECT_EQ(chosen(wide, "parallel"), 3);
  EXPECT_EQ(chosen(wide, "likelihood"), 3);
  EXPECT_EQ(test::code_of([&] { chosen(wide, "minka"); }), "M102");
}

TEST(ComponentRules, CountFactorsWhateverTheUnitsOfTheColumns) {
  const Points x = planted(300, 12, 3, 5);
  Vector units(12);
  for (Index j = 0; j < 12; ++j) units[j] = std::pow(10.0, j % 7 - 3);
  const Points other = x * units.asDiagonal();
  for (const char* rule : {"", "parallel", "likelihood"}) {
    const FactorAnalysisOptions options{.components = Components::automatic(rule)};
    EXPECT_EQ(FactorAnalysis::fit(x, options).score_columns(), 3) << rule;
    EXPECT_EQ(FactorAnalysis::fit(other, options).score_columns(), 3) << rule;
  }
}

TEST(ComponentRules, AreThoseOfPcaToo) {
  const Points x = planted(300, 12, 4, 1);
  for (const char* rule : {"", "minka", "likelihood", "parallel"}) {
    const Pca found = Pca::fit(x, {.components = Components::automatic(rule)});
    const Pca asked = Pca::fit(x, {.components = 4});
    ASSERT_EQ(found.axes().cols(), 4) << rule;
    EXPECT_EQ(found.axes(), asked.axes()) << rule;
  }
  EXPECT_EQ(test::code_of([&] { Pca::fit(x, {.components = Components::automatic("none")}); }),
            "M102");
  EXPECT_EQ(
      test::code_of([&] { Pca::fit(x, {.components = Components::automatic(), .center = false}); }),
      "M102");
  // Wide, sparse or scaled rows are rows.
  const Points wide = planted(60, 90, 3, 2);
  EXPECT_EQ(Pca::fit(wide, {.components = Components::automatic("parallel")}).axes().cols(), 3);
  const Points other = x * Vector::LinSpaced(12, 1, 1e4).asDiagonal();
  const PcaOptions correlations{.components = Components::automatic("parallel"),
                                .scale = Scaling::standard};
  EXPECT_EQ(Pca::fit(other, correlations).axes().cols(), 4);
}

TEST(ComponentRules, StandInTheReportWithWhatTheyFound) {
  const Points x = planted(300, 12, 4, 1);
  const Pca pca = Pca::fit(x, {.components = Components::automatic()});
  ASSERT_TRUE(pca.report.chosen.has_value());
  EXPECT_EQ(pca.report.chosen->count, 4);
  EXPECT_EQ(pca.report.chosen->rule, "minka");
  EXPECT_EQ(pca.report.chosen->by, "Minka's evidence");
  const auto again = model_from(pca.state());
  ASSERT_TRUE(again->report.chosen.has_value());
  EXPECT_EQ(again->report.chosen->by, pca.report.chosen->by);
  EXPECT_FALSE(Pca::fit(x).report.chosen.has_value());
  EXPECT_EQ(Ppca::fit(x, {.components = Components::automatic("parallel")}).report.chosen->rule,
            "parallel");
  EXPECT_EQ(FactorAnalysis::fit(x, {.components = Components::automatic()}).report.chosen->by,
            "parallel analysis");
}

TEST(ComponentRules, OfRowsWithGapsAreTheLikelihoodAlone) {
  Points x = planted(80, 6, 2, 7);
  x(3, 2) = std::nan("");
  const Ppca model = Ppca::fit(x, {.components = Components::automatic()});
  EXPECT_EQ(model.report.chosen->rule, "likelihood");
  EXPECT_EQ(model.score_columns(), 2);
  try {
    Ppca::fit(x, {.components = Components::automatic("parallel")});
    ADD_FAILURE() << "nothing was refused";
  } catch (const Error& error) {
    EXPECT_EQ(error.message(),
              "components = auto:parallel: the rule needs rows without missing values");
    EXPECT_NE(error.hint().find("auto:likelihood"), std::string::npos);
  }
}

TEST(ComponentRules, NoiseAloneHasNoComponentsAndGetsOne) {
  const Points x = test::random_points({.n = 200, .dim = 10, .seed = 3});
  for (const char* rule : {"parallel", "broken-stick"}) EXPECT_EQ(chosen(x, rule), 1) << rule;
}

TEST(ComponentRules, BrokenStickKeepsWhatExceedsItsPieces) {
  // Variances along the columns: shares 0.5, 0.3, 0.1, 0.1 against pieces 0.521, 0.271, 0.146, ...
  // of four: none is kept before the first fails; 0.6 and 0.28 pass both.
  const auto table = [](const Vector& shares) {
    const Index n = 400;
    Points x(n, 4);
    for (Index i = 0; i < n; ++i)
      for (Index j = 0; j < 4; ++j)  // orthogonal columns: signs by bits
        x(i, j) = ((i >> j) % 2 == 0 ? 1 : -1) * std::sqrt(shares[j]);
    return x;
  };
  EXPECT_EQ(chosen(table(Vector{{0.5, 0.3, 0.1, 0.1}}), "broken-stick"), 1);
  EXPECT_EQ(chosen(table(Vector{{0.6, 0.28, 0.07, 0.05}}), "broken-stick"), 2);
}

/// The evidence as Minka has it, term by term, in long double.
long double evidence(const Vector& values, Index n, Index k) {
  const Index dim = values.size();
  const auto l = [&](Index i) { return static_cast<long double>(values[i]); };
  long double noise = 0;
  for (Index i = k; i < dim; ++i) noise += l(i) / static_cast<long double>(dim - k);
  const auto hat = [&](Index i) { return i < k ? l(i) : noise; };
  const long double pi = std::numbers::pi_v<long double>, rows = static_cast<long double>(n);
  long double sum = -static_cast<long double>(k) * std::log(2.0L);
  for (Index i = 1; i <= k; ++i) {
    const long double half = static_cast<long double>(dim - i + 1) / 2;
    sum += std::lgamma(half) - half * std::log(pi);
  }
  for (Index i = 0; i < k; ++i) sum -= rows / 2 * std::log(l(i));
  sum -= rows * static_cast<long double>(dim - k) / 2 * std::log(noise);
  const long double m = static_cast<long double>(dim * k - k * (k + 1) / 2);
  sum += (m + static_cast<long double>(k)) / 2 * std::log(2 * pi);
  for (Index i = 0; i < k; ++i)
    for (Index j = i + 1; j < dim; ++j)
      sum -= (std::log(1 / hat(j) - 1 / hat(i)) + std::log(l(i) - l(j)) + std::log(rows)) / 2;
  return sum - static_cast<long double>(k) / 2 * std::log(rows);
}

TEST(ComponentRules, MinkasEvidenceIsThatOfItsFormula) {
  const Vector values{{9, 4, 2.5, 1.2, 1.1, 0.9, 0.7}};
  const Vector found = minka_evidence(values, 150);
  ASSERT_EQ(found.size(), 6);
  for (Index k = 1; k < 7; ++k) {
    const auto expected = static_cast<double>(evidence(values, 150, k));
    EXPECT_NEAR(found[k - 1], expected, 1e-12 * std::abs(expected)) << k;
  }
  // Units do not matter for the choice.
  const Vector other = minka_evidence(1e-60 * values, 150);
  for (Index k = 2; k < 7; ++k) EXPECT_NEAR(other[k - 1] - other[0], found[k - 1] - found[0], 1e-9);
  // Zeros at the end: nothing is as likely as the rank, and no more than the rank is possible.
  const Vector flat = minka_evidence(Vector{{3, 2, 1, 0, 0}}, 50);
  EXPECT_TRUE(std::isfinite(flat[1]));
  EXPECT_GT(flat[2], flat[1]);
  EXPECT_TRUE(std::isfinite(flat[2]));
  EXPECT_FALSE(std::isfinite(flat[3]));
}

TEST(ComponentRules, RowsOfAnExactRankHaveItsCount) {
  Points x = test::random_points({.n = 300, .dim = 8, .seed = 6});
  x.col(7) = x.leftCols(7).rowwise().mean();
  EXPECT_EQ(Pca::fit(x, {.components = Components::automatic("minka")}).score_columns(), 7);
  EXPECT_LT(chosen(x, "minka"), 7);  // a density needs some noise
}

TEST(ComponentRules, CountFactorsToo) {
  const Points x = planted(250, 9, 2, 4);
  for (const char* rule : {"", "parallel", "likelihood"})
    EXPECT_EQ(FactorAnalysis::fit(x, {.components = Components::automatic(rule)}).score_columns(),
              2)
        << rule;
}

TEST(ComponentRules, WorkWhereValuesAreMissing) {
  Points x = planted(150, 8, 2, 5);
  for (Index i = 0; i < 150; ++i) x(i, i % 8) = std::nan("");
  EXPECT_EQ(Ppca::fit(x, {.components = Components::automatic()}).score_columns(), 2);
  EXPECT_EQ(test::code_of([&] { chosen(x, "parallel"); }), "M102");
}

TEST(ComponentRules, AreTheSameForTheSameSeedAtAnyNumberOfThreads) {
  const Points x = planted(120, 6, 2, 6);
  Context one, three;
  one.budget.threads = 1;
  three.budget.threads = 3;
  for (const char* rule : {"parallel", "likelihood"}) {
    const PpcaOptions options{.components = Components::automatic(rule), .seed = 5};
    EXPECT_EQ(Ppca::fit(x, options, one).log_density(x),
              Ppca::fit(x, options, three).log_density(x))
        << rule;
  }
}

TEST(ComponentRules, AreNamedWhereOneIsUnknown) {
  try {
    PpcaOptions{.components = Components::automatic("kaiser")}.check({});
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::bad_option_value);
    EXPECT_NE(error.hint().find("minka, parallel, broken-stick, likelihood"), std::string::npos);
  }
}

}  // namespace component_rules_test
}  // namespace mercer
