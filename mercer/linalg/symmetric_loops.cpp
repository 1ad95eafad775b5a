#include "mercer/linalg/symmetric_loops.h"

#include "mercer/core/cpu.h"
#include "mercer/linalg/registers.h"

namespace mercer {
namespace {

// W columns at once: y is read and written once for all of them, and as many streams come from
// memory side by side. `a` points to the diagonal entry of the first.
template <class R, int W>
[[gnu::always_inline]] inline void add_columns(const double* a, Index stride, Index rows,
                                               const double* x, double* y) {
  using V = typename R::V;
  constexpr Index step = sizeof(V) / sizeof(double);
  const double* column[W];
  double head[W], sum[W];
  V factor[W], sums[W];
  for (int c = 0; c < W; ++c) {
    column[c] = a + c * stride;
    head[c] = x[c];
    factor[c] = V{} + x[c];
    sums[c] = V{};
    sum[c] = 0;
  }
  // The triangle on top, then registers, then what does not fill one.
  for (int c = 0; c < W; ++c) {
    sum[c] += column[c][c] * head[c];
    for (int i = c + 1; i < W; ++i) {
      sum[i] += column[c][i] * head[c];
      sum[c] += column[c][i] * head[i];
    }
  }
  Index i = W;
  for (; i + step <= rows; i += step) {
    const V xi = *reinterpret_cast<const V*>(x + i);
    V yi = *reinterpret_cast<V*>(y + i);
    for (int c = 0; c < W; ++c) {
      const V entry = *reinterpret_cast<const V*>(column[c] + i);
      yi += entry * factor[c];
      sums[c] += entry * xi;
    }
    *reinterpret_cast<V*>(y + i) = yi;
  }
  for (; i < rows; ++i) {
    const double xi = x[i];
    double yi = y[i];
    for (int c = 0; c < W; ++c) {
      const double entry = column[c][i];
      yi += entry * head[c];
      sum[c] += entry * xi;
    }
    y[i] = yi;
  }
  for (int c = 0; c < W; ++c) {
    for (Index l = 0; l < step; ++l) sum[c] += sums[c][l];
    y[c] += sum[c];
  }
}

template <class R, int W>
[[gnu::always_inline]] inline void add_strip(const SymmetricStrip& s, const double* x, double* y) {
  Index c = 0;
  for (; c + W <= s.columns; c += W)
    add_columns<R, W>(s.first + c * (s.stride + 1), s.stride, s.rows - c, x + c, y + c);
  for (; c < s.columns; ++c)
    add_columns<R, 1>(s.first + c * (s.stride + 1), s.stride, s.rows - c, x + c, y + c);
}

using Loop = void (*)(const SymmetricStrip&, const double*, double*);

void add_strip_baseline(const SymmetricStrip& s, const double* x, double* y) {
  add_strip<Register16, 4>(s, x, y);
}

#ifdef __x86_64__
[[gnu::target("avx2")]] void add_strip_v3(const SymmetricStrip& s, const double* x, double* y) {
  add_strip<Register32, 4>(s, x, y);
}
[[gnu::target("avx512f")]] void add_strip_v4(const SymmetricStrip& s, const double* x, double* y) {
  add_strip<Register64, 8>(s, x, y);
}
#endif

}  // namespace

void add_symmetric_product(const SymmetricStrip& strip, const double* x, double* y) {
  static const Loop loop = MERCER_OF_LEVEL(add_strip_baseline, add_strip_v3, add_strip_v4);
  loop(strip, x, y);
}

}  // namespace mercer
