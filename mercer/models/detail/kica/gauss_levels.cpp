// The Gaussian kernel of a column with one number, compiled once per CPU level under the rules of
// tile_levels.cpp.
#include "mercer/core/vecmath.h"
#include "mercer/models/detail/kica/gauss_loops.h"

namespace mercer {
inline namespace MERCER_LEVEL {
namespace {

using D = Lanes<double>;

MERCER_INLINE D kernel(D y, D at, D rate) {
  const D apart = y - at;
  return exp(-(rate * apart * apart));
}

void gauss(const double* y, ptrdiff_t n, double at, double rate, double* k) {
  const D center(at), speed(rate);
  ptrdiff_t i = 0;
  for (; i + D::width <= n; i += D::width) kernel(D::load(y + i), center, speed).store(k + i);
  if (i < n) kernel(D::load_first(y + i, n - i), center, speed).store_first(k + i, n - i);
}

MERCER_INLINE D leaning(D y, D at, D k, D weight, D slope) {
  return fma(weight * k, at - y, slope);
}

void lean(const double* y, ptrdiff_t n, double at, const double* k, const double* weight,
          double* slope) {
  const D center(at);
  ptrdiff_t i = 0;
  for (; i + D::width <= n; i += D::width)
    leaning(D::load(y + i), center, D::load(k + i), D::load(weight + i), D::load(slope + i))
        .store(slope + i);
  const ptrdiff_t rest = n - i;
  if (rest > 0)
    leaning(D::load_first(y + i, rest), center, D::load_first(k + i, rest),
            D::load_first(weight + i, rest), D::load_first(slope + i, rest))
        .store_first(slope + i, rest);
}

}  // namespace

LevelGauss gauss_loops() { return {&gauss, &lean}; }

}  // namespace MERCER_LEVEL
}  // namespace mercer
