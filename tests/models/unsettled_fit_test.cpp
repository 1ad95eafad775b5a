// Fits by block_krylov where a search has a hard time: eigenvalues closer than the tolerance, flat
// and fast spectra, time that runs out. What iterations cannot settle must be said to be unsettled.
#include "mercer/models/kind/kernel_pca.h"
#include "mercer/models/kind/pca.h"
#include "mercer/operators/centered.h"
#include "tests/models/search_fit.h"
#include "tests/support/dense.h"
#include "tests/support/errors.h"
#include "tests/support/random_points.h"

#include <gtest/gtest.h>

#include <atomic>
#include <string>

namespace mercer {
namespace unsettled_fit_test {

using search_fit::context_of;
using search_fit::fit;
using search_fit::groups;
using search_fit::Way;

/// Rows whose centred linear Gram matrix has exactly these eigenvalues.
Points with_eigenvalues(Index n, const Vector& values) {
  Block basis = test::random_points({.n = n, .dim = values.size(), .seed = 9});
  remove_means(basis);
  const Block q = test::orthonormal(basis);
  return q * values.cwiseSqrt().asDiagonal();
}

TEST(UnsettledFit, TinyGapsAreResolvedOrFlagged) {
  for (const double gap : {1e-6, 1e-8, 1e-11, 1e-12, 1e-14}) {
    Vector values(8);
    values << 4, 1 + gap, 1, 0.3, 0.1, 0.05, 0.02, 0.01;
    const Points x = with_eigenvalues(300, values);
    for (const std::string op : {"blocked_gram", "dense_gram"}) {
      const KernelPcaOptions options = {.kernel = "linear", .components = 3, .tolerance = 1e-10};
      const KernelPca model = fit(x, options, {.op = op});
      const Report& report = model.report;
      EXPECT_TRUE(report.converged && report.spectrum->certificate.complete) << gap;
      for (Index i = 0; i < 3; ++i)
        EXPECT_NEAR(report.spectrum->eigenvalues[i], values[i], 4e-10) << gap;
      // Closer than 1e-10 of the largest, only the span of the pair is determined.
      const bool one =
          report.spectrum->clusters.size() == 1 && report.spectrum->clusters[0] == Range{1, 3};
      EXPECT_EQ(one, gap < 1e-10) << gap << " " << op;
      EXPECT_TRUE(fit(x, options, {.op = op}).coefficients() == model.coefficients()) << gap;
      const KernelPca cut = fit(x, {.kernel = "linear", .components = 2}, {.op = op});
      EXPECT_EQ(test::has_warning(cut.report.warnings, WarningCode::split_cluster), gap < 1e-10)
          << gap << " " << op;
    }
  }
}

TEST(UnsettledFit, AFlatSpectrumIsNeverASilentWrongAnswer) {
  const Points x = test::random_points({.n = 300, .dim = 6, .seed = 10});
  // n - 1 equal eigenvalues: nothing but a count tells that no larger one was missed.
  const KernelPcaOptions options = {.kernel = "gaussian:sigma=0.02", .components = 4};
  for (const std::string op : {"blocked_gram", "dense_gram"})
    for (const std::string solver : {"block_krylov", ""}) {
      const KernelPca model = fit(x, options, {.solver = solver, .op = op});
      const Report& report = model.report;
      EXPECT_TRUE(report.converged && report.spectrum->certificate.complete) << op;
      EXPECT_TRUE(solver.empty() || report.plan.solver_name == solver) << op;
      EXPECT_TRUE(test::has_warning(report.warnings, WarningCode::split_cluster)) << op;
      EXPECT_TRUE(test::has_warning(report.warnings, WarningCode::kernel_near_identity)) << op;
      EXPECT_LE(test::max_abs(report.spectrum->eigenvalues - Vector::Ones(4)), 1e-6) << op;
    }
}

TEST(UnsettledFit, FastDecayShowsNoNegativeVariances) {
  const Points x = test::random_points({.n = 400, .dim = 2, .seed = 11});
  for (const std::string op : {"blocked_gram", "dense_gram"}) {
    const KernelPca model = fit(x, {.kernel = "gaussian:sigma=20", .components = 60}, {.op = op});
    const Report& report = model.report;
    EXPECT_TRUE(test::has_warning(report.warnings, WarningCode::rank_lower)) << op;
    EXPECT_LT(report.spectrum->eigenvalues.size(), 60) << op;
    EXPECT_GT(report.spectrum->eigenvalues.size(), 4) << op;
    EXPECT_GT(report.spectrum->eigenvalues.minCoeff(), 0) << op;
    EXPECT_LE(report.spectrum->ratios.sum(), 1 + 1e-12) << op;
    EXPECT_TRUE(model.coefficients().allFinite()) << op;
    for (Index i = 1; i < report.spectrum->eigenvalues.size(); ++i)
      EXPECT_LE(report.spectrum->eigenvalues[i], report.spectrum->eigenvalues[i - 1]) << op;
  }
}

/// A context whose time is over once the search has reported `passes` times.
struct Timed {
  std::atomic<Index> seen = 0;
  Context context;
  Timed(const Way& way, Index passes) : context(context_of(way)) {
    context.observer.progress = [this](const Progress& progress) {
      if (progress.phase == "solve") ++seen;
    };
    context.observer.out_of_time = [this, passes] { return seen >= passes; };
  }
};

TEST(UnsettledFit, WhenTimeRunsOutTheBestAnswerSoFarIsMarkedAsSuch) {
  const Points x = groups(700, 10, 14);
  for (const std::string kernel : {"laplacian", "thin_plate_spline", "polynomial:degree=4"})
    for (const std::string op : {"blocked_gram", "dense_gram"})
      for (const Precision precision : {Precision::single_, Precision::double_}) {
        const KernelPcaOptions options = {.kernel = kernel, .components = 6, .tolerance = 1e-13};
        const Timed timed({.op = op, .precision = precision},
                          2);  // after one, residuals are as large as the values
        const KernelPca model = KernelPca::fit(x, options, timed.context);
        const Report& report = model.report;
        EXPECT_FALSE(report.converged) << kernel << " " << op;
        EXPECT_FALSE(report.spectrum->certificate.complete) << kernel << " " << op;
        EXPECT_TRUE(test::has_warning(report.warnings, WarningCode::time_ran_out)) << kernel << op;
        EXPECT_EQ(report.plan.passes, 2) << kernel << " " << op;
        EXPECT_TRUE(model.coefficients().allFinite() &&
                    report.spectrum->eigenvalues.minCoeff() > 0);
        EXPECT_TRUE(model.transform(x.topRows(5), {}).allFinite());
        const Timed at_once({.op = op, .precision = precision}, 0);
        EXPECT_EQ(test::code_of([&] { KernelPca::fit(x, options, at_once.context); }), "M303");
      }
  const Timed timed({.op = "covariance"}, 2);
  const Pca pca =
      Pca::fit(groups(500, 60, 15), {.components = 9, .tolerance = 1e-13}, timed.context);
  EXPECT_TRUE(test::has_warning(pca.report.warnings, WarningCode::time_ran_out));
}

TEST(UnsettledFit, TimeThatRunsOutBetweenFloatAndDoubleKeepsTheFloatAnswer) {
  // Far from the origin centring cancels digits: float tiles are tried and found wanting, and the
  // kernel is evaluated anew in double, for which there is no time.
  Points x = groups(3000, 4, 16);
  x.array() += 30;
  std::atomic<bool> solving = false, over = false;
  Context context = context_of({.op = "dense_gram"});
  context.observer.progress = [&](const Progress& progress) {
    if (progress.phase == "solve") solving = true;
    if (progress.phase == "kernel" && solving) over = true;
  };
  const KernelPcaOptions options = {.kernel = "polynomial:degree=3", .components = 3};
  const KernelPca whole = KernelPca::fit(x, options, context);
  ASSERT_TRUE(over) << "float tiles were exact enough: the case shows nothing";
  EXPECT_TRUE(whole.report.converged);
  solving = over = false;
  context.observer.out_of_time = [&] { return over.load(); };
  const KernelPca model = KernelPca::fit(x, options, context);
  EXPECT_FALSE(model.report.converged);
  EXPECT_TRUE(test::has_warning(model.report.warnings, WarningCode::time_ran_out));
  EXPECT_LE(test::max_abs(model.report.spectrum->eigenvalues - whole.report.spectrum->eigenvalues),
            1e-3 * whole.report.spectrum->eigenvalues[0]);
}

}  // namespace unsettled_fit_test
}  // namespace mercer
