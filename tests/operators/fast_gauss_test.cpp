// Oracle: the kernel matrix by the scalar formula, times the vector.
#include "mercer/core/random.h"
#include "mercer/operators/gauss_clusters.h"
#include "mercer/operators/geometry.h"
#include "mercer/operators/recipe.h"
#include "mercer/operators/taylor_terms.h"
#include "tests/support/dense.h"
#include "tests/support/errors.h"
#include "tests/support/random_points.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>

namespace mercer {
namespace {

// Sums of a few hundred terms in double, in two orders.
constexpr double kRounding = 1e-14;

struct Case {
  Index n, dim;
  double sigma, eps;  // in units of the spread of the data
  int layout;         // 0 uniform, 1 clustered, 2 duplicates, 3 a constant column, 4 far apart
};

Points table(const Case& c, std::uint64_t seed) {
  const Random random(seed);
  Points x(c.n, c.dim);
  for (Index i = 0; i < x.size(); ++i) x.data()[i] = random.uniform(static_cast<std::uint64_t>(i));
  const Points centres = test::random_points({.n = 7, .dim = c.dim, .seed = seed + 1});
  for (Index i = 0; i < c.n; ++i) {
    if (c.layout == 1) x.row(i) = 0.05 * x.row(i) + centres.row(i % 7);
    if (c.layout == 2) x.row(i) = x.row(i % 20);
    if (c.layout == 4 && i % 2 == 1) x.row(i).array() += 1e6;
  }
  if (c.layout == 3) x.col(c.dim - 1).setConstant(3);
  return x;
}

/// A problem with its geometry, made by hand.
struct Made {
  Context context;
  Points x;
  GramProblem problem;

