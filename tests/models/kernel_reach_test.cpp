// Rows out of a kernel's reach, against every kernel value by its formula.
#include "mercer/core/row_notes.h"
#include "mercer/models/kind.h"
#include "mercer/models/kind/kernel_lda.h"
#include "mercer/models/kind/kernel_pca.h"
#include "tests/support/random_points.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <vector>

namespace mercer {
namespace kernel_reach_test {

using Formula = std::function<double(const Vector&, const Vector&)>;

struct Case {
  const char* kernel;
  Formula value;
};

std::vector<Case> cases() {
  const auto squared = [](const Vector& a, const Vector& b) { return (a - b).squaredNorm(); };
  const auto gauss = [squared](double sigma) -> Formula {
    return [=](const Vector& a, const Vector& b) {
      return std::exp(-squared(a, b) / (2 * sigma * sigma));
    };
  };
  return {
      {"gaussian:sigma=0.4", gauss(0.4)},
      {"gaussian:sigma=300", gauss(300)},  // tiles hold k - 1
      {"laplacian:gamma=2",
       [](const Vector& a, const Vector& b) { return std::exp(-2 * (a - b).cwiseAbs().sum()); }},
      {"cosine", [](const Vector& a, const Vector& b) { return a.dot(b) / a.norm() / b.norm(); }},
      {"gaussian:sigma=0.4+0.5*gaussian:sigma=1", [gauss](const Vector& a, const Vector& b) {
         return gauss(0.4)(a, b) + 0.5 * gauss(1)(a, b);
       }}};
}

double largest(const Formula& k, const Points& x, const Vector& row, Index without = -1) {
  double most = 0;
  for (Index i = 0; i < x.rows(); ++i)
    if (i != without) most = std::max(most, std::abs(k(row, x.row(i))));
  return most;
}

// A thousandth of what all but a twentieth of the rows have at least.
double reach_of(const Formula& k, const Points& x) {
  std::vector<double> each;
  for (Index i = 0; i < x.rows(); ++i) each.push_back(largest(k, x, x.row(i), i));
  std::ranges::sort(each);
  return 1e-3 * each[each.size() / 20];
}

// Rows like the training rows, and others ever farther away.
Points new_rows(Index n, Index dim) {
  Points rows = test::random_points({.n = n, .dim = dim, .seed = 8});
  for (Index i = 0; i < n; i += 3) rows.row(i) *= std::pow(1.35, static_cast<double>(i) / 3);
  return rows;
}

TEST(KernelReach, IsThatOfEveryKernelValue) {
  const Points x = test::random_points({.n = 60, .dim = 4, .seed = 7}), rows = new_rows(120, 4);
  for (const Case& one : cases()) {
    const KernelPca model = KernelPca::fit(x, {.kernel = one.kernel, .components = 2});
    const double reach = reach_of(one.value, x);
    EXPECT_NEAR(model.expansion().reach(), reach, 1e-10 * reach) << one.kernel;
    std::vector<Index> expected;
    for (Index i = 0; i < rows.rows(); ++i)
      if (largest(one.value, x, rows.row(i)) < reach) expected.push_back(i + 1);
    for (const Index threads : {1, 3}) {
      Context context;
      context.budget.threads = threads;
      RowNotes notes;
      context.out_of_reach = &notes;
      const Block with = model.transform(rows, context);
      EXPECT_EQ(notes.first(1000), expected) << one.kernel;
      EXPECT_EQ(notes.count(), static_cast<Index>(expected.size())) << one.kernel;
      EXPECT_TRUE(with == model.transform(rows)) << one.kernel;
    }
  }
}

TEST(KernelReach, FindsSomeOutsideAndNoneOfTheTrainingRows) {
  const Points x = test::random_points({.n = 60, .dim = 4, .seed = 7});
  const KernelPca model = KernelPca::fit(x, {.kernel = "gaussian:sigma=0.4", .components = 2});
  RowNotes own, far;
  Context context;
  context.out_of_reach = &own;
  static_cast<void>(model.transform(x, context));
  EXPECT_EQ(own.count(), 0);
  context.out_of_reach = &far;
  static_cast<void>(model.transform(Points(x * 100), context));
  EXPECT_EQ(far.count(), x.rows());
}

TEST(KernelReach, OfKernelsThatGrowIsNotAsked) {
  const Points x = test::random_points({.n = 40, .dim = 3, .seed = 7});
  for (const char* kernel : {"linear", "polynomial:degree=3", "multiquadric", "gaussian+linear"}) {
    const KernelPca model = KernelPca::fit(x, {.kernel = kernel, .components = 2});
    EXPECT_EQ(model.expansion().reach(), 0) << kernel;
  }
}

TEST(KernelReach, StaysInASavedModelAndHoldsForPredictions) {
  const Points x = test::random_points({.n = 60, .dim = 3, .seed = 7});
  std::vector<std::string> classes;
  for (Index i = 0; i < 60; ++i) classes.push_back(i % 2 == 0 ? "a" : "b");
  Training training(x);
  training.input.labels = Labels::from_texts("", classes);
  const KernelLda fitted = KernelLda::fit(training, {.kernel = "gaussian:sigma=1"});
  const std::unique_ptr<Model> model = model_from(fitted.state());
  RowNotes notes;
  Context context;
  context.out_of_reach = &notes;
  Points rows = x.topRows(5);
  rows.row(3).array() += 1000;
  static_cast<void>(need<Predicts>(*model).predict(rows, context));
  EXPECT_EQ(notes.first(10), std::vector<Index>{4});
}

}  // namespace kernel_reach_test
}  // namespace mercer
