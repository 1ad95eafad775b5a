// Every function of vecmath.h at every CPU level of this machine, against long double.
#include "mercer/core/vecmath.h"

#include "tests/core/vecmath_level.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <vector>

namespace mercer::test {
namespace vecmath_test {

struct Reference {
  LevelFunction function;
  const char* name;
  long double (*of)(long double);
  double most_ulps;
  double from,
      to;  // half of the arguments are uniform in here, half have random bits in the domain
  double domain_from;
};

const double kInfinity = std::numeric_limits<double>::infinity();
const Reference kReferences[] = {
    {exp_of_x, "exp", std::exp, 1.0, -90, 90, -kInfinity},
    {expm1_of_x, "expm1", std::expm1, 2.0, -3, 3, -kInfinity},
    {log_of_x, "log", std::log, 1.5, 0.3, 3, 0},
    {log1p_of_x, "log1p", std::log1p, 2.0, -1, 3, -1},
    {tanh_of_x, "tanh", std::tanh, 3.5, -3, 3, -kInfinity},
    {sqrt_of_x, "sqrt", std::sqrt, 0.51, 0, 3, 0},
};

template <class T>
using Word = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;

template <class T>
std::vector<T> random_arguments(const Reference& reference, std::size_t count) {
  std::mt19937_64 random(42);
  std::uniform_real_distribution<double> uniform(reference.from, reference.to);
  const double wide = std::is_same_v<T, double> && reference.function == exp_of_x ? 8.3 : 1;
  std::vector<T> x;
  while (x.size() < count / 2) x.push_back(static_cast<T>(uniform(random) * wide));
  while (x.size() < count) {
    const T value = std::bit_cast<T>(static_cast<Word<T>>(random()));
    if (static_cast<double>(value) >= reference.domain_from) x.push_back(value);
  }
  return x;
}

// The distance of two neighbours of T at this value.
template <class T>
long double unit_of(long double value) {
  using Limits = std::numeric_limits<T>;
  const int exponent = value == 0 ? Limits::min_exponent : std::ilogb(value) + 1;
  return std::ldexp(1.0L, std::max(exponent, Limits::min_exponent) - Limits::digits);
}

// Ratios are taken to the correct value; where that does not fit into T or is not a number, got
// must be exactly what T has for it. exp may, and does, return 0 in place of subnormal results.
template <class T>
double ulps(T got, long double correct, bool flushes) {
  const bool subnormal =
      std::abs(correct) < static_cast<long double>(std::numeric_limits<T>::min());
  if (flushes && subnormal) return got == 0 ? 0 : kInfinity;
  if (std::isnan(correct)) return std::isnan(got) ? 0 : kInfinity;
  const T rounded = static_cast<T>(correct);
  if (got == rounded && std::isinf(rounded)) return 0;
  const long double error = std::abs(static_cast<long double>(got) - correct);
  const double ratio = static_cast<double>(error / unit_of<T>(correct));
  return std::isnan(ratio) ? kInfinity : ratio;
}

template <class T>
void expect_accurate(const Reference& reference) {
  const std::vector<T> x = random_arguments<T>(reference, 1 << 20);
  std::vector<long double> correct;
  correct.reserve(x.size());
  for (const T value : x) correct.push_back(reference.of(value));
  for (const LevelCopy& copy : level_copies()) {
    std::vector<T> y(x.size());
    copy.call(reference.function, x.data(), y.data(), x.size());
    double worst = 0;
    T worst_at = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
      const double error = ulps(y[i], correct[i], reference.function == exp_of_x);
      if (error > worst) worst_at = x[i];
      worst = std::max(worst, error);
    }
    const std::string key = std::string(reference.name) + (sizeof(T) == 4 ? "_f32_" : "_f64_") +
                            std::string(name_of(copy.level));
    ::testing::Test::RecordProperty(key, std::to_string(worst));
    EXPECT_LE(worst, reference.most_ulps) << key << " at " << worst_at;
  }
}

TEST(Vecmath, IsAccurateInDouble) {
  for (const Reference& reference : kReferences) expect_accurate<double>(reference);
}

TEST(Vecmath, IsAccurateInFloat) {
  for (const Reference& reference : kReferences) expect_accurate<float>(reference);
}

template <class T>
std::vector<T> edges() {
  using Limits = std::numeric_limits<T>;
  std::vector<T> x = {0,
                      1,
                      2,
                      Limits::min(),
                      Limits::denorm_min(),
                      Limits::max(),
                      Limits::epsilon(),
                      Limits::infinity(),
                      Limits::quiet_NaN()};
  x.push_back(std::bit_cast<T>(static_cast<Word<T>>(~Word<T>{0} >> 1)));  // NaN, all payload bits
  x.push_back(std::bit_cast<T>(std::bit_cast<Word<T>>(Limits::quiet_NaN()) + 1));
  x.push_back(std::nextafter(Limits::min(), T(0)));
  // exp's thresholds, half steps of its reduction, tanh's and expm1's saturation; with neighbours.
  for (const double at :
       {88.722839, 87.336545, 103.97208, 709.782712893384, 708.3964185322641, 745.1332191019411,
        0.34657359027997264, 1.0397207708399179, 1.0, 10.0, 20.0, 22.0, 40.0, 44.0, 89.0, 710.0,
        0.70710678118654752, 1.4142135623730951}) {
    T value = static_cast<T>(at);
    for (int i = 0; i < 4; ++i) value = std::nextafter(value, T(0));
    for (int i = 0; i < 9; ++i) x.push_back(value), value = std::nextafter(value, Limits::max());
  }
  for (int e = Limits::min_exponent - Limits::digits; e < Limits::max_exponent; ++e) {
    x.push_back(static_cast<T>(std::ldexp(T(1), e)));
  }
  const std::size_t half = x.size();
  for (std::size_t i = 0; i < half; ++i) x.push_back(-x[i]);
  return x;
}

template <class T>
void expect_edges() {
  const std::vector<T> x = edges<T>();
  std::vector<T> y(x.size());
  for (const LevelCopy& copy : level_copies()) {
    for (const Reference& reference : kReferences) {
      copy.call(reference.function, x.data(), y.data(), x.size());
      for (std::size_t i = 0; i < x.size(); ++i) {
        const long double correct = reference.of(x[i]);
        EXPECT_LE(ulps(y[i], correct, reference.function == exp_of_x), reference.most_ulps)
            << reference.name << "(" << x[i] << ") = " << y[i] << " at " << name_of(copy.level);
        if (correct != 0 || std::isnan(correct)) continue;
        EXPECT_EQ(std::signbit(y[i]), std::signbit(correct))
            << reference.name << "(" << x[i] << ")";
      }
    }
  }
}

TEST(Vecmath, TreatsEdgesAsCDoesInDouble) { expect_edges<double>(); }
TEST(Vecmath, TreatsEdgesAsCDoesInFloat) { expect_edges<float>(); }

template <class T>
void expect_exp_at_most_one() {
  std::vector<T> x = {T(0), -T(0)};
  for (T small = 1; small > std::numeric_limits<T>::min(); small *= T(0.97)) x.push_back(-small);
  std::vector<T> y(x.size());
  for (const LevelCopy& copy : level_copies()) {
    copy.call(exp_of_x, x.data(), y.data(), x.size());
    EXPECT_EQ(y[0], 1);
    EXPECT_EQ(y[1], 1);
    for (std::size_t i = 0; i < x.size(); ++i) EXPECT_LE(y[i], 1) << "exp(" << x[i] << ")";
  }
}

TEST(Vecmath, ExpOfAnythingNegativeIsAtMostOne) {
  expect_exp_at_most_one<double>();
  expect_exp_at_most_one<float>();
}

template <class T>
T plain(LevelFunction function, T x, bool fused) {
  const T nan = std::numeric_limits<T>::quiet_NaN();
  switch (function) {
    case fifth_power:
      return (x * x) * (x * x) * x;
    case minus_third_power:
      return 1 / (x * (x * x));
    case zeroth_power:
      return 1;
    case smaller_than_one:
      return x < 1 ? x : 1;
    case larger_than_one:
      return x > 1 ? x : 1;
    case absolute:
      return std::abs(x);
    case negated:
      return -x;
    case x_times_x_plus_x:
      return fused ? std::fma(x, x, x) : x * x + x;
    case between_0_and_1:
      return std::isnan(x) ? T(2) : x >= 0 && x < 1 ? T(1) : T(0);
    case arithmetic:
      return ((x + 3) * 2 - 1) / 4;
    default:
      return nan;
  }
}

template <class T>
void expect_plain_arithmetic() {
  const std::vector<T> x = edges<T>();
  std::vector<T> y(x.size());
  for (const LevelCopy& copy : level_copies()) {
    const bool fused = copy.level != CpuLevel::baseline || MERCER_X86_LEVELS == 0;
    for (const LevelFunction function :
         {fifth_power, minus_third_power, zeroth_power, smaller_than_one, larger_than_one, absolute,
          negated, x_times_x_plus_x, between_0_and_1, arithmetic}) {
      copy.call(function, x.data(), y.data(), x.size());
      for (std::size_t i = 0; i < x.size(); ++i) {
        const T expected = plain(function, x[i], fused);
        if (std::isnan(expected) && std::isnan(y[i])) continue;
        EXPECT_EQ(y[i], expected) << function << " of " << x[i] << " at " << name_of(copy.level);
        EXPECT_EQ(std::signbit(y[i]), std::signbit(expected)) << function << " of " << x[i];
      }
    }
  }
}

TEST(Lanes, ComputeWhatScalarsDoInDouble) { expect_plain_arithmetic<double>(); }
TEST(Lanes, ComputeWhatScalarsDoInFloat) { expect_plain_arithmetic<float>(); }

TEST(Lanes, FillOneRegisterOfTheirLevel) {
  for (const LevelCopy& copy : level_copies()) {
    const int expected = copy.level == CpuLevel::v4 ? 64 : copy.level == CpuLevel::v3 ? 32 : 16;
    EXPECT_EQ(copy.bytes(), expected) << name_of(copy.level);
  }
}

// Heap blocks of exactly the size needed: an address sanitizer sees a read past the end, and the
// mark after the last value a write.
template <class T>
void expect_tails() {
  for (const LevelCopy& copy : level_copies()) {
    const std::size_t width = copy.bytes() / sizeof(T);
    for (std::size_t n = 0; n <= 2 * width + 1; ++n) {
      std::vector<T> x(n), y(n + 1, T(-7));
      for (std::size_t i = 0; i < n; ++i) x[i] = static_cast<T>(i + 1);
      copy.call(sum_of_register, x.data(), y.data(), n);
      EXPECT_EQ(y[n], -7);
      for (std::size_t i = 0; i < n; ++i) {
        const std::size_t first = i / width * width, last = std::min(first + width, n);
        EXPECT_EQ(y[i], static_cast<T>((first + 1 + last) * (last - first)) / 2);
      }
    }
  }
}

TEST(Lanes, LoadAndStoreTailsWithoutTouchingWhatFollows) {
  expect_tails<double>();
  expect_tails<float>();
}

template <class T>
T generic_kernel(T x) {
  return exp(-abs(x)) + max(x, T(0)) * pow_int(x, 3) + tanh(sqrt(T(2))) + select(x > T(1), x, T(0));
}

TEST(Vecmath, AKernelTemplateServesScalarsAndRegisters) {
  const double expected = std::exp(-1.5) + 1.5 * (1.5 * 2.25) + std::tanh(std::sqrt(2.0)) + 1.5;
  EXPECT_DOUBLE_EQ(generic_kernel(1.5), expected);
  EXPECT_DOUBLE_EQ(sum(generic_kernel(Lanes<double>(1.5))), 2 * expected);
}

TEST(Vecmath, ScalarPowersCoverTheWholeRangeOfExponents) {
  EXPECT_EQ(pow_int(2.0, 10), 1024.0);
  EXPECT_EQ(pow_int(-2.0f, -3), -0.125f);
  EXPECT_EQ(pow_int(0.0, 0), 1.0);
  EXPECT_EQ(pow_int(-1.0, std::numeric_limits<int>::min()), 1.0);
  EXPECT_EQ(pow_int(2.0, std::numeric_limits<int>::min()), 0.0);
}

}  // namespace vecmath_test
}  // namespace mercer::test
