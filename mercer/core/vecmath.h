// exp, expm1, log, log1p, tanh and integer powers of Lanes<T>, and the same names for scalars: a
// kernel written as a template over T says exp(x), which is C's for double and the one here for a
// register.
//
// exp:   x = k ln 2 + r, |r| <= ln 2 / 2;  e^x = 2^k (1 + r + r^2 Q(r)). ln 2 is split in two so
// that
//        k times its head is exact (Cody, Waite), with and without fma. Results below the smallest
//        normal number become 0: subnormal ones slow down the sums they enter. e^x <= 1 for x <= 0.
// log:   x = 2^e (1 + f), s = f / (2 + f);  log(1 + f) = 2 s + s z R(z), z = s^2.
// log1p: the rounding error of 1 + x, found exactly, is added to f.
// tanh:  m / (m + 2), m = e^(2|x|) - 1.
//
// Largest errors seen, in units of the last place: exp 1, expm1 2, log 1, log1p 2, tanh 3.
// Q and R are minimax polynomials of our own: Remez exchange in 60 digits on the reduced interval,
// weighted for the relative error of the function, then rounded to T.
#pragma once

#include "mercer/core/lanes.h"

#include <math.h>

namespace mercer {
inline namespace MERCER_LEVEL {

// C's functions, which those for Lanes would otherwise hide.
using ::exp;
using ::expm1;
using ::fma;
using ::log;
using ::log1p;
using ::sqrt;
using ::tanh;

#define MERCER_SCALAR_FUNCTIONS(T)                                    \
  MERCER_INLINE MERCER_HD T max(T a, T b) { return a > b ? a : b; }   \
  MERCER_INLINE MERCER_HD T min(T a, T b) { return a < b ? a : b; }   \
  MERCER_INLINE MERCER_HD T abs(T a) { return a > 0 ? a : T(0) - a; } \
  MERCER_INLINE MERCER_HD T select(bool condition, T a, T b) { return condition ? a : b; }
MERCER_SCALAR_FUNCTIONS(float)
MERCER_SCALAR_FUNCTIONS(double)
#undef MERCER_SCALAR_FUNCTIONS

/// x^n by squaring; the reciprocal for negative n; 1 for n = 0. T is float, double or Lanes.
template <class T>
MERCER_INLINE MERCER_HD T pow_int(T x, int n) {
  unsigned left = n < 0 ? 0u - static_cast<unsigned>(n) : static_cast<unsigned>(n);
  T power(1);
  for (T square = x; left != 0; left >>= 1, square = square * square) {
    if (left & 1u) power = power * square;
  }
  return n < 0 ? T(1) / power : power;
}

#ifndef __CUDACC__
template <class T>
struct MathConstants;

template <>
struct MathConstants<float> {
  static constexpr int mantissa_bits = 23;
  static constexpr uint32_t bias = 127;
  static constexpr double round_shift = 0x1.8p23;      // adding it rounds to a whole number
  static constexpr uint32_t whole_shift = 0x4b000000;  // the bits of 2^23
  static constexpr double whole_offset = 0x1p23 + 127;
  static constexpr double ln2_head = 0x1.62e4p-1, ln2_tail = 0x1.7f7d1cp-20;
  static constexpr double exp_least =
      -0x1.5d589ep+6;                                // below: e^x is less than the smallest normal
  static constexpr double exp_most = 0x1.62e42ep+6;  // above: e^x overflows
  static constexpr double beyond_most = 89;
  static constexpr double expm1_least = -20;  // below: e^x - 1 rounds to -1
  static constexpr double tanh_most = 10;     // above: rounds to 1
  static constexpr double tiny = 0x1p-26;     // below: expm1(x), log1p(x) round to x
  static constexpr double least_normal = 0x1p-126, subnormal_shift = 25, subnormal_factor = 0x1p25;
  static constexpr uint32_t sqrt_half = 0x3f3504f3, one = 0x3f800000;
  static constexpr float q[] = {0x1.fffffcp-2f, 0x1.555492p-3f, 0x1.5558f2p-5f, 0x1.123a20p-7f,
                                0x1.6a2414p-10f};
  static constexpr float r[] = {0x1.55557ap-1f, 0x1.995e9ap-2f, 0x1.31e686p-2f};
};

template <>
struct MathConstants<double> {
  static constexpr int mantissa_bits = 52;
  static constexpr uint64_t bias = 1023;
  static constexpr double round_shift = 0x1.8p52;
  static constexpr uint64_t whole_shift = 0x4330000000000000;
  static constexpr double whole_offset = 0x1p52 + 1023;
  static constexpr double ln2_head = 0x1.62e42fefa3p-1, ln2_tail = 0x1.3de6af278ece6p-42;
  static constexpr double exp_least = -0x1.6232bdd7abcd2p+9;
  static constexpr double exp_most = 0x1.62e42fefa39efp+9;
  static constexpr double beyond_most = 710;
  static constexpr double expm1_least = -40;
  static constexpr double tanh_most = 22;
  static constexpr double tiny = 0x1p-55;
  static constexpr double least_normal = 0x1p-1022, subnormal_shift = 54, subnormal_factor = 0x1p54;
  static constexpr uint64_t sqrt_half = 0x3fe6a09e667f3bcd, one = 0x3ff0000000000000;
  static constexpr double q[] = {
      0x1.000000000000ap-1,  0x1.55555555554f9p-3,  0x1.555555555083ep-5,  0x1.1111111127d14p-7,
      0x1.6c16c18438b79p-10, 0x1.a01a012a0d248p-13, 0x1.a01999e256f02p-16, 0x1.71df25b824940p-19,
      0x1.28ad9b8cf1c58p-22, 0x1.ad7f364a50838p-26};
  static constexpr double r[] = {0x1.5555555555593p-1, 0x1.999999997fb33p-2, 0x1.2492494217975p-2,
                                 0x1.c71c51e7fdc22p-3, 0x1.7466462b67e72p-3, 0x1.39a0f51c7299fp-3,
                                 0x1.2f0d8db6bcb10p-3};
};

// c[0] + c[1] x + ...: even and odd terms apart, which halves the chain of dependent fma.
template <int n, class T>
MERCER_INLINE Lanes<T> polynomial(Lanes<T> x, Lanes<T> x_squared, const T (&c)[n]) {
  Lanes<T> sums[2] = {Lanes<T>(c[(n - 1) & ~1]), Lanes<T>(c[(n - 2) | 1])};
#pragma GCC unroll 16
  for (int i = n - 3; i >= 0; --i) sums[i & 1] = fma(sums[i & 1], x_squared, Lanes<T>(c[i]));
  return fma(sums[1], x, sums[0]);
}

// x = k ln 2 + r: e^r - 1, and k as a number and in the low bits of `shifted`.
template <class T>
struct ExpParts {
  Lanes<T> expm1_r, k, shifted;
};

template <class T>
MERCER_INLINE ExpParts<T> exp_parts(Lanes<T> x) {
  using C = MathConstants<T>;
  const Lanes<T> shift(C::round_shift);
  const Lanes<T> shifted = fma(x, Lanes<T>(1.44269504088896340736), shift);
  const Lanes<T> k = shifted - shift;
  // The rounding of r matters in r^2 Q only: the leading term is added from its unrounded parts.
  const Lanes<T> head = fma(k, Lanes<T>(-C::ln2_head), x);
  const Lanes<T> tail = k * Lanes<T>(C::ln2_tail);
  const Lanes<T> r = head - tail;
  const Lanes<T> r_squared = r * r;
  return {head + fma(r_squared, polynomial(r, r_squared, C::q), -tail), k, shifted};
}

/// e^x; 0 where the result would be subnormal.
template <class T>
MERCER_INLINE Lanes<T> exp(Lanes<T> x) {
  using C = MathConstants<T>;
#if MERCER_LANE_BYTES == 64
  const ExpParts<T> parts = exp_parts(min(Lanes<T>(C::beyond_most), x));
  const Lanes<T> power = times_power_of_two(Lanes<T>(1) + parts.expm1_r, parts.k);
  return select(x < Lanes<T>(C::exp_least), Lanes<T>(0), power);
#else
  const ExpParts<T> parts = exp_parts(x);
  const auto mantissa = (Lanes<T>(1) + parts.expm1_r).bits();
  const auto power = Lanes<T>::of_bits(mantissa + (parts.shifted.bits() << C::mantissa_bits));
  const Lanes<T> flushed = select(x < Lanes<T>(C::exp_least), Lanes<T>(0), power);
  return select(x <= Lanes<T>(C::exp_most), flushed, x * Lanes<T>(__builtin_inf()));  // inf or NaN
#endif
}

/// e^x - 1.
template <class T>
MERCER_INLINE Lanes<T> expm1(Lanes<T> x) {
  using C = MathConstants<T>;
  const ExpParts<T> parts =
      exp_parts(min(Lanes<T>(C::beyond_most), max(Lanes<T>(C::expm1_least), x)));
  // 2^(k - 1): 2^k itself overflows at k = bias + 1.
  const auto half = Lanes<T>::of_bits((parts.shifted.bits() + (C::bias - 1)) << C::mantissa_bits);
  const Lanes<T> y = fma(half, parts.expm1_r, half - Lanes<T>(0.5));
  return select(abs(x) < Lanes<T>(C::tiny), x, y + y);
}

// x = 2^e m with m in [sqrt(1/2), sqrt(2)), x positive and normal; `biased` is e + bias as a word.
template <class T>
struct LogParts {
  Lanes<T> m, e;
  typename Lanes<T>::Bits biased;
};

template <class T>
MERCER_INLINE LogParts<T> log_parts(Lanes<T> x) {
  using C = MathConstants<T>;
  const auto bits = x.bits() + (C::one - C::sqrt_half);
  const auto biased = bits >> C::mantissa_bits;
  const auto mantissa = bits & ((typename Lanes<T>::Word{1} << C::mantissa_bits) - 1);
  const Lanes<T> whole = Lanes<T>::of_bits(biased | C::whole_shift);
  return {Lanes<T>::of_bits(mantissa + C::sqrt_half), whole - Lanes<T>(C::whole_offset), biased};
}

// e ln 2 + log(1 + f). With h = f^2 / 2:  2 s = f - h + s h, so f stays unrounded where it leads.
template <class T>
MERCER_INLINE Lanes<T> log_sum(Lanes<T> f, Lanes<T> e) {
  using C = MathConstants<T>;
  const Lanes<T> h = Lanes<T>(0.5) * f * f;
  const Lanes<T> s = f / (Lanes<T>(2) + f);
  const Lanes<T> z = s * s;
  const Lanes<T> tail = fma(s, fma(z, polynomial(z, z * z, C::r), h), e * Lanes<T>(C::ln2_tail));
  return fma(e, Lanes<T>(C::ln2_head), f - (h - tail));
}

// y where 0 < x < inf, else what log(x) is there: inf, -inf at 0, NaN below and for NaN.
template <class T>
MERCER_INLINE Lanes<T> with_log_limits(Lanes<T> x, Lanes<T> y) {
  const Lanes<T> inf(__builtin_inf()), zero(0);
  const Lanes<T> outside = select(x == zero, -inf, Lanes<T>(__builtin_nan("")));
  return select(x > zero, select(x < inf, y, inf), outside);
}

/// Natural logarithm, of subnormal numbers too.
template <class T>
MERCER_INLINE Lanes<T> log(Lanes<T> x) {
  using C = MathConstants<T>;
  const auto subnormal = x < Lanes<T>(C::least_normal);
  const Lanes<T> raised = select(subnormal, x * Lanes<T>(C::subnormal_factor), x);
  const LogParts<T> parts = log_parts(raised);
  const Lanes<T> e = parts.e - select(subnormal, Lanes<T>(C::subnormal_shift), Lanes<T>(0));
  return with_log_limits(x, log_sum(parts.m - Lanes<T>(1), e));
}

/// log(1 + x).
template <class T>
MERCER_INLINE Lanes<T> log1p(Lanes<T> x) {
  using C = MathConstants<T>;
  const Lanes<T> one(1);
  const Lanes<T> u = one + x;
  const Lanes<T> x_in_u = u - one;
  const Lanes<T> lost = (one - (u - x_in_u)) + (x - x_in_u);  // 1 + x - u, exactly
  const LogParts<T> parts = log_parts(u);
  const auto down = Lanes<T>::of_bits((2 * C::bias - parts.biased) << C::mantissa_bits);  // 2^-e
  // For large u nothing that matters is lost, and 2^-e would underflow.
  const Lanes<T> rest = select(u < Lanes<T>(1 / (C::tiny * C::tiny)), lost * down, Lanes<T>(0));
  const Lanes<T> y = with_log_limits(u, log_sum((parts.m - one) + rest, parts.e));
  return select(abs(x) < Lanes<T>(C::tiny), x, y);
}

template <class T>
MERCER_INLINE Lanes<T> tanh(Lanes<T> x) {
  const Lanes<T> magnitude = min(Lanes<T>(MathConstants<T>::tanh_most), abs(x));
  const Lanes<T> m = expm1(magnitude + magnitude);
  return copysign(m / (m + Lanes<T>(2)), x);
}
#endif  // __CUDACC__

}  // namespace MERCER_LEVEL
}  // namespace mercer
