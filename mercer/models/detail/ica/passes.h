// One look at the whitened rows z (n x K) through p directions w (p x K): y = z w', a map of y, and
// the products of what it gives with z or y. Rows are worked through in tiles that stay in the
// cache, so that z is read once per pass; groups of tiles are summed apart and added in order, so
// that the bytes do not depend on the number of threads. A pass is not stopped for the time
// allowed, which its callers ask for between passes.
#pragma once

#include "mercer/core/budget.h"
#include "mercer/core/types.h"
#include "mercer/models/detail/ica/contrast_loops.h"

#include <cstdint>
#include <vector>

namespace mercer::detail {

/// What fixed-point iterations are made of: G, with log cosh, exp or the fourth power as
/// contrasts, has the derivative g.
enum class Contrast { logcosh, exp, cube };

struct ContrastSums {
  Block products;  // p x K: sum of g(y_i) z'
  Vector slopes;   // p: sum of g'(y_i)
};
ContrastSums contrast_sums(ConstBlockRef z, const Block& w, Contrast contrast,
                           const Context& context);

/// With the sums of G(y_i) beside them.
struct ClimbPass {
  ContrastSums sums;
  Vector values;  // p
};
ClimbPass climb_pass(ConstBlockRef z, const Block& w, Contrast contrast, const Context& context);
/// The same in float, but for the sums of tiles: right to a few units of the rounding of float.
using FloatBlock = Eigen::MatrixXf;
ClimbPass rough_climb_pass(const FloatBlock& z, const Block& w, Contrast contrast,
                           const Context& context);

struct TanhSums {
  Block products;                   // K x K: sum of tanh(y_i) y_j
  Vector log_cosh, slopes, curves;  // K: see DensitySums
};
TanhSums tanh_sums(ConstBlockRef z, const Block& w, const Context& context);

/// Of the sources y_i times factor_i.
std::vector<ShapeSums> shape_sums(ConstBlockRef z, const Block& w, const Vector& factors,
                                  const Context& context);

/// Bytes a pass takes for n rows and K columns on so many threads, z apart.
std::uint64_t pass_bytes(Index n, Index k, Index threads);

}  // namespace mercer::detail
