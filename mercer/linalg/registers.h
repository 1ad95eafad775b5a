// Registers of doubles, of 16, 32 and 64 bytes, at any address. Wider types than the machine's
// registers would be kept in memory by the compiler, so that loops name the width of their level.
#pragma once

namespace mercer {

#define MERCER_REGISTER(bytes)                                                   \
  struct Register##bytes {                                                       \
    typedef double V __attribute__((vector_size(bytes), aligned(8), may_alias)); \
  };
MERCER_REGISTER(16)
MERCER_REGISTER(32)
MERCER_REGISTER(64)
#undef MERCER_REGISTER

}  // namespace mercer
