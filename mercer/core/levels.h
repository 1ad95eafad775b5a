// Code that is compiled once per CPU level: how the copies are declared, and how one is chosen.
// C only, since the copies themselves include it.
#pragma once

// Declares the same function in the namespace of every level. lanes.h opens the level that it is
// compiled for as an inline namespace; here they are all declared plainly.
#ifdef __clang__
#define MERCER_LEVELS_BEGIN        \
  _Pragma("clang diagnostic push") \
      _Pragma("clang diagnostic ignored \"-Winline-namespace-reopened-noninline\"")
#define MERCER_LEVELS_END _Pragma("clang diagnostic pop")
#else
#define MERCER_LEVELS_BEGIN
#define MERCER_LEVELS_END
#endif
// clang-format off
#define MERCER_DECLARE_LEVELS(declaration) \
  MERCER_LEVELS_BEGIN                      \
  namespace baseline { declaration }       \
  namespace v3 { declaration }             \
  namespace v4 { declaration }             \
  MERCER_LEVELS_END
// clang-format on

// The copy for the level to run (cpu.h). Elsewhere than on x86-64 there is the first one alone.
#ifdef __x86_64__
#define MERCER_OF_LEVEL(first, second, third) ::mercer::of_level(first, second, third)
#else
#define MERCER_OF_LEVEL(first, second, third) (first)
#endif
