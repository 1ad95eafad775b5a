// What families must be at the ends of their range and in their limits: never above 1 nor below 0,
// exactly 1 for equal rows, falling with the distance, and equal to other families where theory
// says so.
#include "mercer/core/text.h"
#include "mercer/kernels/tile.h"
#include "tests/support/dense.h"
#include "tests/support/entry_bound.h"
#include "tests/support/random_points.h"

#include <gtest/gtest.h>

#include <numeric>

namespace mercer {
namespace family_limits_test {

using test::kRatio;
using test::kUnit;
using test::kUnitSingle;

template <class T>
std::vector<T> tile_of(const Kernel& kernel, const Frame& frame, const Points& x, const Points& y) {
  const TilePoints<T> rows(kernel, frame, x, {}), columns(kernel, frame, y, {});
  typename TileKernel<T>::Scratch scratch;
  std::vector<T> out(static_cast<std::size_t>(x.rows() * y.rows()));
  TileKernel<T>(kernel, frame)
      .fill(rows, {0, x.rows()}, columns, {0, y.rows()}, out.data(), y.rows(), scratch);
  return out;
}

Points data_for(const Kernel& kernel, test::RandomPoints wanted) {
  const Points x = test::random_points(wanted);
  return kernel.non_negative() ? Points(x.cwiseAbs()) : x;
}

/// Families with k(x, x) = 1, narrow, as wide as the data, and wide.
std::vector<std::string> bounded_specs() {
  std::vector<std::string> specs;
  for (const char* family :
       {"gaussian:sigma=", "laplacian:length=", "exponential:length=", "matern:nu=0.5,length=",
        "matern:nu=1.5,length=", "matern:nu=2.5,length=", "rational_quadratic:alpha=1,length=",
        "rational_quadratic:alpha=0.3,length=", "rational_quadratic:alpha=40,length="})
    for (const char* length : {"1e-3", "1", "40"}) specs.push_back(std::string(family) + length);
  for (const char* gamma : {"1e3", "1", "1e-2"})
    specs.push_back(std::string("chi_squared:gamma=") + gamma);
  return specs;
}

class BoundedKernel : public testing::TestWithParam<std::string> {
 protected:
  Kernel kernel{GetParam()};
};
INSTANTIATE_TEST_SUITE_P(Widths, BoundedKernel, testing::ValuesIn(bounded_specs()));

/// Tiles between rows of every kind: equal, close, far, and beyond all squares.
template <class T>
void expect_within_limits(const Kernel& kernel) {
  Points x = data_for(kernel, {.n = 64, .dim = 5, .seed = 51});
  x.row(1) = x.row(0);
  x.row(2) = x.row(0) * (1 + 1e-15);
  Points fresh = x;
  fresh.row(3) *= 1e30;
  fresh.row(4) *= 1e300;
  fresh.row(5).setConstant(kernel.non_negative() ? 1e307 : -1e308);
  const bool heavy = kernel.only<RationalQuadratic>() != nullptr;
  for (const bool direct : {false, true}) {
    Frame frame = make_frame(kernel, x, false, {});
    frame.direct_double = frame.direct_single = direct;
    const std::vector<T> out = tile_of<T>(kernel, frame, fresh, x);
    for (const T value : out) ASSERT_TRUE(value >= 0 && value <= 1) << value;
    for (const std::size_t far : {3U, 4U, 5U})
      for (std::size_t j = 0; j < 64; ++j)
        ASSERT_LE(out[far * 64 + j], heavy ? 1e-7 : 0) << far;  // (1e30)^(-2 alpha), alpha = 0.3
    const TilePoints<T> known(kernel, frame, x, {});
    EXPECT_EQ(TileKernel<T>(kernel, frame).diagonal(known), Vector::Ones(64));
    if (!direct && kernel.uses(Form::radial)) continue;  // from products 1 is met to rounding only
    EXPECT_EQ(out[0], 1);
    EXPECT_EQ(out[1], 1);  // rows 0 and 1 are equal
    EXPECT_EQ(out[64], 1);
  }
}

TEST_P(BoundedKernel, IsNeverAboveOneNorBelowZeroAndExactlyOneForEqualRows) {
  expect_within_limits<float>(kernel);
  expect_within_limits<double>(kernel);
  const std::vector<double> zero = {0.0, 0.0}, minus = {-0.0, -0.0};
  EXPECT_EQ(kernel(zero, minus), 1);
  EXPECT_EQ(kernel(minus, minus), 1);
}

TEST_P(BoundedKernel, FallsWithTheDistanceUpToRounding) {
  Points origin = Points::Zero(1, 1), grid(4000, 1);
  for (Index i = 0; i < 2000; ++i) {  // from 1e-20 to 1e20, and neighbours among the doubles
    grid(2 * i, 0) = std::pow(10.0, -20 + 0.02 * static_cast<double>(i));
    grid(2 * i + 1, 0) = std::nextafter(grid(2 * i, 0), 1e300);
  }
  Frame frame;
  frame.centre = Vector::Zero(1);
  frame.direct_double = frame.direct_single = true;
  const auto expect_falling = [&](const auto& values, double unit) {
    for (std::size_t i = 1; i < values.size(); ++i) {
      const double before = static_cast<double>(values[i - 1]);
      // Both may be wrong by 4 units in the last place, and by the rounding of their exponent.
      const double slack = before > 0 ? (16 + 8 * std::abs(std::log(before))) * unit * before : 0;
      ASSERT_LE(static_cast<double>(values[i]), before + slack) << i;
    }
    EXPECT_EQ(values.front(), 1);
  };
  expect_falling(tile_of<double>(kernel, frame, origin, grid), kUnit);
  expect_falling(tile_of<float>(kernel, frame, origin, grid), kUnitSingle);
}

TEST(KernelLimits, ARationalQuadraticTendsToTheGaussianLikeAQuarterOverAlpha) {
  // The largest difference is that of t^2 exp(-t) / (2 alpha), t = r^2 / 2: at t = 2, 2/e^2 = 0.27.
  for (const double alpha : {1e2, 1e4, 1e6}) {
    const Kernel quadratic("rational_quadratic:alpha=" + exact(alpha) + ",length=1");
    const Kernel gaussian("gaussian:sigma=1");
    double most = 0;
    for (double r = 0; r < 6; r += 1.0 / 64) {
      const std::vector<double> x = {0}, y = {r};
      most = std::max(most, std::abs(quadratic(x, y) - gaussian(x, y)));
    }
    EXPECT_NEAR(most * alpha, 2 * std::exp(-2.0), 3 / alpha + 1e-3 + 1e-15 * alpha) << alpha;
  }
}

TEST(KernelLimits, MaternOneHalfIsTheExponentialKernel) {
  const Points x = test::random_points({.n = 60, .dim = 4, .seed = 61});
  const Kernel matern("matern:nu=0.5,length=0.7"), exponential("exponential:length=0.7");
  const Frame frame = make_frame(exponential, x, false, {});
  EXPECT_TRUE(frame.direct_double);  // products would cost half the digits
  const auto rough = tile_of<double>(exponential, frame, x, x);
  const auto smooth = tile_of<double>(matern, frame, x, x);
  for (std::size_t i = 0; i < rough.size(); ++i)  // two roundings of the exponent, two of exp
    ASSERT_NEAR(smooth[i], rough[i], 8 * kUnit * rough[i] * (1 + std::abs(std::log(rough[i]))));
}

TEST(KernelLimits, MaternStartsWithoutALinearTerm) {
  const std::vector<double> x = {0}, y = {1e-3};
  EXPECT_NEAR((Kernel("matern:nu=1.5,length=1")(x, y) - 1) / (-1.5e-6), 1, 5e-3);
  EXPECT_NEAR((Kernel("matern:nu=2.5,length=1")(x, y) - 1) / (-5e-6 / 6), 1, 5e-3);
  EXPECT_NEAR((Kernel("matern:nu=0.5,length=1")(x, y) - 1) / (-1e-3), 1, 5e-3);
}

/// K u for exp(-|x - y| / length) of sorted numbers: a sweep forward and one backward.
Vector product_by_recursion(const Vector& x, const Vector& u, double length) {
  const Index n = x.size();
  Vector forward(n), backward(n);
  for (Index i = 0; i < n; ++i)
    forward[i] = u[i] + (i > 0 ? std::exp(-(x[i] - x[i - 1]) / length) * forward[i - 1] : 0);
  for (Index i = n - 1; i >= 0; --i)
    backward[i] = u[i] + (i + 1 < n ? std::exp(-(x[i + 1] - x[i]) / length) * backward[i + 1] : 0);
  return forward + backward - u;
}

TEST(KernelLimits, OnALineTheRoughKernelsFollowTheTwoSweeps) {
  Points x = test::random_points({.n = 300, .dim = 1, .seed = 62});
  std::sort(x.data(), x.data() + 300);
  const Vector u = test::random_points({.n = 300, .dim = 1, .seed = 63}).col(0);
  for (const double length : {0.01, 0.7, 30.0}) {
    const Vector expected = product_by_recursion(x.col(0), u, length);
    for (const char* family :
         {"laplacian:length=", "exponential:length=", "matern:nu=0.5,length="}) {
      const Kernel kernel(family + exact(length));
      const auto tile = tile_of<double>(kernel, make_frame(kernel, x, false, {}), x, x);
      const Eigen::Map<const Points> k(tile.data(), 300, 300);
      EXPECT_LE(test::max_abs(k * u - expected), kRatio * 300 * kUnit * u.cwiseAbs().sum())
          << kernel.spec();
    }
  }
}

TEST(KernelLimits, ChiSquaredFormsAreOneDistance) {
  const Points x = test::random_points({.n = 80, .dim = 6, .seed = 64}).cwiseAbs();
  const Block distance = -test::dense_kernel("additive_chi_squared", x);
  const Block similarity = test::dense_kernel("chi_squared_similarity", x);
  const Block exponential = test::dense_kernel("chi_squared:gamma=0.5", x);
  const Vector sums = x.rowwise().sum();
  const double unit = kRatio * 6 * kUnit * sums.maxCoeff();
  for (Index i = 0; i < 80; ++i)
    for (Index j = 0; j < 80; ++j) {
      EXPECT_NEAR(distance(i, j), sums[i] + sums[j] - 2 * similarity(i, j), unit);
      EXPECT_NEAR(exponential(i, j), std::exp(-0.5 * distance(i, j)), unit);
    }
  EXPECT_LE(test::max_abs(test::double_centred(-distance) - 2 * test::double_centred(similarity)),
            unit);
}

TEST(KernelLimits, ZeroOverZeroCountsAsZero) {
  const std::vector<double> x = {0, 1, 0, 3}, y = {0, 0, 2, 3}, zero = {0, 0, 0, 0};
  EXPECT_EQ(Kernel("additive_chi_squared")(x, y), -3);
  EXPECT_EQ(Kernel("chi_squared_similarity")(x, y), 3);
  EXPECT_EQ(Kernel("chi_squared:gamma=1")(zero, zero), 1);
  EXPECT_EQ(Kernel("chi_squared_similarity")(zero, x), 0);
  EXPECT_EQ(Kernel("cosine")(zero, x), 0);
}

TEST(KernelLimits, AThinPlateIsLowestAtItsKnownPlace) {
  // t^2 log t has its minimum -1/(2e) at t = exp(-1/2), and is 0 at t = 0 and t = 1.
  const Kernel plate("thin_plate_spline:c=1");
  const std::vector<double> zero = {0}, one = {1}, low = {std::exp(-0.5)};
  EXPECT_EQ(plate(zero, zero), 0);
  EXPECT_EQ(plate(zero, one), 0);
  EXPECT_NEAR(plate(zero, low), -std::exp(-1.0) / 2, 4 * kUnit);
  double least = 0;
  for (double t = 0; t <= 1; t += 0x1p-12)
    least = std::min(least, plate(zero, std::vector<double>{t}));
  EXPECT_NEAR(least, -std::exp(-1.0) / 2, 1e-7);
  const std::vector<double> tiny = {1e-170};  // its square is below all numbers
  EXPECT_EQ(plate(zero, tiny), 0);
}

TEST(KernelLimits, QuadricsKeepTheirValuesForAnyC) {
  const Points x = test::random_points({.n = 20, .dim = 2, .seed = 65});
  for (const double c : {1e-200, 1e-160, 1e-100, 1e100, 1e160, 1e200}) {
    for (const char* family : {"multiquadric:c=", "inverse_multiquadric:c="}) {
      const Kernel kernel(family + exact(c));
      const Frame frame = make_frame(kernel, x, false, {});
      const TilePoints<double> points(kernel, frame, x, {});
      const Vector diagonal = TileKernel<double>(kernel, frame).diagonal(points);
      const auto tile = tile_of<double>(kernel, frame, x.topRows(1), x.bottomRows(1));
      const double r = (x.row(0) - x.row(19)).norm(), root = std::hypot(r, c);
      const bool inverse = kernel.only<InverseMultiquadric>() != nullptr;
      const double self = inverse ? 1 / c : -c, pair = inverse ? 1 / root : -root;
      EXPECT_NEAR(diagonal[3] / self, 1, 8 * kUnit) << kernel.spec();
      EXPECT_NEAR(tile[0] / pair, 1, 30 * kUnit) << kernel.spec();
    }
  }
}

TEST(GaussianKernel, ATileFarFromTheOriginIsAsGoodAsOneAtTheOrigin) {
  const Kernel kernel("gaussian:sigma=1.5");
  const Points x = test::coarse_points({.n = 50, .dim = 3, .seed = 52});
  const Points far = x.array() + 1e8;  // exact
  const Frame frame = make_frame(kernel, far, true, {});
  const auto k = tile_of<double>(kernel, frame, far, far);
  for (Index i = 0; i < 50; ++i)
    for (Index j = 0; j < 50; ++j) {
      // The frame's centre is the rounded mean: rows are as long as before, to 1e-8.
      const auto row = test::row_span(x, i), column = test::row_span(x, j);
      const double bound = test::entry_bound(kernel, {row, column, kUnit, false}).error;
      EXPECT_NEAR(k[static_cast<std::size_t>(i * 50 + j)], kernel(row, column), 2 * bound);
    }
}

/// k - k(x, x) of a family so wide that nearly all of k is the diagonal.
struct Wide {
  const char* spec;
  long double (*less_diagonal)(const Points& x, Index i, Index j);
};

long double squared(const Points& x, Index i, Index j) {
  long double sum = 0;
  for (Index k = 0; k < x.cols(); ++k) {
    const long double difference = static_cast<long double>(x(i, k)) - x(j, k);
    sum += difference * difference;
  }
  return sum;
}

TEST(WideKernels, AreEvaluatedLessTheirDiagonalWithoutLosingDigits) {
  const std::vector<Wide> cases = {
      {"gaussian:gamma=1e-14",
       [](const Points& x, Index i, Index j) {
         // Half a unit of sigma's last place: gamma itself is rounded on the way to sigma and back.
         const long double sigma = Gaussian::sigma_of_gamma(1e-14);
         return std::expm1(-squared(x, i, j) / (2 * sigma * sigma));
       }},
      {"exponential:length=1e9",
       [](const Points& x, Index i, Index j) {
         return std::expm1(-std::sqrt(squared(x, i, j)) / 1e9L);
       }},
      {"laplacian:length=1e9",
       [](const Points& x, Index i, Index j) {
         long double sum = 0;
         for (Index k = 0; k < x.cols(); ++k)
           sum += std::abs(static_cast<long double>(x(i, k)) - x(j, k));
         return std::expm1(-sum / 1e9L);
       }},
      {"rational_quadratic:alpha=3,length=1e9",
       [](const Points& x, Index i, Index j) {
         return std::expm1(-3 * std::log1p(squared(x, i, j) / 6e18L));
       }},
      {"chi_squared:gamma=1e-9",
       [](const Points& x, Index i, Index j) {
         long double sum = 0;
         for (Index k = 0; k < x.cols(); ++k) {
           const long double p = x(i, k), q = x(j, k);
           if (p + q > 0) sum += (p - q) * (p - q) / (p + q);
         }
         return std::expm1(-1e-9L * sum);
       }},
      {"multiquadric:c=1e8",
       [](const Points& x, Index i, Index j) {
         const long double q = squared(x, i, j);
         return -q / (std::sqrt(q + 1e16L) + 1e8L);
       }},
  };
  for (const Wide& wide : cases) {
    const Kernel kernel(wide.spec);
    const Points x = test::coarse_points({.n = 40, .dim = 4, .seed = 53}).cwiseAbs();
    Frame frame = make_frame(kernel, x, true, {});
    ASSERT_TRUE(frame.less_diagonal) << wide.spec;
    frame.direct_double = true;  // distances to the last digits: the map is what is looked at
    const auto k = tile_of<double>(kernel, frame, x, x);
    for (Index i = 0; i < 40; ++i)
      for (Index j = 0; j < 40; ++j) {
        const auto exact = static_cast<double>(wide.less_diagonal(x, i, j));
        ASSERT_NEAR(k[static_cast<std::size_t>(i * 40 + j)], exact, 20 * kUnit * std::abs(exact))
            << wide.spec;
      }
    const TilePoints<double> points(kernel, frame, x, {});
    EXPECT_EQ(TileKernel<double>(kernel, frame).diagonal(points), Vector::Zero(40)) << wide.spec;
  }
}

}  // namespace family_limits_test
}  // namespace mercer
