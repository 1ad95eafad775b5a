// The loops of scaling by stress, compiled once per CPU level under the rules of tile_levels.cpp.
// For each row of a tile a first walk over its pairs takes the roots and quotients, which cost the
// most, and keeps the quotients; a second one for each coordinate adds up the pulls.
#include "mercer/core/lanes.h"
#include "mercer/linalg/stress_loops.h"

namespace mercer {
inline namespace MERCER_LEVEL {
namespace {

using Doubles = Lanes<double>;
constexpr ptrdiff_t kWidth = Doubles::width;

// What one or several pairs come to; `d2` is the squared distance.
template <bool weighted>
MERCER_INLINE Doubles ratios(Doubles d2, Doubles wanted, Doubles weight, Doubles& residual,
                             Doubles& squares, Doubles& products) {
  const Doubles zero(0.0), d = sqrt(d2), apart = wanted - d;
  const Doubles ratio = select<double>(d > zero, wanted / d, zero);
  if constexpr (weighted) {
    residual = fma(weight * apart, apart, residual);
    squares = fma(weight, d2, squares);
    products = fma(weight * wanted, d, products);
    return weight * ratio;
  } else {
    residual = fma(apart, apart, residual);
    squares = squares + d2;
    products = fma(wanted, d, products);
    return ratio;
  }
}

template <bool weighted>
void walk_row(const StressTile& job, ptrdiff_t i, Doubles& residual, Doubles& squares,
              Doubles& products) {
  const double* wanted = job.wanted + i * job.ld;
  const double* weight = weighted ? job.weight + i * job.ld : nullptr;
  for (ptrdiff_t j = 0; j < job.cols; j += kWidth) {
    // Lanes beyond the last column have the row's own point and nothing wanted: they add nothing.
    const ptrdiff_t rest = job.cols - j;
    Doubles d2(0.0);
    for (ptrdiff_t c = 0; c < job.dims; ++c) {
      const Doubles own(job.z_rows[c * job.ldz + i]);
      const double* column = job.z_cols + c * job.ldz + j;
      const Doubles apart =
          own - (rest >= kWidth ? Doubles::load(column) : Doubles::load_first(column, rest));
      d2 = fma(apart, apart, d2);
    }
    Doubles want, w(1.0);
    if (rest >= kWidth) {
      want = Doubles::load(wanted + j);
      if constexpr (weighted) w = Doubles::load(weight + j);
      ratios<weighted>(d2, want, w, residual, squares, products).store(job.ratio + j);
      continue;
    }
    double squared[kWidth], kept[kWidth];
    d2.store(squared);
    for (ptrdiff_t l = rest; l < kWidth; ++l) squared[l] = 0;
    want = Doubles::load_first(wanted + j, rest);
    if constexpr (weighted) w = Doubles::load_first(weight + j, rest);
    ratios<weighted>(Doubles::load(squared), want, w, residual, squares, products).store(kept);
    for (ptrdiff_t l = 0; l < rest; ++l) job.ratio[j + l] = kept[l];
  }
}

void pull(const StressTile& job, ptrdiff_t i) {
  const ptrdiff_t whole = job.cols - job.cols % kWidth;
  for (ptrdiff_t c = 0; c < job.dims; ++c) {
    const double own = job.z_rows[c * job.ldz + i];
    const double* column = job.z_cols + c * job.ldz;
    double* out = job.out_cols ? job.out_cols + c * job.ldo : nullptr;
    Doubles sums(0.0);
    double rest = 0;
    for (ptrdiff_t j = 0; j < whole; j += kWidth) {
      const Doubles force =
          Doubles::load(job.ratio + j) * (Doubles(own) - Doubles::load(column + j));
      sums += force;
      if (out) (Doubles::load(out + j) - force).store(out + j);
    }
    for (ptrdiff_t j = whole; j < job.cols; ++j) {
      const double force = job.ratio[j] * (own - column[j]);
      rest += force;
      if (out) out[j] -= force;
    }
    job.out_rows[c * job.ldo + i] += sum(sums) + rest;
  }
}

StressSums add(const StressTile& job) {
  Doubles residual(0.0), squares(0.0), products(0.0);
  for (ptrdiff_t i = 0; i < job.rows; ++i) {
    if (job.weight)
      walk_row<true>(job, i, residual, squares, products);
    else
      walk_row<false>(job, i, residual, squares, products);
    pull(job, i);
  }
  StressSums sums;
  sums.residual = sum(residual);
  sums.squares = sum(squares);
  sums.products = sum(products);
  return sums;
}

}  // namespace

LevelStress stress_loops() { return {&add}; }

}  // namespace MERCER_LEVEL
}  // namespace mercer
