// The functions of vecmath.h over arrays, for tests and benchmarks. Compiled once per CPU level:
// the names carry MERCER_LEVEL. It keeps the rule of such files, C headers only; hence the plain
// numbers for functions, which vecmath_level.h names.
#include "mercer/core/vecmath.h"

namespace mercer {
inline namespace MERCER_LEVEL {
namespace {

template <class T>
struct Arithmetic {
  MERCER_INLINE static Lanes<T> of(Lanes<T> x) {
    x += Lanes<T>(3);
    x *= Lanes<T>(2);
    x -= Lanes<T>(1);
    x /= Lanes<T>(4);
    return x;
  }
};

// 1 where 0 <= x < 1, 2 for NaN, else 0.
template <class T>
MERCER_INLINE Lanes<T> classify(Lanes<T> x) {
  const Lanes<T> zero(0), one(1);
  const auto inside = (x >= zero) & ~(x >= one);
  return select(inside | (x != x), select(x != x, Lanes<T>(2), one), zero);
}

template <class T, class Function>
MERCER_INLINE void map_with(const T* in, T* out, size_t n, Function function) {
  constexpr ptrdiff_t width = Lanes<T>::width;
  const auto size = static_cast<ptrdiff_t>(n);
  ptrdiff_t i = 0;
  for (; i + width <= size; i += width) function(Lanes<T>::load(in + i)).store(out + i);
  if (i == size) return;
  function(Lanes<T>::load_first(in + i, size - i)).store_first(out + i, size - i);
}

template <class T>
void map(int which, const T* in, T* out, size_t n) {
  using X = Lanes<T>;
  switch (which) {
    case 0:
      return map_with(in, out, n, [](X x) { return exp(x); });
    case 1:
      return map_with(in, out, n, [](X x) { return expm1(x); });
    case 2:
      return map_with(in, out, n, [](X x) { return log(x); });
    case 3:
      return map_with(in, out, n, [](X x) { return log1p(x); });
    case 4:
      return map_with(in, out, n, [](X x) { return tanh(x); });
    case 5:
      return map_with(in, out, n, [](X x) { return sqrt(x); });
    case 6:
      return map_with(in, out, n, [](X x) { return pow_int(x, 5); });
    case 7:
      return map_with(in, out, n, [](X x) { return pow_int(x, -3); });
    case 8:
      return map_with(in, out, n, [](X x) { return pow_int(x, 0); });
    case 9:
      return map_with(in, out, n, [](X x) { return min(x, X(1)); });
    case 10:
      return map_with(in, out, n, [](X x) { return max(x, X(1)); });
    case 11:
      return map_with(in, out, n, [](X x) { return abs(x); });
    case 12:
      return map_with(in, out, n, [](X x) { return -x; });
    case 13:
      return map_with(in, out, n, [](X x) { return X(sum(x)); });
    case 14:
      return map_with(in, out, n, [](X x) { return fma(x, x, x); });
    case 15:
      return map_with(in, out, n, [](X x) { return classify(x); });
    case 16:
      return map_with(in, out, n, [](X x) { return Arithmetic<T>::of(x); });
    default:
      return;
  }
}

}  // namespace
}  // namespace MERCER_LEVEL
}  // namespace mercer

extern "C" void MERCER_JOIN(MERCER_JOIN(mercer_test_, MERCER_LEVEL),
                            _map)(int which, const double* in, double* out, size_t n) {
  mercer::map(which, in, out, n);
}

extern "C" void MERCER_JOIN(MERCER_JOIN(mercer_test_, MERCER_LEVEL),
                            _map_float)(int which, const float* in, float* out, size_t n) {
  mercer::map(which, in, out, n);
}

extern "C" int MERCER_JOIN(MERCER_JOIN(mercer_test_, MERCER_LEVEL), _bytes)() {
  return static_cast<int>(sizeof(mercer::Lanes<float>));
}
