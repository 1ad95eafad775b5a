// What a report states against long double: bounds of eigenvalues and residuals hold where centring
// takes nearly all of a kernel matrix away, so that rounding of its entries is not small beside the
// eigenvalues; and a fit whose bounds are wider than what was asked for is not converged.
#include "mercer/models/kind/kernel_pca.h"
#include "tests/support/random_points.h"

#include <Eigen/Eigenvalues>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <string>

namespace mercer {
namespace stated_bounds_test {

using Long = long double;
using LongMatrix = Eigen::Matrix<Long, Eigen::Dynamic, Eigen::Dynamic>;
using Formula = std::function<Long(Long dot, Long squared, Long lengths)>;

LongMatrix centred_gram(const Points& x, const Formula& formula) {
  const LongMatrix rows = x.cast<Long>();
  const Index n = x.rows();
  LongMatrix k(n, n);
  for (Index i = 0; i < n; ++i)
    for (Index j = 0; j < n; ++j)
      k(i, j) =
          formula(rows.row(i).dot(rows.row(j)), (rows.row(i) - rows.row(j)).squaredNorm(),
                  std::sqrt(rows.row(i).squaredNorm()) * std::sqrt(rows.row(j).squaredNorm()));
  const Eigen::Matrix<Long, Eigen::Dynamic, 1> means = k.rowwise().mean();
  k.colwise() -= means;
  k.rowwise() -= means.transpose();
  return k.array() + means.mean();
}

struct Case {
  std::string kernel;
  double offset;
  Formula formula;
};

// Centring makes products of -r/2, and differences of rows are exact.
const Formula kProducts = [](Long, Long r, Long) { return -r / 2; };

const std::vector<Case> kCases = {
    {"inverse_multiquadric:c=1e7", 0,
     [](Long, Long r, Long) {
       return -r / (std::sqrt(r + 1e14L) * 1e7L * (std::sqrt(r + 1e14L) + 1e7L));
     }},
    {"inverse_multiquadric:c=1e5", 0,
     [](Long, Long r, Long) {
       return -r / (std::sqrt(r + 1e10L) * 1e5L * (std::sqrt(r + 1e10L) + 1e5L));
     }},
    {"polynomial:degree=1", 1e7, kProducts},
    {"polynomial", 1e4, [](Long t, Long, Long) { return (t + 1) * (t + 1) * (t + 1); }},
    {"cosine", 1e4, [](Long t, Long, Long lengths) { return t / lengths; }},
    {"gaussian:sigma=1", 1e6, [](Long, Long r, Long) { return std::exp(-r / 2); }},
    {"linear", 1e6, kProducts},
};

void hold_to_truth(const Report& report, const Block& scores, const LongMatrix& k,
                   const std::string& name) {
  const Eigen::SelfAdjointEigenSolver<LongMatrix> truth(k);
  const Index n = k.rows();
  const double largest = report.spectrum->eigenvalues[0];
  // Of the oracle: entries of 1e14 and more have an error of 1e-19 of themselves.
  const double oracle = 1e-11 * largest;
  const double slack = report.spectrum->certificate.operator_error * largest + oracle;
  for (Index i = 0; i < report.spectrum->eigenvalues.size(); ++i) {
    const auto exact = static_cast<double>(truth.eigenvalues()[n - 1 - i]);
    EXPECT_LE(exact, report.spectrum->certificate.eigenvalue_upper[i] + oracle) << name << ' ' << i;
    EXPECT_LE(report.spectrum->eigenvalues[i],
              exact + slack + 30 * static_cast<double>(n) * 0x1p-53 * largest)
        << name << ' ' << i;
    const Eigen::Matrix<Long, Eigen::Dynamic, 1> u =
        scores.col(i).cast<Long>() / std::sqrt(Long{report.spectrum->eigenvalues[i]});
    const auto residual =
        static_cast<double>((k * u - Long{report.spectrum->eigenvalues[i]} * u).norm()) / largest;
    EXPECT_LE(residual, report.spectrum->certificate.residuals[i] + 1e-11) << name << ' ' << i;
  }
}

double widest(const Report& report) {
  const Vector width = report.spectrum->certificate.eigenvalue_upper - report.spectrum->eigenvalues;
  return width.cwiseQuotient(report.spectrum->eigenvalues).maxCoeff();
}

TEST(StatedBounds, ContainTheRoundingOfLargeEntries) {
  for (const Case& c : kCases)
    for (const std::string solver : {"dense", "block_krylov", "lanczos"})
      for (const std::string asked : {"1e-6", "eigenvalues:1e-10", "eigenvalues:1e-3"}) {
        const Points x = test::random_points({.n = 30, .dim = 3, .seed = 1}).array() + c.offset;
        Context context;
        context.budget.solver_name = solver;
        context.budget.precision = Precision::double_;
        const KernelPca model = KernelPca::fit(
            x, {.kernel = c.kernel, .components = 3, .tolerance = Tolerance::parse(asked)},
            context);
        const Report& report = model.report;
        const std::string name = c.kernel + ' ' + solver + ' ' + asked;
        hold_to_truth(report, model.scores(), centred_gram(x, c.formula), name);
        if (!report.converged) continue;
        if (report.spectrum->eigenvalues_only)
          EXPECT_LE(widest(report), report.spectrum->tolerance) << name;
        else
          EXPECT_LE(report.spectrum->certificate.residuals.maxCoeff(), report.spectrum->tolerance)
              << name;
      }
}

TEST(StatedBounds, WiderThanAskedForIsNotConverged) {
  const Points x = test::random_points({.n = 30, .dim = 3, .seed = 1});
  Context context;
  const auto converged = [&](const char* kernel, const char* tolerance) {
    return KernelPca::fit(
               x, {.kernel = kernel, .components = 3, .tolerance = Tolerance::parse(tolerance)},
               context)
        .report.converged;
  };
  for (const char* solver : {"dense", "block_krylov"}) {
    context.budget.solver_name = solver;
    EXPECT_FALSE(converged("inverse_multiquadric:c=1e7", "eigenvalues:1e-10")) << solver;
    EXPECT_FALSE(converged("inverse_multiquadric:c=1e5", "1e-9")) << solver;
    EXPECT_TRUE(converged("inverse_multiquadric:c=10", "1e-9")) << solver;
    EXPECT_TRUE(converged("gaussian:sigma=1", "eigenvalues:1e-10")) << solver;
    EXPECT_TRUE(converged("gaussian:sigma=1e6", "eigenvalues:1e-10")) << solver;
  }
}

}  // namespace stated_bounds_test
}  // namespace mercer
