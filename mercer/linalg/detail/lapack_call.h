// What every call of a Fortran library needs: sizes in 32 bits, and a look at what it reports.
#pragma once

#include "mercer/core/error.h"
#include "mercer/core/index.h"

#include <limits>
#include <string>

namespace mercer::detail {

/// A size as BLAS and LAPACK count; throws M301 where they cannot.
inline int narrow(Index value) {
  if (value > std::numeric_limits<int>::max())
    throw Error(ErrorCode::over_memory, "a matrix dimension exceeds 2147483647");
  return static_cast<int>(value);
}

/// Throws M600 for a routine that says it failed.
inline void check_info(const char* routine, int info) {
  if (info == 0) return;
  throw Error(ErrorCode::not_converged,
              std::string("LAPACK's ") + routine + " failed with info = " + std::to_string(info),
              "check the data for extreme values");
}

}  // namespace mercer::detail
