// Fits through features and fast sums against the dense eigenproblem of the kernel written out by
// the scalar formula: eigenvalues inside their enclosures, scores of training rows, of new rows,
// and of rows far outside, and the same after saving and loading; what models keep.
#include "mercer/models/kind/kernel_pca.h"
#include "tests/support/dense.h"
#include "tests/support/errors.h"
#include "tests/support/random_points.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>
#include <string>

namespace mercer {
namespace fast_fit_test {

using test::kUnit;

struct Way {
  std::string op, kernel;
  Index dim;
  bool center = true;
  double tolerance = 1e-8;
};

Context context_of(const Way& way, Index threads = 0) {
  Context context;
  context.budget.operator_name = way.op;
  context.budget.threads = threads;
  return context;
}

KernelPca fit(const Points& x, const Way& way, Index components = 4, Index threads = 0) {
  KernelPcaOptions options;
  options.kernel = way.kernel;
  options.components = Components(components);
  options.center = way.center;
  options.tolerance = Tolerance(way.tolerance);
  return KernelPca::fit(x, options, context_of(way, threads));
}

std::vector<Way> all_ways() {
  std::vector<Way> ways;
  for (const bool center : {true, false}) {
    ways.push_back({"polynomial_features", "polynomial:degree=3", 3, center});
    ways.push_back({"polynomial_features", "polynomial:degree=2,scale=0.5,offset=0", 5, center});
    ways.push_back({"cholesky_features", "gaussian:sigma=4", 3, center});
    ways.push_back({"cholesky_features", "rational_quadratic:alpha=2,length=8", 2, center});
    ways.push_back({"taylor_features", "gaussian:sigma=5", 2, center});
    ways.push_back({"fourier_features", "gaussian:sigma=0.7", 1, center});
    ways.push_back({"fourier_features", "gaussian:sigma=5", 2, center});
    ways.push_back({"fourier_features", "matern:nu=2.5,length=9", 1, center, 1e-5});
    ways.push_back({"fast_gauss", "gaussian:sigma=1.5", 2, center});
    ways.push_back({"near_field", "gaussian:sigma=0.05", 2, center, 1e-6});
    ways.push_back({"near_field", "exponential:length=0.01", 2, center, 1e-6});
  }
  return ways;
}

/// The dense answer: eigenpairs of the (centred) kernel matrix, scores of any rows.
struct Reference {
  Kernel kernel;
  Points x;
  bool center;
  Block k;
  test::DenseEigen eigen;

  Reference(const Points& rows, const Way& way)
      : kernel(way.kernel),
        x(rows),
        center(way.center),
        k(test::dense_kernel(kernel, x)),
        eigen(test::dense_eigen(center ? test::double_centred(k) : k)) {}

