// Maps of a column of sources, compiled once per CPU level under the rules of tile_levels.cpp. Sums
// are kept per lane and added up at the end: their order is fixed for a level. Numbers that do not
// fill a register are worked on in one, and its other lanes left out of the sums.
#include "mercer/core/vecmath.h"
#include "mercer/models/detail/ica/contrast_loops.h"

namespace mercer {
inline namespace MERCER_LEVEL {
namespace {

using D = Lanes<double>;
constexpr double kLn2 = 0.69314718055994530942;

// One map of y and the terms of K sums.
template <int K>
struct Mapped {
  D y;
  D terms[K];
};

// Lanes from `count` on do not count.
MERCER_INLINE D first_of(D terms, ptrdiff_t count) {
  double lane[D::width];
  terms.store(lane);
  for (ptrdiff_t l = count; l < D::width; ++l) lane[l] = 0;
  return D::load(lane);
}

// Calls map for every register of y, stores what it gives and adds its terms up.
template <int K, bool stores, class Map>
MERCER_INLINE void over_column(double* y, ptrdiff_t n, double (&totals)[K], const Map& map) {
  D sums[K];
  for (int s = 0; s < K; ++s) sums[s] = D(0.0);
  ptrdiff_t i = 0;
  for (; i + D::width <= n; i += D::width) {
    const Mapped<K> mapped = map(D::load(y + i));
    if (stores) mapped.y.store(y + i);
    for (int s = 0; s < K; ++s) sums[s] += mapped.terms[s];
  }
  if (i < n) {
    const Mapped<K> mapped = map(D::load_first(y + i, n - i));
    if (stores) mapped.y.store_first(y + i, n - i);
    for (int s = 0; s < K; ++s) sums[s] += first_of(mapped.terms[s], n - i);
  }
  for (int s = 0; s < K; ++s) totals[s] = sum(sums[s]);
}

// ln cosh y without overflow, from e = exp(-2|y|).
MERCER_INLINE D log_cosh_from(D magnitude, D e) { return magnitude + log(D(1) + e) - D(kLn2); }

double log_cosh_contrast(double* y, ptrdiff_t n) {
  double slope[1];
  over_column<1, true>(y, n, slope, [](D x) {
    const D t = tanh(x);
    return Mapped<1>{t, {D(1) - t * t}};
  });
  return slope[0];
}

double bell_contrast(double* y, ptrdiff_t n) {
  double slope[1];
  over_column<1, true>(y, n, slope, [](D x) {
    const D square = x * x, bell = exp(D(-0.5) * square);
    return Mapped<1>{x * bell, {(D(1) - square) * bell}};
  });
  return slope[0];
}

double cube_contrast(double* y, ptrdiff_t n) {
  double slope[1];
  over_column<1, true>(y, n, slope, [](D x) {
    const D square = x * x;
    return Mapped<1>{x * square, {D(3) * square}};
  });
  return slope[0];
}

// tanh from the exponential that ln cosh needs anyway: right to a unit of rounding of 1, which is
// what the sums it enters have.
DensitySums density(double* y, ptrdiff_t n) {
  double sums[3];
  over_column<3, true>(y, n, sums, [](D x) {
    const D magnitude = abs(x), e = exp(D(-2) * magnitude);
    const D t = copysign((D(1) - e) / (D(1) + e), x), slope = D(1) - t * t;
    return Mapped<3>{t, {log_cosh_from(magnitude, e), slope, slope * x * x}};
  });
  return {sums[0], sums[1], sums[2]};
}

ShapeSums shape(const double* y, ptrdiff_t n, double factor) {
  double sums[6];
  over_column<6, false>(const_cast<double*>(y), n, sums, [factor](D given) {
    const D x = D(factor) * given, square = x * x, bell = exp(D(-0.5) * square);
    const D magnitude = abs(x);
    return Mapped<6>{x,
                     {log_cosh_from(magnitude, exp(D(-2) * magnitude)), bell, x * bell, square,
                      x * square, square * square}};
  });
  return {sums[0], sums[1], sums[2], sums[3], sums[4], sums[5]};
}

// A register of y: G(y) and g'(y) are added to sums, g(y) is given back.
template <class T>
struct LogCosh {
  using R = Lanes<T>;
  // ln(1 + e) is summed as the logarithm of products, one for many numbers: 2^64 at most.
  R magnitudes = R(0.0), slopes = R(0.0), product = R(1.0);
  MERCER_INLINE R operator()(R x) {
    const R magnitude = abs(x), e = exp(R(-2) * magnitude), sum = R(1) + e;
    const R t = copysign((R(1) - e) / sum, x);
    magnitudes += magnitude;
    product = product * sum;
    slopes += R(1) - t * t;
    return t;
  }
  // Of `count` numbers in all, those that pad a register included.
  MERCER_INLINE double value(ptrdiff_t count) const {
    return static_cast<double>(sum(magnitudes + log(product))) - static_cast<double>(count) * kLn2;
  }
  static constexpr double kPaddedValue = 0, kPaddedSlope = 1;
};

template <class T>
struct Bell {
  using R = Lanes<T>;
  R values = R(0.0), slopes = R(0.0);
  MERCER_INLINE R operator()(R x) {
    const R square = x * x, bell = exp(R(-0.5) * square);
    values += bell;
    slopes += (R(1) - square) * bell;
    return x * bell;
  }
  MERCER_INLINE double value(ptrdiff_t) const { return -static_cast<double>(sum(values)); }
  static constexpr double kPaddedValue = -1, kPaddedSlope = 1;
};

template <class T>
struct Fourth {
  using R = Lanes<T>;
  R values = R(0.0), slopes = R(0.0);
  MERCER_INLINE R operator()(R x) {
    const R square = x * x;
    values += R(0.25) * square * square;
    slopes += R(3) * square;
    return x * square;
  }
  MERCER_INLINE double value(ptrdiff_t) const { return static_cast<double>(sum(values)); }
  static constexpr double kPaddedValue = 0, kPaddedSlope = 0;
};

// Sums of 32 registers are kept in T, and added up in double.
template <template <class> class Map, class T>
ClimbSums climb(T* y, ptrdiff_t n) {
  using R = Lanes<T>;
  constexpr ptrdiff_t run = 32 * R::width;
  ClimbSums sums = {0, 0};
  for (ptrdiff_t begin = 0; begin < n; begin += run) {
    const ptrdiff_t count = n - begin < run ? n - begin : run;
    Map<T> map;
    ptrdiff_t i = 0;
    for (; i + R::width <= count; i += R::width) map(R::load(y + begin + i)).store(y + begin + i);
    ptrdiff_t padded = 0;
    if (i < count) {
      map(R::load_first(y + begin + i, count - i)).store_first(y + begin + i, count - i);
      padded = i + R::width - count;
    }
    sums.value += map.value(count + padded) - static_cast<double>(padded) * Map<T>::kPaddedValue;
    sums.slope +=
        static_cast<double>(sum(map.slopes)) - static_cast<double>(padded) * Map<T>::kPaddedSlope;
  }
  return sums;
}

}  // namespace

LevelContrasts contrast_loops() {
  return {&log_cosh_contrast,
          &bell_contrast,
          &cube_contrast,
          &density,
          &shape,
          {&climb<LogCosh, double>, &climb<Bell, double>, &climb<Fourth, double>},
          {&climb<LogCosh, float>, &climb<Bell, float>, &climb<Fourth, float>}};
}

}  // namespace MERCER_LEVEL
}  // namespace mercer
