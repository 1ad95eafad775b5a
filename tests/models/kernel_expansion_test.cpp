// Functions that are sums of a kernel over training rows: values against the sums written out,
// gradients against differences of the values, norms against a'K a.
#include "mercer/models/kernel_expansion.h"

#include "mercer/models/kind/kernel_pca.h"
#include "tests/support/dense.h"
#include "tests/support/random_points.h"

#include <gtest/gtest.h>

#include <cmath>

namespace mercer {
namespace kernel_expansion_test {

Points rows(Index n, Index dim, std::uint64_t seed) {
  return test::random_points({.n = n, .dim = dim, .seed = seed});
}

std::span<const double> row_of(const Points& x, Index i) {
  return {x.row(i).data(), static_cast<std::size_t>(x.cols())};
}

// Differences of the values, extrapolated.
Block by_differences(const KernelExpansion& f, const Points& x, Index i, double step) {
  Block slopes(x.cols(), f.functions());
  for (Index j = 0; j < x.cols(); ++j) {
    const auto slope = [&](double h) {
      Points moved = x.row(i).replicate(2, 1);
      moved(0, j) += h;
      moved(1, j) -= h;
      const Block at = f.values(moved, {});
      return Block((at.row(0) - at.row(1)) / (2 * h));
    };
    slopes.row(j) = (4 * slope(step / 2) - slope(step)) / 3;
  }
  return slopes;
}

TEST(KernelExpansion, HasTheValuesOfItsSums) {
  const Points x = rows(30, 3, 1), fresh = rows(7, 3, 2);
  const Kernel kernel("matern:nu=2.5,length=2");
  const Block a = rows(30, 2, 3);
  const Vector bias = Vector::LinSpaced(2, 1, 2);
  KernelExpansion f(kernel, false);
  f.over_rows(Dataset(Points(x)), make_frame(kernel, x, false, {}), a, bias);
  const Block expected = (test::dense_kernel(kernel, fresh, x) * a).rowwise() - bias.transpose();
  EXPECT_LE(test::max_abs(f.values(fresh, {}) - expected), 1e-12);
  const Vector norms = (a.transpose() * test::dense_kernel(kernel, x) * a).diagonal().cwiseSqrt();
  EXPECT_LE(test::max_abs(f.norms({}) - norms), 1e-12 * norms.maxCoeff());
}

TEST(KernelExpansion, HasTheSlopesOfItsValues) {
  const Points x = rows(60, 3, 4).cwiseAbs(), fresh = rows(5, 3, 5).cwiseAbs().array() + 0.05;
  for (const char* spec : {"gaussian", "linear", "polynomial", "laplacian", "thin_plate_spline",
                           "sigmoid:scale=0.2", "gaussian:sigma=2+0.5*cosine", "chi_squared"}) {
    const KernelPca model = KernelPca::fit(x, {.kernel = spec, .components = 2});
    const KernelExpansion& f = model.expansion();
    for (Index i = 0; i < fresh.rows(); ++i) {
      const Block slopes = f.gradient(row_of(fresh, i), {}),
                  expected = by_differences(f, fresh, i, 1e-4);
      EXPECT_LE(test::max_abs(slopes - expected), 1e-7 * (1 + test::max_abs(expected))) << spec;
    }
  }
}

TEST(KernelExpansion, HasSlopesThroughFeaturesAndChosenRows) {
  struct Case {
    const char *operator_name, *spec;
    Index dim = 2;
  };
  for (const Case& c : {Case{"polynomial_features", "polynomial:degree=2"},
                        Case{"taylor_features", "gaussian:sigma=4"},
                        Case{"fourier_features", "gaussian:sigma=2", 1},
                        Case{"cholesky_features", "gaussian:sigma=4"}}) {
    const Points x = rows(400, c.dim, 6), fresh = rows(4, c.dim, 7);
    Context through, plain;
    through.budget.operator_name = c.operator_name;
    plain.budget.operator_name = "dense_gram";
    const KernelPcaOptions options{.kernel = c.spec, .components = 2, .tolerance = 1e-10};
    const KernelPca model = KernelPca::fit(x, options, through),
                    exact = KernelPca::fit(x, options, plain);
    for (Index i = 0; i < fresh.rows(); ++i) {
      Block slopes = model.expansion().gradient(row_of(fresh, i), {});
      const Block expected = exact.expansion().gradient(row_of(fresh, i), {});
      for (Index j = 0; j < 2; ++j)
        if (slopes.col(j).dot(expected.col(j)) < 0) slopes.col(j) *= -1;
      EXPECT_LE(test::max_abs(slopes - expected), 1e-6 * test::max_abs(expected))
          << c.operator_name;
    }
  }
}

// Axes of kernel PCA have unit length in the feature space.
TEST(KernelExpansion, OfKernelPcaHasUnitNorms) {
  const Points x = rows(50, 4, 8);
  for (const char* spec : {"gaussian", "polynomial:degree=2", "matern"}) {
    const KernelPca model = KernelPca::fit(x, {.kernel = spec, .components = 3});
    EXPECT_LE(test::max_abs(model.expansion().norms({}) - Vector::Ones(3)), 1e-7) << spec;
  }
  const Points k = test::dense_kernel("gaussian:sigma=2", x);
  const KernelPca given = KernelPca::fit(k, {.components = 2, .as = "kernel"});
  EXPECT_FALSE(given.expansion().norms({}).allFinite());
}

TEST(KernelExpansion, OfDistancesHasSlopesInTheDistances) {
  const Points x = rows(20, 3, 9);
  Points d(20, 20);
  for (Index i = 0; i < 20; ++i)
    for (Index j = 0; j < 20; ++j) d(i, j) = (x.row(i) - x.row(j)).norm();
  const KernelPca model = KernelPca::fit(d, {.components = 2, .as = "distance"});
  const KernelExpansion& f = model.expansion();
  const Block slopes = f.gradient(row_of(d, 3), {});
  EXPECT_EQ(slopes.rows(), 20);
  Points up = d.row(3);
  up(0, 7) += 1e-6;
  const Block change = (f.values(up, {}) - f.values(Points(d.row(3)), {})) / 1e-6;
  EXPECT_LE(test::max_abs(change - slopes.row(7)), 1e-4 * (1 + test::max_abs(slopes)));
}

}  // namespace kernel_expansion_test
}  // namespace mercer
