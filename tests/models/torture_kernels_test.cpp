// Numerical torture of the kernel families: every family against 113-bit arithmetic on the same
// rounded input, at widths a billion times the spread of the data, far from the origin, at the ends
// of the range, and beside new rows that lie beyond all measure.
#include "mercer/core/text.h"
#include "mercer/models/kind/kernel_pca.h"
#include "mercer/models/kind/pca.h"
#include "tests/oracle/quad_reference.h"
#include "tests/support/dense.h"
#include "tests/support/errors.h"
#include "tests/support/fitted.h"
#include "tests/support/random_points.h"

#include <gtest/gtest.h>

#include <functional>

namespace mercer {
namespace torture_kernels_test {

using oracle::Quad;
using test::code_of;
using test::kRatio;
using test::kUnit;

KernelPca fit(const Points& x, const std::string& kernel, Components components) {
  return KernelPca::fit(x, {.kernel = kernel, .components = components});
}

double relative_error(const Vector& got, const Vector& known) {
  return test::max_abs((got - known).cwiseQuotient(known));
}

Quad coordinate_sum(const Quad* x, const Quad* y, Index dim) {
  Quad sum = 0;
  for (Index j = 0; j < dim; ++j) sum += fabsq(x[j] - y[j]);
  return sum;
}

Quad chi_distance(const Quad* x, const Quad* y, Index dim) {
  Quad sum = 0;
  for (Index j = 0; j < dim; ++j)
    if (x[j] + y[j] > 0) sum += (x[j] - y[j]) * (x[j] - y[j]) / (x[j] + y[j]);
  return sum;
}

using QuadKernel = std::function<Quad(const Quad*, const Quad*, Index)>;

/// The kernel as a function of |x - y|^2.
QuadKernel radial(Quad (*f)(Quad)) {
  return
      [f](const Quad* x, const Quad* y, Index dim) { return f(oracle::quad_squared(x, y, dim)); };
}

struct Reference {
  std::string spec;
  QuadKernel kernel;
  Index components = 6;
};

void PrintTo(const Reference& reference, std::ostream* out) { *out << reference.spec; }

/// Ordinary widths.
std::vector<Reference> ordinary() {
  const QuadKernel laplacian = [](const Quad* x, const Quad* y, Index dim) {
    return expq(-coordinate_sum(x, y, dim) / 2);
  };
  const QuadKernel chi = [](const Quad* x, const Quad* y, Index dim) {
    return expq(-chi_distance(x, y, dim) / 2);
  };
  const QuadKernel additive = [](const Quad* x, const Quad* y, Index dim) {
    return -chi_distance(x, y, dim);
  };
  const QuadKernel cosine = [](const Quad* x, const Quad* y, Index dim) {
    const Quad xx = oracle::quad_dot(x, x, dim), yy = oracle::quad_dot(y, y, dim);
    return oracle::quad_dot(x, y, dim) / sqrtq(xx * yy);
  };
  return {
      {"laplacian:length=2", laplacian},
      {"exponential:length=2", radial([](Quad q) { return expq(-sqrtq(q) / 2); })},
      {"matern:nu=1.5,length=2", radial([](Quad q) {
         const Quad s = sqrtq(3 * q) / 2;
         return (1 + s) * expq(-s);
       })},
      {"matern:nu=2.5,length=2", radial([](Quad q) {
         const Quad s = sqrtq(5 * q) / 2;
         return (1 + s + s * s / 3) * expq(-s);
       })},
      {"rational_quadratic:alpha=2,length=2", radial([](Quad q) {
         const Quad t = 1 + q / 16;
         return 1 / (t * t);
       })},
      {"inverse_multiquadric:c=2", radial([](Quad q) { return 1 / sqrtq(q + 4); })},
      {"multiquadric:c=2", radial([](Quad q) { return -sqrtq(q + 4); })},
      {"power_distance:exponent=1.5",
       radial([](Quad q) { return q > 0 ? -powq(q, Quad(0.75)) : Quad(0); })},
      {"log_distance:exponent=2", radial([](Quad q) { return -logq(1 + q); })},
      {"chi_squared:gamma=0.5", chi},
      {"additive_chi_squared", additive, 3},
      {"cosine", cosine, 3},
  };
}

/// Widths a billion (c: a hundred million) times the spread: all of k is the diagonal, to rounding.
std::vector<Reference> wide() {
  const QuadKernel laplacian = [](const Quad* x, const Quad* y, Index dim) {
    return expq(-coordinate_sum(x, y, dim) / Quad(1e9));
  };
  const QuadKernel chi = [](const Quad* x, const Quad* y, Index dim) {
    return expq(-chi_distance(x, y, dim) * Quad(1e-9));
  };
  return {
      {"laplacian:length=1e9", laplacian},
      {"exponential:length=1e9", radial([](Quad q) { return expq(-sqrtq(q) / Quad(1e9)); })},
      // Squares of 1e-9: past the three linear directions nothing is left.
      {"rational_quadratic:alpha=2,length=1e9", radial([](Quad q) {
         const Quad t = 1 + q / Quad(4e18);
         return 1 / (t * t);
       }),
       3},
      {"gaussian:sigma=1e9", radial([](Quad q) { return expq(-q / Quad(2e18)); }), 3},
      {"multiquadric:c=1e8", radial([](Quad q) { return -sqrtq(q + Quad(1e16)); }), 3},
      {"chi_squared:gamma=1e-9", chi, 3},
  };
}

class KernelAgainstQuad : public testing::TestWithParam<Reference> {};
INSTANTIATE_TEST_SUITE_P(Ordinary, KernelAgainstQuad, testing::ValuesIn(ordinary()));
INSTANTIATE_TEST_SUITE_P(Wide, KernelAgainstQuad, testing::ValuesIn(wide()));

TEST_P(KernelAgainstQuad, EigenvaluesAndScoresKeepTheirDigits) {
  const Points x = test::random_points({.n = 36, .dim = 3, .seed = 1}).cwiseAbs();
  const Index k = GetParam().components;
  const KernelPca model = fit(x, GetParam().spec, k);
  ASSERT_EQ(model.report.spectrum->eigenvalues.size(), k);
  const oracle::QuadEigen exact = oracle::quad_kernel_pca(x, GetParam().kernel);
  const Vector mu = exact.values.head(k);
  const double error = relative_error(model.report.spectrum->eigenvalues, mu);
  // Ratio 30 of what rounding may cause, relative to the smallest value kept.
  EXPECT_LE(error, kRatio * 36 * kUnit * mu[0] / mu[k - 1]);
  EXPECT_LE(error, 1e-11);
  const Block scores = exact.vectors.leftCols(k) * mu.cwiseSqrt().asDiagonal();
  EXPECT_LE(test::difference_up_to_sign(model.scores(), scores), 1e-10 * test::max_abs(scores));
  EXPECT_LE(test::max_abs(model.transform(x, {}) - model.scores()), 1e-10 * test::max_abs(scores));
  RecordProperty("worst", brief(error));
}

/// Specifications whose width follows the data, so that scale cannot matter.
const char* const kFound[] = {"laplacian",
                              "exponential",
                              "matern:nu=0.5",
                              "matern:nu=2.5",
                              "rational_quadratic",
                              "rational_quadratic:alpha=3",
                              "thin_plate_spline:c=median",
                              "cosine"};

TEST(TortureKernels, N2PowersOfTwoChangeNoBit) {
  const Points x = test::random_points({.n = 30, .dim = 3, .seed = 2});
  const Points fresh = test::random_points({.n = 7, .dim = 3, .seed = 3});
  for (const char* spec : kFound) {
    const KernelPca base = fit(x, spec, 3);
    for (const int power : {-450, -1, 1, 450}) {
      const double factor = std::ldexp(1.0, power);
      const KernelPca model = fit(x * factor, spec, 3);
      EXPECT_TRUE(model.scores() == base.scores()) << spec << " " << power;
      EXPECT_TRUE(model.transform(Points(fresh * factor), {}) == base.transform(fresh, {}))
          << spec << " " << power;
    }
  }
}

TEST(TortureKernels, N2EveryScaleOfTheRangeGivesTheSameScores) {
  const Points x = test::random_points({.n = 30, .dim = 3, .seed = 4});
  for (const char* spec : kFound) {
    const KernelPca base = fit(x, spec, 3);
    for (const double scale : {1e-300, 1e-150, 1e150, 1e300}) {
      const KernelPca model = fit(x * scale, spec, 3);
      EXPECT_LE(test::max_abs(model.scores() - base.scores()), 1e-11) << spec << " " << scale;
    }
  }
}

TEST(TortureKernels, N1RowsFarFromTheOriginKeepTheirDigits) {
  const Points x = test::coarse_points({.n = 30, .dim = 3, .seed = 5});
  for (const char* spec :
       {"laplacian:length=2", "exponential:length=2", "matern:nu=1.5,length=2",
        "rational_quadratic:alpha=2,length=2", "inverse_multiquadric:c=1", "multiquadric:c=1",
        "power_distance:exponent=1", "log_distance:exponent=2", "shifted_thin_plate_spline:c=1"}) {
    const KernelPca here = fit(x, spec, 4), there = fit(x.array() + 1e8, spec, 4);  // exact
    EXPECT_LE(relative_error(there.report.spectrum->eigenvalues, here.report.spectrum->eigenvalues),
              1e-11)
        << spec;
    EXPECT_LE(test::max_abs(there.transform(Points(x.array() + 1e8), {}) - here.scores()),
              1e-10 * test::max_abs(here.scores()))
        << spec;
  }
}

TEST(TortureKernels, N3LinearDataAtTheEndsOfTheRange) {
  const Points x = test::random_points({.n = 30, .dim = 3, .seed = 6});
  const Vector base = Pca::fit(x, {.components = 3}).report.spectrum->eigenvalues;
  for (const double scale : {1e-150, 1e-145, 1e145, 1e148}) {
    const Vector pca = Pca::fit(Points(x * scale), {.components = 3}).report.spectrum->eigenvalues;
    EXPECT_LE(relative_error((pca / scale) / scale, base), 1e-12) << scale;
    for (const bool center : {true, false}) {
      const auto eigenvalues = [&](const Points& rows) {
        return KernelPca::fit(rows, {.kernel = "linear", .components = 3, .center = center})
            .report.spectrum->eigenvalues;
      };
      EXPECT_LE(relative_error((eigenvalues(x * scale) / scale) / scale, eigenvalues(x)), 1e-12)
          << scale;
    }
  }
  for (const double scale : {1e-300, 1e-170, 1e-160, 1e-153, 1e152, 1e160, 1e300}) {
    EXPECT_EQ(code_of([&] { Pca::fit(Points(x * scale), {}); }), "M221") << scale;
    EXPECT_EQ(code_of([&] { fit(x * scale, "linear", 2); }), "M221") << scale;
    EXPECT_EQ(
        code_of([&] { KernelPca::fit(Points(x * scale), {.kernel = "linear", .center = false}); }),
        "M221")
        << scale;
  }
}

TEST(TortureKernels, N4DenormalAndMixedScalesGiveNumbersForEveryFamily) {
  const Points x = test::random_points({.n = 30, .dim = 3, .seed = 7}).cwiseAbs();
  Points mixed = x;
  mixed.col(0) *= 1e300;
  mixed.col(1) *= 1e-310;
  for (const char* spec : {"gaussian", "laplacian", "exponential", "matern", "rational_quadratic",
                           "chi_squared:gamma=1e-300"}) {
    const auto model = test::fitted<KernelPca>(mixed, {.kernel = spec, .components = 2}, {});
    EXPECT_TRUE(model->report.spectrum->eigenvalues.allFinite()) << spec;
    EXPECT_TRUE(model->transform(mixed, {}).allFinite()) << spec;
    EXPECT_TRUE(test::has_warning(model->report.warnings, WarningCode::scales_differ)) << spec;
  }
  // All rows have the direction of the large column.
  EXPECT_EQ(code_of([&] { fit(mixed, "cosine", 2); }), "M244");
  for (const char* spec :
       {"gaussian", "laplacian", "exponential", "matern", "rational_quadratic", "cosine"}) {
    // 1e-310 holds 2e13 denormal steps: what rounding the input to them does.
    const KernelPca tiny = fit(x * 1e-310, spec, 2), base = fit(x, spec, 2);
    EXPECT_LE(test::max_abs(tiny.scores() - base.scores()), 1e-11) << spec;
  }
  // Kernels that grow with the distance overflow, and say so.
  for (const char* spec : {"power_distance:exponent=2", "thin_plate_spline", "additive_chi_squared",
                           "chi_squared_similarity", "polynomial:degree=2", "multiquadric"})
    EXPECT_EQ(code_of([&] { fit(mixed * 1e7, spec, 2); }), "M221") << spec;
}

TEST(TortureKernels, NewRowsBeyondAllMeasure) {
  const Points x = test::random_points({.n = 30, .dim = 3, .seed = 8}).cwiseAbs();
  for (const double far : {1e20, 1e100, 1e155, 1e300}) {
    const Points fresh = Points::Constant(1, 3, far);
    for (const char* spec : {"gaussian", "laplacian", "exponential", "matern", "chi_squared",
                             "inverse_multiquadric", "rational_quadratic", "cosine"}) {
      const KernelPca model = fit(x, spec, 2);
      const Block scores = model.transform(fresh, {});
      EXPECT_TRUE(scores.allFinite()) << spec << " " << far;
      Context single;
      single.budget.precision = Precision::single_;
      const KernelPca rough = KernelPca::fit(x, {.kernel = spec, .components = 2}, single);
      EXPECT_LE(test::difference_up_to_sign(rough.transform(fresh, single), scores),
                1e-3 * test::max_abs(model.scores()))
          << spec << " " << far;
    }
    for (const char* spec : {"power_distance", "multiquadric", "thin_plate_spline"}) {
      const KernelPca model = fit(x, spec, 2);
      const std::string code = code_of([&] {
        const Block scores = model.transform(fresh, {});
        EXPECT_TRUE(scores.allFinite()) << spec << " " << far;
      });
      EXPECT_EQ(code, far < 1e140 ? "no error" : "M221") << spec << " " << far;
    }
  }
}

}  // namespace torture_kernels_test
}  // namespace mercer
