// The value of every family against its formula in long double, on ten thousand pairs: by the
// scalar formula and by tiles of both precisions. Allowed are 4 units in the last place, what the
// error of the argument does (a sum of d terms, each a few operations: (d + 6) u of it), and 4 u
// |log k| for the rounding of the exponent that exp is given.
#include "mercer/core/text.h"
#include "mercer/kernels/tile.h"
#include "tests/support/dense.h"
#include "tests/support/random_points.h"

#include <gtest/gtest.h>

#include <functional>
#include <limits>

namespace mercer {
namespace family_values_test {

using test::kUnit;
using test::kUnitSingle;
using Wide = long double;

/// What the formulas need of a pair; sums of coordinate terms are found by the formula's own.
enum class Of { dot, squared, angle, coordinate_sum, chi_distance, chi_similarity };

struct Formula {
  const char* spec;
  Of of;
  std::function<Wide(Wide)> value;
};

Wide matern(Wide squared, Wide nu, Wide length) {
  const Wide s = std::sqrt(2 * nu * squared) / length;
  return (1 + (nu > 1 ? s : 0) + (nu > 2 ? s * s / 3 : 0)) * std::exp(-s);
}

Wide plate(Wide q) { return q > 0 ? q * std::log(q) / 2 : 0; }

std::vector<Formula> formulas() {
  const Wide third = 0.3;  // the double: what the specification reads as
  return {
      {"linear:offset=0.5", Of::dot, [](Wide t) { return t + 0.5L; }},
      {"polynomial:degree=3,scale=0.5,offset=0.25", Of::dot,
       [](Wide t) { return std::pow(t / 2 + 0.25L, 3); }},
      {"sigmoid:scale=0.5,offset=0.25", Of::dot, [](Wide t) { return std::tanh(t / 2 + 0.25L); }},
      {"cosine", Of::angle, [](Wide t) { return t; }},
      {"gaussian:sigma=1.5", Of::squared, [](Wide t) { return std::exp(-t / 4.5L); }},
      {"gaussian:sigma=0.3", Of::squared,
       [=](Wide t) { return std::exp(-t / (2 * third * third)); }},
      {"laplacian:length=2", Of::coordinate_sum, [](Wide t) { return std::exp(-t / 2); }},
      {"exponential:length=0.3", Of::squared,
       [=](Wide t) { return std::exp(-std::sqrt(t) / third); }},
      {"matern:nu=0.5,length=2", Of::squared, [](Wide t) { return matern(t, 0.5L, 2); }},
      {"matern:nu=1.5,length=0.5", Of::squared, [](Wide t) { return matern(t, 1.5L, 0.5L); }},
      {"matern:nu=2.5,length=0.5", Of::squared, [](Wide t) { return matern(t, 2.5L, 0.5L); }},
      {"rational_quadratic:alpha=1,length=0.5", Of::squared,
       [](Wide t) { return 1 / (1 + 2 * t); }},
      {"rational_quadratic:alpha=7,length=0.5", Of::squared,
       [](Wide t) { return std::pow(1 + 2 * t / 7, Wide(-7)); }},
      {"inverse_multiquadric:c=0.3", Of::squared,
       [=](Wide t) { return 1 / std::sqrt(t + third * third); }},
      {"multiquadric:c=0.3", Of::squared, [=](Wide t) { return -std::sqrt(t + third * third); }},
      {"chi_squared:gamma=2", Of::chi_distance, [](Wide t) { return std::exp(-2 * t); }},
      {"additive_chi_squared", Of::chi_distance, [](Wide t) { return -t; }},
      {"chi_squared_similarity", Of::chi_similarity, [](Wide t) { return t; }},
      {"power_distance:exponent=1", Of::squared, [](Wide t) { return -std::sqrt(t); }},
      {"power_distance:exponent=0.75", Of::squared,
       [](Wide t) { return t > 0 ? -std::pow(t, 0.375L) : 0; }},
      {"log_distance:exponent=2", Of::squared, [](Wide t) { return -std::log1p(t); }},
      {"log_distance:exponent=0.5", Of::squared,
       [](Wide t) { return t > 0 ? -std::log1p(std::pow(t, 0.25L)) : 0; }},
      {"thin_plate_spline:c=2", Of::squared, [](Wide t) { return plate(t / 4); }},
      {"shifted_thin_plate_spline:c=2", Of::squared, [](Wide t) { return plate(t + 4); }},
  };
}

struct Sums {
  Wide dot = 0, squared = 0, coordinates = 0, distance = 0, similarity = 0, xx = 0, yy = 0;
};

Sums sums_of(std::span<const double> x, std::span<const double> y) {
  Sums s;
  for (std::size_t k = 0; k < x.size(); ++k) {
    const Wide p = x[k], q = y[k], sum = p + q;
    s.dot += p * q;
    s.squared += (p - q) * (p - q);
    s.coordinates += std::abs(p - q);
    s.distance += sum > 0 ? (p - q) * (p - q) / sum : 0;
    s.similarity += sum > 0 ? 2 * p * q / sum : 0;
    s.xx += p * p;
    s.yy += q * q;
  }
  return s;
}

/// The argument of a formula and the size its rounding is relative to.
struct Argument {
  Wide value, size;
};

Argument argument_of(Of of, const Sums& s) {
  const Wide lengths = std::sqrt(s.xx * s.yy);
  switch (of) {
    case Of::dot:
      return {s.dot, lengths};
    case Of::angle:
      return {lengths > 0 ? s.dot / lengths : 0, 2};  // the lengths are rounded as well
    case Of::squared:
      return {s.squared, s.squared};
    case Of::coordinate_sum:
      return {s.coordinates, s.coordinates};
    case Of::chi_distance:
      return {s.distance, s.distance};
    case Of::chi_similarity:
      break;
  }
  return {s.similarity, s.similarity};
}

double allowed(const Formula& formula, Argument argument, Index dim, double unit) {
  const Wide error = static_cast<Wide>(dim + 6) * unit * argument.size;
  const Wide value = formula.value(argument.value), size = std::abs(value);
  const bool signed_argument = formula.of == Of::dot || formula.of == Of::angle;
  const Wide below =
      signed_argument ? argument.value - error : std::max(Wide(0), argument.value - error);
  const Wide spread = std::max(std::abs(formula.value(argument.value + error) - value),
                               std::abs(formula.value(below) - value));
  const Wide exponent = size > 0 ? 4 * std::abs(std::log(size)) : 0;
  const double least = unit == kUnit ? std::numeric_limits<double>::min()
                                     : double{std::numeric_limits<float>::min()};
  return static_cast<double>(spread + (8 + exponent) * unit * size) + least;
}

class KernelValue : public testing::TestWithParam<Formula> {
 protected:
  /// Multiples of 2^-8 below 16, mostly of one sign: exact in float, and so are their differences.
  static Points exact_points(const Kernel& kernel, Index n, std::uint64_t seed) {
    const Points x = test::random_points({.n = n, .dim = 3, .seed = seed});
    const Points coarse = (x * 256).array().round().matrix() / 256;
    return kernel.non_negative() ? Points(coarse.cwiseAbs()) : coarse;
  }
};
INSTANTIATE_TEST_SUITE_P(Catalogue, KernelValue, testing::ValuesIn(formulas()),
                         [](const auto& tested) {
                           std::string name = tested.param.spec;
                           for (char& c : name)
                             if (!std::isalnum(static_cast<unsigned char>(c))) c = '_';
                           return name;
                         });

TEST_P(KernelValue, OfTheScalarFormulaIsTheLongDoubleOneOnTenThousandPairs) {
  const Kernel kernel(GetParam().spec);
  Points x = exact_points(kernel, 100, 31);
  x.row(7) = x.row(3);
  x.row(8).setZero();
  if (!kernel.non_negative()) x.row(9) = -x.row(8);  // minus zero
  double worst = 0;
  for (Index i = 0; i < 100; ++i)
    for (Index j = 0; j < 100; ++j) {
      const auto a = test::row_span(x, i), b = test::row_span(x, j);
      const Argument argument = argument_of(GetParam().of, sums_of(a, b));
      const auto error =
          static_cast<double>(std::abs(kernel(a, b) - GetParam().value(argument.value)));
      worst = std::max(worst, error / allowed(GetParam(), argument, 3, kUnit));
    }
  EXPECT_LE(worst, 1);
  RecordProperty("worst_ratio", brief(worst));
}

template <class T>
double worst_of_tile(const Formula& formula, const Points& x, const Points& y) {
  const double unit = std::is_same_v<T, float> ? kUnitSingle : kUnit;
  const Kernel kernel(formula.spec);
  Frame frame = make_frame(kernel, x, false, {});
  frame.centre.setZero();  // rows stay exact: nothing but the tile's own rounding is seen
  frame.direct_double = frame.direct_single = true;
  const TilePoints<T> rows(kernel, frame, x, {}), columns(kernel, frame, y, {});
  typename TileKernel<T>::Scratch scratch;
  std::vector<T> out(static_cast<std::size_t>(x.rows() * y.rows()));
  TileKernel<T>(kernel, frame)
      .fill(rows, {0, x.rows()}, columns, {0, y.rows()}, out.data(), y.rows(), scratch);
  double worst = 0;
  for (Index i = 0; i < x.rows(); ++i)
    for (Index j = 0; j < y.rows(); ++j) {
      const Argument argument =
          argument_of(formula.of, sums_of(test::row_span(x, i), test::row_span(y, j)));
      const Wide got = out[static_cast<std::size_t>(i * y.rows() + j)];
      const auto error = static_cast<double>(std::abs(got - formula.value(argument.value)));
      worst = std::max(worst, error / allowed(formula, argument, 3, unit));
    }
  return worst;
}

TEST_P(KernelValue, OfATileIsTheLongDoubleOneOnTenThousandPairs) {
  const Kernel kernel(GetParam().spec);
  Points x = exact_points(kernel, 100, 32), y = exact_points(kernel, 100, 33);
  x.row(7) = y.row(3);
  x.row(8).setZero();
  y.row(8).setZero();
  const double in_double = worst_of_tile<double>(GetParam(), x, y);
  const double in_single = worst_of_tile<float>(GetParam(), x, y);
  EXPECT_LE(in_double, 1);
  EXPECT_LE(in_single, 1);
  RecordProperty("worst_double", brief(in_double));
  RecordProperty("worst_single", brief(in_single));
}

}  // namespace family_values_test
}  // namespace mercer
