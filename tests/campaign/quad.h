// 113-bit numbers and the functions of them that kernels need.
#pragma once

#include "tests/oracle/quad_reference.h"

#if !__has_include(<quadmath.h>)
extern "C" {
__float128 tanhq(__float128) noexcept;
__float128 log1pq(__float128) noexcept;
__float128 frexpq(__float128, int*) noexcept;
__float128 ldexpq(__float128, int) noexcept;
}
#endif

namespace mercer::campaign {

using oracle::Quad;
using oracle::QuadMatrix;

}  // namespace mercer::campaign
