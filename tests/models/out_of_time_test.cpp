// Fits whose time is over while the dense solver works, or that have no time for all components:
// the model has what was known, and says so. Time is a count of questions, never a clock.
#include "mercer/core/error.h"
#include "mercer/models/kind/kernel_pca.h"
#include "mercer/models/kind/pca.h"
#include "mercer/plan/machine.h"
#include "tests/support/dense.h"
#include "tests/support/errors.h"
#include "tests/support/random_points.h"

#include <gtest/gtest.h>

#include <atomic>

namespace mercer {
namespace out_of_time_test {

/// A context whose time is over at so many questions after the dense solver has begun.
struct Late {
  std::atomic<int> asked = 0;
  std::atomic<bool> solving = false;
  Context context;
  explicit Late(int questions, std::string_view operator_name = {}) {
    context.budget.threads = 1;
    context.budget.operator_name = operator_name;
    context.budget.solver_name = "dense";
    context.observer.progress = [this](const Progress& progress) {
      if (progress.phase == "solve") solving = true;
    };
    context.observer.out_of_time = [this, questions] { return solving && ++asked > questions; };
  }
};

template <class Model>
void expect_marked(const Model& model, const Points& x) {
  const Report& report = model.report;
  EXPECT_FALSE(report.converged);
  EXPECT_TRUE(test::has_warning(report.warnings, WarningCode::time_ran_out));
  EXPECT_GE(report.spectrum->eigenvalues.size(), 1);
  EXPECT_EQ(report.spectrum->certificate.residuals.size(), report.spectrum->eigenvalues.size());
  EXPECT_EQ(report.spectrum->certificate.eigenvalue_upper.size(),
            report.spectrum->eigenvalues.size());
  EXPECT_TRUE(model.transform(x.topRows(5), {}).allFinite());
}

TEST(OutOfTime, KernelPcaByTheDenseSolverKeepsTheLeadingComponents) {
  const Points x = test::random_points({.n = 150, .dim = 3, .seed = 1});
  const KernelPca whole =
      KernelPca::fit(x, {.kernel = "gaussian:sigma=3", .components = Components::all()}, {});
  for (const char* op : {"dense_gram", "blocked_gram"})
    for (const int questions : {40, 100, 170}) {
      const Late late(questions, op);
      const KernelPca model = KernelPca::fit(
          x, {.kernel = "gaussian:sigma=3", .components = Components::all()}, late.context);
      expect_marked(model, x);
      const Report& report = model.report;
      EXPECT_LT(report.spectrum->eigenvalues.size(), whole.report.spectrum->eigenvalues.size());
      EXPECT_LE(report.spectrum->certificate.residuals.maxCoeff(), 1.1e-6);
      for (Index j = 0; j < report.spectrum->eigenvalues.size(); ++j)
        EXPECT_NEAR(report.spectrum->eigenvalues[j], whole.report.spectrum->eigenvalues[j],
                    1e-5 * whole.report.spectrum->eigenvalues[0]);
      EXPECT_LE(test::max_abs(model.transform(x, {}) - model.scores()), 1e-3);
    }
}

TEST(OutOfTime, PcaByTheDenseSolverKeepsTheLeadingComponents) {
  Points x = test::random_points({.n = 200, .dim = 90, .seed = 2});
  for (Index j = 0; j < x.cols(); ++j) x.col(j) *= std::pow(0.8, static_cast<double>(j));
  const Pca whole = Pca::fit(x, {.components = Components::all()}, {});
  for (const char* op : {"covariance", "linear_gram"})
    for (const int questions : {50, 90}) {
      const Late late(questions, op);
      const Pca model = Pca::fit(x, {.components = Components::all()}, late.context);
      expect_marked(model, x);
      EXPECT_LT(model.report.spectrum->eigenvalues.size(), 90);
      EXPECT_NEAR(model.report.spectrum->eigenvalues[0], whole.report.spectrum->eigenvalues[0],
                  1e-6 * whole.report.spectrum->eigenvalues[0]);
      EXPECT_LE(test::orthogonality_ratio(model.axes()), test::kRatio);
    }
}

TEST(OutOfTime, WhereAllEigenvaluesAreNeededThereIsNoAnswer) {
  const Points x = test::random_points({.n = 120, .dim = 3, .seed = 3});
  const Late late(60);
  const KernelPcaOptions options = {
      .kernel = "sigmoid:scale=0.5", .components = 3, .indefinite = "shift"};
  EXPECT_EQ(test::code_of([&] { KernelPca::fit(x, options, late.context); }), "M303");
}

TEST(OutOfTime, APlanWithoutTimeForAllComponentsSeeksTheLeadingOnes) {
  const Points x = test::random_points({.n = 300, .dim = 3, .seed = 4});
  // A machine on which the dense solver would take hours and products take nothing.
  Machine slow;
  slow.tridiagonal = 2e4;
  Context context;
  context.budget.machine = &slow;
  context.budget.seconds = 1000;
  const KernelPca model =
      KernelPca::fit(x, {.kernel = "gaussian:sigma=1.5", .components = Components::all()}, context);
  expect_marked(model, x);
  EXPECT_EQ(model.report.plan.leading, 128);
  EXPECT_EQ(model.report.spectrum->eigenvalues.size(), 128);
  // A share that the leading ones reach lacks nothing.
  const KernelPca share = KernelPca::fit(
      x, {.kernel = "gaussian:sigma=1.5", .components = Components::share(0.6)}, context);
  EXPECT_TRUE(share.report.converged)
      << share.report.plan.solver_name << ": "
      << (share.report.warnings.empty() ? "" : share.report.warnings[0].message);
  EXPECT_LT(share.report.spectrum->eigenvalues.size(), 128);
  EXPECT_GE(share.report.spectrum->ratios.sum(), 0.6);
  EXPECT_LT(share.report.spectrum->ratios.head(share.report.spectrum->ratios.size() - 1).sum(),
            0.6);
}

}  // namespace out_of_time_test
}  // namespace mercer
