// A symmetric matrix close to another one, known by its leading eigenpairs.
#pragma once

#include "mercer/core/types.h"

namespace mercer {

struct LowRank {
  Block vectors;  // n x rank, orthonormal
  Vector values;  // descending
};

}  // namespace mercer
