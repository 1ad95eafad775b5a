// Two kinds of check: require() for what a user may get wrong, MERCER_ASSERT for what only we can.
#pragma once

#include "mercer/core/error.h"

#include <cstdio>
#include <cstdlib>
#include <string>

namespace mercer {

/// Throws Error unless the condition holds. Build costly messages with an `if` instead.
inline void require(bool condition, ErrorCode code, const char* message, const char* hint = "") {
  if (!condition) throw Error(code, message, hint);
}

}  // namespace mercer

#ifdef NDEBUG
#define MERCER_ASSERT(condition) static_cast<void>(0)
#else
#define MERCER_ASSERT(condition)                                                             \
  do {                                                                                       \
    if (!(condition)) {                                                                      \
      std::fprintf(stderr, "%s:%d: assertion failed: %s\n", __FILE__, __LINE__, #condition); \
      std::abort();                                                                          \
    }                                                                                        \
  } while (false)
#endif
