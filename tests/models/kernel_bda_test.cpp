// Kernel biased discriminant analysis against its eigenproblem written out.
#include "mercer/models/kind/kernel_bda.h"

#include "mercer/core/text.h"
#include "tests/support/dense.h"
#include "tests/support/errors.h"
#include "tests/support/random_points.h"

#include <gtest/gtest.h>

#include <cmath>

namespace mercer {
namespace kernel_bda_test {

using test::code_of;

/// Rows of which some are positive (p), some negative (n), some neither.
struct Sought {
  explicit Sought(Index n = 60, Index dim = 4)
      : x(test::random_points({.n = n, .dim = dim, .seed = 23})) {
    std::vector<std::string> texts;
    for (Index i = 0; i < n; ++i) {
      texts.emplace_back(i % 5 == 1 ? "p" : i % 5 == 4 ? "" : i % 2 == 0 ? "n" : "m");
      if (texts.back() == "p") x.row(i) = 0.4 * x.row(i).array() + 1;
    }
    labels = Labels::from_texts("class", texts);
  }
  Training training() const { return training_of(x); }
  Training training_of(const Points& rows) const {
    Training all(rows);
    all.input.labels = labels;
    return all;
  }
  std::vector<Index> rows_of(const std::function<bool(const std::string&)>& wanted) const {
    std::vector<Index> rows;
    for (std::size_t i = 0; i < labels.of_row.size(); ++i)
      if (wanted(labels.classes[static_cast<std::size_t>(labels.of_row[i])]))
        rows.push_back(static_cast<Index>(i));
    return rows;
  }
  Points x;
  Labels labels;
};

/// N w = l ((1 - r) P + r tr(P) / rank I) w of explicit features, descending; values times sqrt(l).
struct Explicit {
  Explicit(const Points& f, const Sought& sought, double ridge) {
    const auto positive = sought.rows_of([](const std::string& c) { return c == "p"; });
    const auto negative = sought.rows_of([](const std::string& c) { return c == "n" || c == "m"; });
    Eigen::RowVectorXd mean = Eigen::RowVectorXd::Zero(f.cols());
    for (const Index i : positive) mean += f.row(i) / static_cast<double>(positive.size());
    const auto scatter = [&](const std::vector<Index>& rows) {
      Block sum = Block::Zero(f.cols(), f.cols());
      for (const Index i : rows) sum += (f.row(i) - mean).transpose() * (f.row(i) - mean);
      return sum;
    };
    const Block p = scatter(positive);
    Block right = (1 - ridge) * p;
    right.diagonal().array() += ridge * p.trace() / static_cast<double>(f.cols());
    const auto [found, w] = test::generalised_eigen(scatter(negative), right);
    values = found;
    scores = (f.rowwise() - mean) * w * values.cwiseSqrt().asDiagonal();
    distances = scores.rowwise().norm();
  }
  Vector values, distances;
  Block scores;
};

TEST(KernelBda, ALinearKernelGivesTheEigenproblemOfTheColumns) {
  const Sought sought;
  for (const double ridge : {0.0, 0.1, 1.0}) {
    const KernelBda model = KernelBda::fit(
        sought.training(), {.kernel = "linear", .positive = "p", .ridge = exact(ridge)});
    const Explicit known(sought.x, sought, ridge);
    ASSERT_EQ(model.eigenvalues().size(), 4);
    // n u times the condition of the positive scatter, below 100.
    EXPECT_LE(test::max_abs(model.eigenvalues() - known.values), 1e-12 * known.values[0]) << ridge;
    EXPECT_LE(test::max_abs(model.rate(sought.x) - known.distances),
              1e-11 * known.distances.maxCoeff())
        << ridge;
    const Block scores = model.transform(sought.x);
    const Block centred = scores.rowwise() - scores.colwise().mean();
    const Block there = known.scores.rowwise() - known.scores.colwise().mean();
    EXPECT_LE(test::difference_up_to_sign(centred, there), 1e-10 * test::max_abs(there)) << ridge;
  }
}

TEST(KernelBda, APolynomialKernelGivesTheEigenproblemOfItsFeatures) {
  const Sought sought(60, 2);
  Points f(60, 5);  // (x.y + 1)^2 without its constant
  for (Index i = 0; i < 60; ++i) {
    const double a = sought.x(i, 0), b = sought.x(i, 1), root = std::sqrt(2.0);
    f.row(i) << root * a, root * b, a * a, b * b, root * a * b;
  }
  const KernelBda model = KernelBda::fit(
      sought.training(),
      {.kernel = "polynomial:degree=2,scale=1,offset=1", .positive = "p", .ridge = "0.05"});
  const Explicit known(f, sought, 0.05);
  EXPECT_LE(test::max_abs(model.eigenvalues() - known.values), 1e-10 * known.values[0]);
  EXPECT_LE(test::max_abs(model.rate(sought.x) - known.distances),
            1e-9 * known.distances.maxCoeff());
}

// With more functions than labelled rows everything happens in the span of these.
TEST(KernelBda, FewLabelledRowsInManyColumnsGiveTheSameAsTheWholeProblem) {
  Sought sought(30, 80);
  const KernelBda model =
      KernelBda::fit(sought.training(), {.kernel = "linear", .positive = "p", .ridge = "0.3"});
  // The kernel has 29 functions: the ridge is of the trace over these.
  const Explicit known(sought.x, sought, 0.3);
  const Points centred = sought.x.rowwise() - sought.x.colwise().mean();
  // Rows add up to 0: 29 of them span the range.
  const Points reduced = centred * test::orthonormal(centred.topRows(29).transpose());
  const Explicit in_range(reduced, sought, 0.3);
  const Index count = model.eigenvalues().size();
  EXPECT_EQ(count, 6);  // positive rows
  EXPECT_LE(test::max_abs(model.eigenvalues() - in_range.values.head(count)),
            1e-10 * in_range.values[0]);
}

TEST(KernelBda, PositiveRowsRankBeforeOthers) {
  const Sought sought;
  const KernelBda model = KernelBda::fit(sought.training(), {.positive = "p"});
  const Vector distance = model.rate(sought.x);
  double worst_positive = 0, best_negative = HUGE_VAL;
  for (const Index i : sought.rows_of([](const std::string& c) { return c == "p"; }))
    worst_positive = std::max(worst_positive, distance[i]);
  for (const Index i : sought.rows_of([](const std::string& c) { return c == "n" || c == "m"; }))
    best_negative = std::min(best_negative, distance[i]);
  EXPECT_LT(worst_positive, best_negative);
}

TEST(KernelBda, LandmarksAtAllRowsGiveTheSameRanking) {
  const Sought sought;
  const auto rate = [&](Span span) {
    return KernelBda::fit(sought.training(), {.kernel = "gaussian:sigma=1.5",
                                              .positive = "p",
                                              .ridge = "0.2",
                                              .rank = Components::all(),
                                              .span = span})
        .rate(sought.x);
  };
  const Vector known = rate(Span::components), other = rate(Span::landmarks);
  EXPECT_LE(test::max_abs(known - other), 1e-6 * known.maxCoeff());
}

TEST(KernelBda, RefusesWhatSetsNothingApart) {
  const Sought sought;
  const auto code = [&](const KernelBdaOptions& options, const Labels& labels) {
    Training training(sought.x);
    training.input.labels = labels;
    return code_of([&] { KernelBda::fit(training, options); });
  };
  EXPECT_EQ(code({.positive = "q"}, sought.labels), "M102");
  EXPECT_EQ(code({.ridge = "2"}, sought.labels), "M102");
  EXPECT_EQ(code({.ridge = "auto"}, sought.labels), "M102");
  EXPECT_EQ(code({.positive = "p", .components = 20}, sought.labels), "M233");
  EXPECT_EQ(code({.positive = "p", .ridge = "0"}, sought.labels), "M271");
  EXPECT_EQ(code({}, Labels::from_texts("c", std::vector<std::string>(60, "p"))), "M270");
  EXPECT_EQ(code({}, Labels::from_texts("c", std::vector<std::string>(60, ""))), "M102");
  std::vector<std::string> single(60, "n");
  single[7] = "p";
  EXPECT_EQ(code({.positive = "p"}, Labels::from_texts("c", single)), "M273");
  Points copies = sought.x;
  for (const Index i : sought.rows_of([](const std::string& c) { return c == "p"; }))
    copies.row(i).setOnes();
  EXPECT_EQ(code_of([&] { KernelBda::fit(sought.training_of(copies), {.positive = "p"}); }),
            "M271");
}

}  // namespace kernel_bda_test
}  // namespace mercer