  Made(Points rows, const std::string& kernel, double eps)
      : x(std::move(rows)), problem{x, Kernel(kernel), false, 1} {
    const Frame frame = make_frame(problem.kernel, x, false, context);
    problem.frame = std::make_shared<Frame>(frame);
    auto geometry = std::make_shared<Geometry>();
    geometry->scale = frame.scale;
    geometry->centre = frame.centre;
    geometry->sample = (x * frame.scale).rowwise() - frame.centre.transpose();
    geometry->low = geometry->sample.colwise().minCoeff();
    geometry->high = geometry->sample.colwise().maxCoeff();
    geometry->middle = (geometry->low + geometry->high) / 2;
    geometry->ball =
        (geometry->sample.rowwise() - geometry->middle.transpose()).rowwise().norm().maxCoeff();
    geometry->constant = frame.less_diagonal;
    geometry->allowed = eps;
    if (const auto* gaussian = problem.kernel.only<Gaussian>()) {
      geometry->width = gaussian->rescaled(frame.scale).sigma;
      geometry->clusters = cluster_shape(geometry->sample, geometry->width, eps);
    }
    geometry->near = near_shape(geometry->sample, problem.kernel, frame.scale, x.rows(), eps);
    problem.geometry = geometry;
  }
};

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
      for (int layout = 0; layout < 5; ++layout)
        for (int e = 0; e<4; e += dim> 3 ? 2 : 1) {
          if (++seed % 2 == 0 || number++ % every != 0) continue;
          const Case c{200 + static_cast<Index>(seed % 3) * 50, dim, width, errors[e], layout};
          const Made made(table(c, seed), gaussian(width), c.eps);
          if (recipe().refuse(made.problem, {})) continue;
          SCOPED_TRACE(testing::Message() << "dim " << dim << " width " << width << " layout "
                                          << layout << " eps " << c.eps);
          f(made, *recipe().build(made.problem, made.context),
            test::dense_kernel(made.problem.kernel, made.x));
          ++served;
        }
  return served;
}

TEST(FastGauss, IsWithinItsBoundInEveryCase) {
  double ratios = 0, logs = 0, worst = 0, truncated = 0;
  const Index served =
      for_all(1, [&](const Made& made, const SymmetricOperator& a, const Block& k) {
        const Index n = a.size();
        const double bound = made.problem.geometry->allowed;
        EXPECT_LE(a.error() / static_cast<double>(n), bound * (1 + 1e-9));
        Block u = test::random_points({.n = n, .dim = 2, .seed = 5});
        u.col(1) = u.col(1).cwiseAbs();
        Block v(n, 2);
        v.setConstant(1e300);
        a.apply(u, v, nullptr);
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
  for_all(8, [&](const Made&, const SymmetricOperator& a, const Block& k) {
    const auto n = static_cast<double>(a.size());
    PassSums sums;
    Block v(a.size(), 1);
    a.apply(Block::Ones(a.size(), 1), v, &sums);
    EXPECT_TRUE(v.col(0) == sums.row_sums);
    EXPECT_LE(test::max_abs(sums.row_sums - k.rowwise().sum()), a.error() + n * kRounding);
    EXPECT_EQ(sums.trace, n);
    EXPECT_NEAR(sums.frobenius_squared, k.squaredNorm(),
                k.squaredNorm() * (sums.frobenius_error + n * kRounding));
    EXPECT_TRUE(a.diagonal() == Vector::Ones(a.size()));
  });
}

TEST(FastGauss, FormsTheMatrixItselfExactlySymmetric) {
  const Made made(table({150, 3, 0.5, 1e-6, 1}, 3), gaussian(0.5), 1e-6);
  ASSERT_FALSE(recipe().refuse(made.problem, {}));
  const auto a = recipe().build(made.problem, made.context);
  const Block k = test::dense_kernel(made.problem.kernel, made.x);
  Block formed(150, 150), some(150, 2);
  a->form(formed);
  EXPECT_TRUE(formed == formed.transpose());
  EXPECT_LE(test::max_abs(formed - k), kRounding);
  const Index which[] = {140, 3};
  ASSERT_TRUE(a->columns(which, some));
  EXPECT_TRUE(some.col(0) == formed.col(140) && some.col(1) == formed.col(3));
  // Entries (i, j) and (j, i) of its products differ, within the bound.
  const Block products = test::dense(*a);
  EXPECT_LE(test::max_abs(products - products.transpose()), 2 * a->error() / 150 + kRounding);
}

TEST(FastGauss, ItsNumbersDoNotDependOnTheNumberOfThreads) {
  for (const double sigma : {0.1, 1.0}) {
    Made made(table({5000, 2, sigma, 1e-6, 1}, 4), gaussian(sigma), 1e-6);
    ASSERT_FALSE(recipe().refuse(made.problem, {}));
    const Block u = test::random_points({.n = 5000, .dim = 3, .seed = 9});
    std::vector<Block> products;
    for (const Index threads : {1, 2, 3, 7}) {
      made.context.budget.threads = threads;
      Block v(5000, 3);
      PassSums sums;
      recipe().build(made.problem, made.context)->apply(u, v, &sums);
      products.push_back(v);
      products.back().conservativeResize(5000, 4);
      products.back().col(3) = sums.row_sums;
    }
    for (const Block& product : products) EXPECT_TRUE(product == products[0]);
  }
}

TEST(FastGauss, StopsWhenTheCallerCancels) {
  Made made(table({300, 2, 0.5, 1e-6, 0}, 4), gaussian(0.5), 1e-6);
  made.context.observer.cancelled = [] { return true; };
  EXPECT_EQ(test::code_of([&] { recipe().build(made.problem, made.context); }), "M001");
}

TEST(FastGauss, RefusesInPlainWords) {
  const auto reason = [](const Made& made) {
    return recipe().refuse(made.problem, {}).value_or("serves");
  };
  const Points x = table({300, 10, 0, 0, 0}, 6);
  EXPECT_EQ(reason(Made(x, "matern:length=1", 1e-6)), "the kernel is not a Gaussian");
  EXPECT_EQ(reason(Made(x, gaussian(5000), 1e-6)), "the kernel is nearly constant");
  EXPECT_NE(reason(Made(x, gaussian(0.3), 1e-9)).find("in 10 dimensions"), std::string::npos);
  Made bare(x, gaussian(1), 1e-6);
  bare.problem.geometry = nullptr;
  EXPECT_EQ(reason(bare), "too few rows, or too many columns");
}

TEST(FastGauss, PricesWhatItsShapeSays) {
  const Made made(table({400, 2, 0.3, 1e-6, 0}, 6), gaussian(0.3), 1e-6);
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

}  // namespace
}  // namespace mercer
