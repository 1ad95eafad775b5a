// The vectorised loops over a tile, compiled once per CPU level with that level's flags;
// MERCER_LEVEL names the level. No shared inline function may be left behind, or the linker could
// keep the AVX-512 copy for everybody: raw pointers, family headers, vecmath.h and C headers only.
// A test reads the symbols.
#include "mercer/kernels/families.inc"
#include "mercer/kernels/tile_maps.h"

namespace mercer {
inline namespace MERCER_LEVEL {
namespace {

constexpr int kUnroll = 4;  // independent registers in flight, which hides the latency of exp

template <class Family, class T>
[[gnu::always_inline]] inline Lanes<T> value_of(const Family& family, bool squared, Lanes<T> entry,
                                                Lanes<T> row_norm, Lanes<T> col_norm) {
  if constexpr (Family::traits.form == Form::radial) {
    // Rounding can make |x|^2 + |y|^2 - 2 x.y slightly negative.
    const Lanes<T> distance =
        squared ? entry : max(row_norm + col_norm - (entry + entry), Lanes<T>(T(0)));
    return family(PairTerms<Lanes<T>>{entry, distance});
  } else {
    return family(PairTerms<Lanes<T>>{entry, entry});
  }
}

template <class Family, class T>
void map_tile(const void* erased, bool squared, const T* row_norms, const T* col_norms, T* tile,
              long rows, long cols, long ld) {
  using L = Lanes<T>;
  constexpr long width = L::width;
  const Family family = *static_cast<const Family*>(erased);
  // Dot kernels come without norms.
  const bool needs_norms = Family::traits.form == Form::radial && !squared;
  for (long i = 0; i < rows; ++i) {
    T* row = tile + i * ld;
    const L row_norm(needs_norms ? row_norms[i] : T(0));
    long j = 0;
    for (; j + kUnroll * width <= cols; j += kUnroll * width) {
#pragma GCC unroll 4
      for (int u = 0; u < kUnroll; ++u) {
        T* at = row + j + u * width;
        const L col_norm = needs_norms ? L::load(col_norms + j + u * width) : row_norm;
        value_of<Family, T>(family, squared, L::load(at), row_norm, col_norm).store(at);
      }
    }
    for (; j < cols; j += width) {
      const long count = cols - j < width ? cols - j : width;
      const L col_norm = needs_norms ? L::load_first(col_norms + j, count) : row_norm;
      value_of<Family, T>(family, squared, L::load_first(row + j, count), row_norm, col_norm)
          .store_first(row + j, count);
    }
  }
}

// One row of a against `count` columns, a register at a time.
template <class T>
void distance_row(const T* a, const T* bt, long ldb, T* out, long cols, long dim) {
  using L = Lanes<T>;
  constexpr long width = L::width;
  long j = 0;
  for (; j + width <= cols; j += width) {
    L sum(T(0));
    for (long k = 0; k < dim; ++k) {
      const L difference = L(a[k]) - L::load(bt + k * ldb + j);
      sum = fma(difference, difference, sum);
    }
    sum.store(out + j);
  }
  if (j == cols) return;
  L sum(T(0));
  for (long k = 0; k < dim; ++k) {
    const L difference = L(a[k]) - L::load_first(bt + k * ldb + j, cols - j);
    sum = fma(difference, difference, sum);
  }
  sum.store_first(out + j, cols - j);
}

template <class T>
void distance_tile(const T* a, long lda, const T* bt, long ldb, T* out, long ldo, long rows,
                   long cols, long dim) {
  for (long i = 0; i < rows; ++i) distance_row(a + i * lda, bt, ldb, out + i * ldo, cols, dim);
}

template <class T>
TileMap<T> map_of(int family) {
  constexpr TileMap<T> kMaps[] = {
#define MERCER_ENTRY(name, Type) &map_tile<Type, T>,
#include "mercer/kernels/catalog.def"
#undef MERCER_ENTRY
  };
  return kMaps[family];
}

}  // namespace

LevelMaps tile_maps() {
  return {&map_of<float>, &map_of<double>, &distance_tile<float>, &distance_tile<double>};
}

}  // namespace MERCER_LEVEL
}  // namespace mercer
