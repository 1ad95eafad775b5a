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
    return family(PairTerms<Lanes<T>>{entry, distance, distance});
  } else {
    return family(PairTerms<Lanes<T>>{entry, entry, entry});
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

struct SquaredDifference {
  template <class L>
  [[gnu::always_inline]] static void add(L x, L y, L& sum) {
    const L difference = x - y;
    sum = fma(difference, difference, sum);
  }
};

template <class Family>
struct TermOf {
  template <class L>
  [[gnu::always_inline]] static void add(L x, L y, L& sum) {
    sum = sum + Family::term(x, y);
  }
};

// R rows of a against kRegisters registers of columns: every value loaded is used several times,
// and the sums are independent, which hides the latency of the additions. Each sum runs over the
// coordinates in order, whatever the shape of the tile.
constexpr int kRegisters = 2;

// Adds the terms of one coordinate: of R rows, `lda` apart, and of the columns that begin at
// `from`.
template <class Term, int R, class T>
[[gnu::always_inline]] inline void add_coordinate(const T* a, long lda, const T* from,
                                                  Lanes<T> (&sums)[R][kRegisters]) {
  using L = Lanes<T>;
#pragma GCC unroll 8
  for (int r = 0; r < R; ++r)
#pragma GCC unroll 2
    for (int u = 0; u < kRegisters; ++u)
      Term::add(L(a[r * lda]), L::load(from + u * L::width), sums[r][u]);
}

template <class Term, int R, class T>
void sum_rows(const T* a, long lda, const T* bt, long ldb, T* out, long ldo, long cols, long dim) {
  using L = Lanes<T>;
  constexpr long width = L::width;
  long j = 0;
  for (; j + kRegisters * width <= cols; j += kRegisters * width) {
    L sums[R][kRegisters];
    for (int r = 0; r < R; ++r)
      for (int u = 0; u < kRegisters; ++u) sums[r][u] = L(T(0));
    for (long k = 0; k < dim; ++k) add_coordinate<Term, R>(a + k, lda, bt + k * ldb + j, sums);
    for (int r = 0; r < R; ++r)
      for (int u = 0; u < kRegisters; ++u) sums[r][u].store(out + r * ldo + j + u * width);
  }
  for (; j < cols; j += width) {
    const long count = cols - j < width ? cols - j : width;
    for (int r = 0; r < R; ++r) {
      L sum(T(0));
      for (long k = 0; k < dim; ++k)
        Term::add(L(a[r * lda + k]), L::load_first(bt + k * ldb + j, count), sum);
      sum.store_first(out + r * ldo + j, count);
    }
  }
}

template <class Term, class T>
void sum_tile(const T* a, long lda, const T* bt, long ldb, T* out, long ldo, long rows, long cols,
              long dim) {
  constexpr long group = 4;
  long i = 0;
  for (; i + group <= rows; i += group)
    sum_rows<Term, group>(a + i * lda, lda, bt, ldb, out + i * ldo, ldo, cols, dim);
  for (; i < rows; ++i) sum_rows<Term, 1>(a + i * lda, lda, bt, ldb, out + i * ldo, ldo, cols, dim);
}

template <class Family, class T>
constexpr SumTile<T> sum_tile_of() {
  if constexpr (Family::traits.form == Form::differences || Family::traits.form == Form::sums)
    return &sum_tile<TermOf<Family>, T>;
  else
    return nullptr;
}

template <class T>
SumTile<T> sums_of(int family) {
  constexpr SumTile<T> kSums[] = {
#define MERCER_ENTRY(name, Type) sum_tile_of<Type, T>(),
#include "mercer/kernels/catalog.def"
#undef MERCER_ENTRY
  };
  return kSums[family];
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
  return {&map_of<float>,
          &map_of<double>,
          &sum_tile<SquaredDifference, float>,
          &sum_tile<SquaredDifference, double>,
          &sums_of<float>,
          &sums_of<double>};
}

}  // namespace MERCER_LEVEL
}  // namespace mercer
