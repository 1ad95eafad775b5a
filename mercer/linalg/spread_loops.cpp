#include "mercer/linalg/spread_loops.h"

#include "mercer/core/cpu.h"
#include "mercer/linalg/registers.h"

namespace mercer {
namespace {

template <class R>
[[gnu::always_inline]] inline void add_rows(const SpreadPoint& p, const double* row) {
  constexpr Index step = sizeof(typename R::V) / sizeof(double);
  for (Index a = 0; a < p.width0; ++a)
    for (Index b = 0; b < p.width1; ++b) {
      const double weight = p.weights0[a] * p.weights1[b];
      double* to = p.first + a * p.stride0 + b * p.stride1;
      for (Index i = 0; i < p.length; i += step)
        *reinterpret_cast<typename R::V*>(to + i) +=
            weight * *reinterpret_cast<const typename R::V*>(row + i);
    }
}

// Four sums at a time hide how long an addition takes.
template <class R>
[[gnu::always_inline]] inline void take_rows(const SpreadPoint& p, double* row) {
  constexpr Index step = sizeof(typename R::V) / sizeof(double);
  Index i = 0;
  for (; i + 4 * step <= p.length; i += 4 * step) {
    typename R::V s0 = {}, s1 = {}, s2 = {}, s3 = {};
    for (Index a = 0; a < p.width0; ++a)
      for (Index b = 0; b < p.width1; ++b) {
        const double weight = p.weights0[a] * p.weights1[b];
        const double* from = p.first + a * p.stride0 + b * p.stride1 + i;
        s0 += weight * *reinterpret_cast<const typename R::V*>(from);
        s1 += weight * *reinterpret_cast<const typename R::V*>(from + step);
        s2 += weight * *reinterpret_cast<const typename R::V*>(from + 2 * step);
        s3 += weight * *reinterpret_cast<const typename R::V*>(from + 3 * step);
      }
    *reinterpret_cast<typename R::V*>(row + i) = s0;
    *reinterpret_cast<typename R::V*>(row + i + step) = s1;
    *reinterpret_cast<typename R::V*>(row + i + 2 * step) = s2;
    *reinterpret_cast<typename R::V*>(row + i + 3 * step) = s3;
  }
  for (; i < p.length; i += step) {
    typename R::V sum = {};
    for (Index a = 0; a < p.width0; ++a)
      for (Index b = 0; b < p.width1; ++b)
        sum += p.weights0[a] * p.weights1[b] *
               *reinterpret_cast<const typename R::V*>(p.first + a * p.stride0 + b * p.stride1 + i);
    *reinterpret_cast<typename R::V*>(row + i) = sum;
  }
}

void add_baseline(const SpreadPoint& p, const double* row) { add_rows<Register16>(p, row); }
void take_baseline(const SpreadPoint& p, double* row) { take_rows<Register16>(p, row); }

#ifdef __x86_64__
[[gnu::target("avx2")]] void add_v3(const SpreadPoint& p, const double* row) {
  add_rows<Register32>(p, row);
}
[[gnu::target("avx2")]] void take_v3(const SpreadPoint& p, double* row) {
  take_rows<Register32>(p, row);
}
[[gnu::target("avx512f")]] void add_v4(const SpreadPoint& p, const double* row) {
  add_rows<Register64>(p, row);
}
[[gnu::target("avx512f")]] void take_v4(const SpreadPoint& p, double* row) {
  take_rows<Register64>(p, row);
}
#endif

}  // namespace

const SpreadLoops& spread_loops() {
  static const SpreadLoops loops = {MERCER_OF_LEVEL(add_baseline, add_v3, add_v4),
                                    MERCER_OF_LEVEL(take_baseline, take_v3, take_v4)};
  return loops;
}

}  // namespace mercer
