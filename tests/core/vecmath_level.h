// What vecmath_level.cpp exports from each of its copies, one per CPU level, and a table of those
// this machine can run. MERCER_X86_LEVELS is 1 where copies for v3 and v4 are linked.
#pragma once

#include "mercer/core/cpu.h"

#include <cstddef>
#include <vector>

#ifndef MERCER_X86_LEVELS
#define MERCER_X86_LEVELS 0
#endif

#define MERCER_DECLARE_LEVEL(level)                                                          \
  extern "C" void mercer_test_##level##_map(int function, const double* in, double* out,     \
                                            std::size_t n);                                  \
  extern "C" void mercer_test_##level##_map_float(int function, const float* in, float* out, \
                                                  std::size_t n);                            \
  extern "C" int mercer_test_##level##_bytes();
MERCER_DECLARE_LEVEL(baseline)
#if MERCER_X86_LEVELS
MERCER_DECLARE_LEVEL(v3)
MERCER_DECLARE_LEVEL(v4)
#endif
#undef MERCER_DECLARE_LEVEL

namespace mercer::test {

/// The number a copy knows a function by. Where it needs more than x, it takes |x| or the constant
/// named.
enum LevelFunction : int {
  exp_of_x,
  expm1_of_x,
  log_of_x,
  log1p_of_x,
  tanh_of_x,
  sqrt_of_x,
  fifth_power,
  minus_third_power,
  zeroth_power,
  smaller_than_one,  // min(x, 1)
  larger_than_one,   // max(x, 1)
  absolute,
  negated,
  sum_of_register,   // every lane holds the sum of its register, lanes past the end counting 0
  x_times_x_plus_x,  // fma
  between_0_and_1,   // 1 where 0 <= x and x < 1, 2 where x != x, else 0
  arithmetic,        // ((x + 3) * 2 - 1) / 4, by compound assignment
};

struct LevelCopy {
  CpuLevel level;
  void (*map)(int, const double*, double*, std::size_t);
  void (*map_float)(int, const float*, float*, std::size_t);
  int (*bytes)();
  void call(int function, const double* in, double* out, std::size_t n) const {
    map(function, in, out, n);
  }
  void call(int function, const float* in, float* out, std::size_t n) const {
    map_float(function, in, out, n);
  }
};

/// The copies this machine can run, in rising order.
inline std::vector<LevelCopy> level_copies() {
  std::vector<LevelCopy> copies;
  for (const CpuLevel level : available_levels()) {
    switch (level) {
#define MERCER_LEVEL_COPY(name)                                                        \
  case CpuLevel::name:                                                                 \
    copies.push_back({level, mercer_test_##name##_map, mercer_test_##name##_map_float, \
                      mercer_test_##name##_bytes});                                    \
    break
      MERCER_LEVEL_COPY(baseline);
#if MERCER_X86_LEVELS
      MERCER_LEVEL_COPY(v3);
      MERCER_LEVEL_COPY(v4);
#else
      default:
        break;
#endif
#undef MERCER_LEVEL_COPY
    }
  }
  return copies;
}

}  // namespace mercer::test