  Block scores(const Points& rows, Index count) const {
    Block cross = test::dense_kernel(kernel, rows, x);
    if (center) {
      const Vector means = k.rowwise().mean();
      const Vector mine = cross.rowwise().mean();
      cross.rowwise() -= means.transpose();
      cross.colwise() -= mine;
      cross.array() += means.mean();
    }
    return cross * eigen.vectors.leftCols(count) *
           eigen.values.head(count).cwiseSqrt().cwiseInverse().asDiagonal();
  }
};

std::string text_of(const Way& way) {
  return way.op + " " + way.kernel + (way.center ? "" : " not centred");
}

// Well apart from each other, so that scores are determined.
constexpr Index kRows = 400, kCount = 3;
Points rows_of(const Way& way) {
  Points x = test::random_points({.n = kRows, .dim = way.dim, .seed = 21});
  for (Index j = 0; j < way.dim; ++j) x.col(j) *= std::pow(0.6, static_cast<double>(j));
  return x;
}

TEST(FastFits, EncloseTheDenseEigenvalues) {
  for (const Way& way : all_ways()) {
    SCOPED_TRACE(text_of(way));
    const Points x = rows_of(way);
    const KernelPca model = fit(x, way);
    const Reference truth(x, way);
    const Report& report = model.report;
    EXPECT_EQ(report.plan.operator_name, way.op);
    EXPECT_TRUE(report.converged);
    EXPECT_TRUE(report.spectrum->certificate.complete);
    EXPECT_LE(report.spectrum->certificate.residuals.maxCoeff(), way.tolerance);
    const double largest = truth.eigen.values[0];
    const double rounding = 30 * kRows * kUnit * largest;
    const double error = report.spectrum->certificate.operator_error * largest;
    for (Index i = 0; i < report.spectrum->eigenvalues.size(); ++i) {
      EXPECT_GE(report.spectrum->certificate.eigenvalue_upper[i], truth.eigen.values[i] - rounding)
          << i;
      EXPECT_LE(report.spectrum->eigenvalues[i], truth.eigen.values[i] + error + rounding) << i;
      EXPECT_NEAR(report.spectrum->eigenvalues[i], truth.eigen.values[i], way.tolerance * largest)
          << i;
    }
  }
}

TEST(FastFits, ScoreRowsAsTheKernelSumDoesAlsoFarOutside) {
  for (const Way& way : all_ways()) {
    SCOPED_TRACE(text_of(way));
    const Points x = rows_of(way);
    const KernelPca model = fit(x, way, kCount);
    const Reference truth(x, way);
    Points fresh = test::random_points({.n = 40, .dim = way.dim, .seed = 22});
    fresh.bottomRows(10) *= 4;
    fresh.row(39).setConstant(1e3);
    // The sine of an angle is the residual over the gap, and a score is a kernel over sqrt(mu).
    const Vector& mu = truth.eigen.values;
    double gap = mu[0];
    for (Index i = 0; i < kCount; ++i) gap = std::min(gap, mu[i] - mu[i + 1]);
    const double size = test::dense_kernel(truth.kernel, fresh, x).cwiseAbs().maxCoeff();
    const double allowed = 4 * way.tolerance * (mu[0] / gap) * size * std::sqrt(kRows / mu[kCount]);
    EXPECT_LE(test::difference_up_to_sign(model.transform(fresh, {}), truth.scores(fresh, kCount)),
              allowed);
    EXPECT_LE(test::difference_up_to_sign(model.scores(), truth.scores(x, kCount)), allowed);
    EXPECT_LE(test::max_abs(model.transform(x, {}) - model.scores()), allowed);
    EXPECT_EQ(model.transform(x.topRows(0), {}).rows(), 0);
  }
}

TEST(FastFits, GiveTheSameBytesOnAnyNumberOfThreadsAndAfterLoading) {
  for (const Way& way : all_ways()) {
    SCOPED_TRACE(text_of(way));
    const Points x = rows_of(way);
    const KernelPca model = fit(x, way, kCount, 1);
    const Points fresh = test::random_points({.n = 30, .dim = way.dim, .seed = 23});
    const Block expected = model.transform(fresh, {});
    for (const Index threads : {2, 3, 8}) {
      const KernelPca other = fit(x, way, kCount, threads);
      EXPECT_TRUE(other.report.spectrum->eigenvalues == model.report.spectrum->eigenvalues)
          << threads;
      EXPECT_TRUE(other.scores() == model.scores()) << threads;
      EXPECT_TRUE(other.transform(fresh, {}) == expected) << threads;
    }
    const KernelPca loaded = KernelPca::from(model.state());
    EXPECT_TRUE(loaded.transform(fresh, {}) == expected);
    EXPECT_LE(test::max_abs(loaded.training_scores(x, {}) - model.scores()),
              1e-6 * test::max_abs(model.scores()));
  }
}

// Without the scores that pictures of the model need, of which at most 20 MB are kept.
std::size_t bytes_of(const State& state) {
  std::size_t total = 0;
  for (const Array& array : state.arrays)
    if (array.name != "training.scores") total += array.bytes.size();
  return total;
}

// The same rows `copies` times: more rows of the same extents and the same rank.
std::size_t bytes_with(Index copies, const Way& way) {
  return bytes_of(fit(rows_of(way).replicate(copies, 1), way).state());
}

TEST(FastFits, KeepModelsThatDoNotGrowWithTheRows) {
  for (const Way& way : {Way{"polynomial_features", "polynomial:degree=3", 3},
                         Way{"cholesky_features", "gaussian:sigma=4", 3},
                         Way{"fourier_features", "gaussian:sigma=5", 2}})
    EXPECT_EQ(bytes_with(5, way), bytes_with(1, way)) << way.op;
}

// Features that hold near the rows only: those far outside need the kernel, and the training rows.
TEST(FastFits, ThatKeepTheirRowsGrowByARowAndItsCoefficients) {
  constexpr Index kComponents = 4;
  const Way way{"taylor_features", "gaussian:sigma=5", 2};
  const Index row = 8 * (way.dim + kComponents);
  EXPECT_EQ(bytes_with(5, way), bytes_with(1, way) + static_cast<std::size_t>(4 * kRows * row));
}

TEST(FastFits, WorkOnCopiesConstantColumnsAndRowsOnALine) {
  for (const Way& way : all_ways()) {
    SCOPED_TRACE(text_of(way));
    if (way.dim < 2) continue;
    Points x = rows_of(way);
    x.col(1).setConstant(7);
    for (Index i = 0; i < 100; ++i) x.row(i + 100) = x.row(i).eval();
    const KernelPca model = fit(x, way, 2);
    const Reference truth(x, way);
    for (Index i = 0; i < model.report.spectrum->eigenvalues.size(); ++i)
      EXPECT_NEAR(model.report.spectrum->eigenvalues[i], truth.eigen.values[i],
                  way.tolerance * truth.eigen.values[0]);
  }
}

TEST(FastFits, RefuseFeaturesThatDoNotFitTogether) {
  const std::set<std::string> kSizes = {"width", "scale", "error", "sigma", "reach"};
  for (const Way& way : all_ways()) {
    const State good = fit(rows_of(way), way).state();
    if (good.values["features"].is_null()) continue;
    SCOPED_TRACE(text_of(way));
    State bad = good;
    bad.values["features"]["name"] = "wavelets";
    EXPECT_EQ(test::code_of([&] { KernelPca::from(bad); }), "M703");
    for (const Array& array : good.arrays) {
      if (!array.name.starts_with("feature")) continue;
      bad = good;
      for (Array& other : bad.arrays)
        if (other.name == array.name) other = Array::of(array.name, Vector::Ones(9).eval());
      EXPECT_EQ(test::code_of([&] { KernelPca::from(bad); }), "M703") << array.name;
    }
    for (const auto& [name, value] : good.values["features"].as_object()) {
      // Lengths and errors may be of any size, but not negative; nothing else may be large.
      const bool any_size = kSizes.contains(name);
      for (const Value& other : {Value(-1), Value(1e300), Value(std::int64_t{1} << 40)}) {
        bad = good;
        bad.values["features"][name] = other;
        const bool allowed = any_size && other.as_number() > 0;
        EXPECT_EQ(test::code_of([&] { KernelPca::from(bad); }), allowed ? "no error" : "M703")
            << name << " " << other.as_number();
      }
    }
  }
}

}  // namespace fast_fit_test
}  // namespace mercer
