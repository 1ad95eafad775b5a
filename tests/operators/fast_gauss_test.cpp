// Oracle: the kernel matrix by the scalar formula, times the vector.
#include "mercer/operators/gauss_clusters.h"
#include "mercer/operators/taylor_terms.h"
#include "tests/support/expansion_cases.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>

namespace mercer {
namespace fast_gauss_test {

using test::Expanded;
using test::table;
constexpr double kRounding = test::kSumRounding;

const OperatorRecipe& recipe() { return operator_recipe("fast_gauss"); }

std::string gaussian(double sigma) { return "gaussian:sigma=" + std::to_string(sigma); }

/// Calls f(made, operator, kernel matrix) for one in `every` random cases, where it is served.
template <class F>
Index for_all(Index every, F&& f) {
  const double widths[] = {0.1, 0.2, 0.4, 0.8, 1.5, 3, 8};
  const double errors[] = {1e-3, 1e-6, 1e-9, 1e-12};
  Index served = 0, number = 0;
  std::uint64_t seed = 100;
  for (Index dim = 1; dim <= 10; ++dim)
    for (const double width : widths)
      for (int layout = 0; layout < test::kLayouts; ++layout)
        for (int e = 0; e<4; e += dim> 3 ? 2 : 1) {
          if (++seed % 2 == 0 || number++ % every != 0) continue;
          const Index n = 200 + static_cast<Index>(seed % 3) * 50;
          const Expanded made(table({n, dim, layout}, seed), gaussian(width), errors[e]);
          if (recipe().refuse(made.problem, {})) continue;
          SCOPED_TRACE(testing::Message() << "dim " << dim << " width " << width << " layout "
                                          << layout << " eps " << errors[e]);
          f(made, *recipe().build(made.problem, made.context),
            test::dense_kernel(made.problem.kernel, made.x));
          ++served;
        }
  return served;
}

TEST(FastGauss, IsWithinItsBoundInEveryCase) {
  double ratios = 0, logs = 0, worst = 0, truncated = 0;
  const Index served =
      for_all(1, [&](const Expanded& made, const SymmetricOperator& a, const Block& k) {
        const Index n = a.size();
        const double bound = made.problem.facts.geometry->allowed;
        EXPECT_LE(a.error() / static_cast<double>(n), bound * (1 + 1e-9));
        Block u = test::random_points({.n = n, .dim = 2, .seed = 5});
        u.col(1) = u.col(1).cwiseAbs();
        Block v(n, 2);
        v.setConstant(1e300);
        a.apply(u, v, nullptr, made.context);
        for (Index j = 0; j < 2; ++j) {
          const double weight = u.col(j).cwiseAbs().sum();
          const double error = test::max_abs(v.col(j) - k * u.col(j));
          EXPECT_LE(error, (bound + kRounding) * weight);
          // The norm of the whole error is bounded more sharply.
          const double norm = (v.col(j) - k * u.col(j)).norm();
          EXPECT_LE(norm, a.error() * u.col(j).norm() +
                              kRounding * weight * std::sqrt(static_cast<double>(n)));
          worst = std::max(worst, error / ((bound + kRounding) * weight));
          if (j == 0 || error < kRounding * weight) continue;  // rounding, not truncation
          ratios += bound * weight / error;
          logs += std::log10(bound * weight / error);
          ++truncated;
        }
      });
  EXPECT_GE(served, 250);
  RecordProperty("cases", std::to_string(served));
  RecordProperty("mean_bound_over_error", std::to_string(ratios / truncated));
  RecordProperty("geometric_mean", std::to_string(std::pow(10, logs / truncated)));
  RecordProperty("worst_error_over_bound", std::to_string(worst));
}

TEST(FastGauss, APassGivesRowSumsAndTheNorm) {
  for_all(8, [&](const Expanded& made, const SymmetricOperator& a, const Block& k) {
    const auto n = static_cast<double>(a.size());
    PassSums sums;
    Block v(a.size(), 1);
    a.apply(Block::Ones(a.size(), 1), v, &sums, made.context);
    EXPECT_TRUE(v.col(0) == sums.row_sums);
    EXPECT_LE(test::max_abs(sums.row_sums - k.rowwise().sum()), a.error() + n * kRounding);
    EXPECT_EQ(sums.trace, n);
    EXPECT_NEAR(sums.frobenius_squared, k.squaredNorm(),
                k.squaredNorm() * (sums.frobenius_error + n * kRounding));
    EXPECT_TRUE(a.diagonal(made.context) == Vector::Ones(a.size()));
  });
}

TEST(FastGauss, FormsTheMatrixItselfExactlySymmetric) {
  const Expanded made(table({150, 3, 1}, 3), gaussian(0.5), 1e-6);
  ASSERT_FALSE(recipe().refuse(made.problem, {}));
  const auto a = recipe().build(made.problem, made.context);
  const Block k = test::dense_kernel(made.problem.kernel, made.x);
  Block formed(150, 150), some(150, 2);
  a->form(formed, made.context);
  EXPECT_TRUE(formed == formed.transpose());
  EXPECT_LE(test::max_abs(formed - k), kRounding);
  const Index which[] = {140, 3};
  ASSERT_TRUE(a->columns(which, some, made.context));
  EXPECT_TRUE(some.col(0) == formed.col(140) && some.col(1) == formed.col(3));
  // Entries (i, j) and (j, i) of its products differ, within the bound.
  const Block products = test::dense(*a);
  EXPECT_LE(test::max_abs(products - products.transpose()), 2 * a->error() / 150 + kRounding);
}

TEST(FastGauss, ItsNumbersDoNotDependOnTheNumberOfThreads) {
  for (const double sigma : {0.1, 1.0}) {
    Expanded made(table({5000, 2, 1}, 4), gaussian(sigma), 1e-6);
    test::expect_same_bytes_with_any_threads(recipe(), made, 3);
  }
}

TEST(FastGauss, StopsWhenTheCallerCancels) {
  Expanded made(table({300, 2, 0}, 4), gaussian(0.5), 1e-6);
  test::expect_stops_when_cancelled(recipe(), made);
}

TEST(FastGauss, RefusesInPlainWords) {
  const auto reason = [](const Expanded& made) { return test::refusal(recipe(), made); };
  const Points x = table({300, 10, 0}, 6);
  EXPECT_EQ(reason(Expanded(x, "matern:length=1", 1e-6)), "the kernel is not a Gaussian");
  EXPECT_EQ(reason(Expanded(x, gaussian(5000), 1e-6)), "the kernel is nearly constant");
  EXPECT_NE(reason(Expanded(x, gaussian(0.3), 1e-9)).find("in 10 dimensions"), std::string::npos);
  Expanded bare(x, gaussian(1), 1e-6);
  bare.problem.facts.geometry = nullptr;
  EXPECT_EQ(reason(bare), "too few rows, or too many columns");
}

TEST(FastGauss, PricesWhatItsShapeSays) {
  const Expanded made(table({400, 2, 0}, 6), gaussian(0.3), 1e-6);
  const Cost few = recipe().cost(made.problem, {}, Precision::double_, 1),
             many = recipe().cost(made.problem, {}, Precision::double_, 50);
  EXPECT_GT(few.pass_seconds, 0);
  EXPECT_GT(many.pass_seconds, few.pass_seconds);
  EXPECT_GT(many.bytes, few.bytes);
  EXPECT_GE(few.bytes, 400u * 2 * 8);
  EXPECT_EQ(few.error, 1e-6);
}

TEST(TruncationDegree, KeepsTheTermsThatAreLeftOutBelowTheError) {
  // The worst pair: on a line through the centre, the source at the radius.
  for (const double radius : {0.05, 0.5, 1.0, 2.0, 4.0})
    for (const double eps : {1e-3, 1e-6, 1e-12}) {
      const Index p = truncation_degree(radius, eps, 1e9);
      ASSERT_GT(p, 0);
      const double cutoff = gauss_cutoff(eps);
      EXPECT_NEAR(std::exp(-cutoff * cutoff / 2), eps, 1e-12 * 1e-3);
      double worst = 0;
      for (double b = -cutoff - radius; b <= cutoff + radius; b += (cutoff + radius) / 200) {
        long double term = std::exp(-0.5L * (radius * radius + b * b)), rest = 0;
        for (Index k = 0; k < p + 200; ++k) {
          if (k >= p) rest += term;
          term *= static_cast<long double>(radius * b) / static_cast<long double>(k + 1);
        }
        worst = std::max(worst, std::abs(static_cast<double>(rest)));
      }
      EXPECT_LE(worst, truncation_error(radius, p, cutoff + radius));
      EXPECT_LE(truncation_error(radius, p, cutoff + radius), eps);
      EXPECT_GE(truncation_error(radius, p, cutoff + radius),
                eps * 1e-3);  // no terms that nobody needs
      EXPECT_GE(worst,
                0.99 * truncation_error(radius, p, cutoff + radius));  // the bound is attained
    }
  EXPECT_EQ(truncation_degree(0, 1e-12, 1), 1);
  EXPECT_EQ(truncation_degree(500, 1e-3, 1000), 0);
  EXPECT_LT(truncation_degree(1, 1e-6, 1), truncation_degree(1, 1e-6, 5));  // fewer for near rows
}

}  // namespace fast_gauss_test
}  // namespace mercer
