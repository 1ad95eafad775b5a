// Tiles of whole numbers, compiled once per CPU level; see tile_levels.cpp for what such a file may
// contain. A block of rows times panels is summed in registers over all columns, stored as 32-bit
// numbers, and turned into T on its way out: one rounding, whatever the number of columns.
//
// Four bytes of one row are multiplied by four bytes of each row of a panel and added up:
//   vpdpbusd  in one instruction; its second operand is signed, so that bytes enter as x - 128
//   otherwise bytes at even and odd places apart, as 16-bit numbers: two multiplications of pairs
#include "mercer/core/lanes.h"
#include "mercer/linalg/integer_maps.h"

#include <string.h>

namespace mercer {
inline namespace MERCER_LEVEL {
namespace {

constexpr int kPanel = 16;       // rows of a panel
constexpr long kStepBytes = 64;  // four columns of a panel

MERCER_INLINE int32_t four_bytes(const uint8_t* from) {
  int32_t word;
  memcpy(&word, from, sizeof word);
  return word;
}

typedef int32_t Words __attribute__((vector_size(MERCER_LANE_BYTES)));
typedef int32_t UnalignedWords
    __attribute__((vector_size(MERCER_LANE_BYTES), may_alias, aligned(4)));

typedef uint16_t Halves __attribute__((vector_size(MERCER_LANE_BYTES)));

// Bytes at even and at odd places, as 16-bit numbers.
MERCER_INLINE Words even_bytes(Words words) { return words & 0x00ff00ff; }
MERCER_INLINE Words odd_bytes(Words words) {
  return reinterpret_cast<Words>(reinterpret_cast<Halves>(words) >> 8);
}

// Two products of 16-bit numbers per word, added.
MERCER_INLINE Words pair_products(Words a, Words b) {
#if MERCER_LANE_BYTES == 64
  return reinterpret_cast<Words>(
      _mm512_madd_epi16(reinterpret_cast<__m512i>(a), reinterpret_cast<__m512i>(b)));
#elif MERCER_LANE_BYTES == 32
  return reinterpret_cast<Words>(
      _mm256_madd_epi16(reinterpret_cast<__m256i>(a), reinterpret_cast<__m256i>(b)));
#elif defined(__x86_64__)
  return reinterpret_cast<Words>(
      _mm_madd_epi16(reinterpret_cast<__m128i>(a), reinterpret_cast<__m128i>(b)));
#else
  return (a & 0xffff) * (b & 0xffff) + (a >> 16) * (b >> 16);
#endif
}

// sums[r][j] = product of row r and column j, R rows against P panels. Registers for 16 (v4: 16 of
// 32) sums at most; the rest holds what is multiplied.
struct PairProducts {
  static constexpr int kRows = MERCER_LANE_BYTES == 64 ? 8 : MERCER_LANE_BYTES == 32 ? 4 : 2;
  static constexpr int kPanels = MERCER_LANE_BYTES == 64 ? 2 : 1;
  static constexpr int32_t kBias = 0;

  template <int P>
  static void sum(const uint8_t* rows, const uint8_t* cols, long steps, int32_t* sums) {
    constexpr int per_panel = int(kStepBytes) / MERCER_LANE_BYTES, width = MERCER_LANE_BYTES / 4;
    Words total[kRows][P * per_panel] = {};
    for (long k = 0; k < steps; ++k, rows += kStepBytes, cols += kStepBytes) {
      Words even[P * per_panel], odd[P * per_panel];
#pragma GCC unroll 4
      for (int v = 0; v < P * per_panel; ++v) {
        const uint8_t* at =
            cols + v / per_panel * steps * kStepBytes + v % per_panel * MERCER_LANE_BYTES;
        const Words word = *reinterpret_cast<const UnalignedWords*>(at);
        even[v] = even_bytes(word);
        odd[v] = odd_bytes(word);
      }
#pragma GCC unroll 8
      for (int r = 0; r < kRows; ++r) {
        const Words word = Words{} + four_bytes(rows + 4 * r);
        const Words row_even = even_bytes(word), row_odd = odd_bytes(word);
#pragma GCC unroll 4
        for (int v = 0; v < P * per_panel; ++v)
          total[r][v] += pair_products(row_even, even[v]) + pair_products(row_odd, odd[v]);
      }
    }
#pragma GCC unroll 8
    for (int r = 0; r < kRows; ++r)
#pragma GCC unroll 4
      for (int v = 0; v < P * per_panel; ++v)
        *reinterpret_cast<UnalignedWords*>(sums + (r * P * per_panel + v) * width) = total[r][v];
  }
};

#if MERCER_LANE_BYTES >= 32
#if MERCER_LANE_BYTES == 64
#define MERCER_DOT_TARGET __attribute__((target("avx512vnni")))
MERCER_DOT_TARGET MERCER_INLINE Words add_dots(Words total, Words row, Words col) {
  return reinterpret_cast<Words>(_mm512_dpbusd_epi32(reinterpret_cast<__m512i>(total),
                                                     reinterpret_cast<__m512i>(row),
                                                     reinterpret_cast<__m512i>(col)));
}
#else
#define MERCER_DOT_TARGET __attribute__((target("avxvnni")))
MERCER_DOT_TARGET MERCER_INLINE Words add_dots(Words total, Words row, Words col) {
  return reinterpret_cast<Words>(_mm256_dpbusd_avx_epi32(reinterpret_cast<__m256i>(total),
                                                         reinterpret_cast<__m256i>(row),
                                                         reinterpret_cast<__m256i>(col)));
}
#endif

struct DotProducts {
  static constexpr int kRows = MERCER_LANE_BYTES == 64 ? 8 : 4;
  static constexpr int kPanels = MERCER_LANE_BYTES == 64 ? 3 : 1;
  static constexpr int32_t kBias = 128;

  template <int P>
  MERCER_DOT_TARGET static void sum(const uint8_t* rows, const uint8_t* cols, long steps,
                                    int32_t* sums) {
    constexpr int per_panel = int(kStepBytes) / MERCER_LANE_BYTES, width = MERCER_LANE_BYTES / 4;
    constexpr int count = P * per_panel;
    const Words flip = Words{} + static_cast<int32_t>(0x80808080);
    Words total[kRows][count];
#pragma GCC unroll 8
    for (int r = 0; r < kRows; ++r)
#pragma GCC unroll 4
      for (int v = 0; v < count; ++v) total[r][v] = Words{};
    for (long k = 0; k < steps; ++k, rows += kStepBytes, cols += kStepBytes) {
      Words col[count];
#pragma GCC unroll 4
      for (int v = 0; v < count; ++v) {
        const uint8_t* at =
            cols + v / per_panel * steps * kStepBytes + v % per_panel * MERCER_LANE_BYTES;
        col[v] = *reinterpret_cast<const UnalignedWords*>(at) ^ flip;
      }
#pragma GCC unroll 8
      for (int r = 0; r < kRows; ++r) {
        const Words row = Words{} + four_bytes(rows + 4 * r);
#pragma GCC unroll 4
        for (int v = 0; v < count; ++v) total[r][v] = add_dots(total[r][v], row, col[v]);
      }
    }
#pragma GCC unroll 8
    for (int r = 0; r < kRows; ++r)
#pragma GCC unroll 4
      for (int v = 0; v < count; ++v)
        *reinterpret_cast<UnalignedWords*>(sums + (r * count + v) * width) = total[r][v];
  }
};
#endif

// The rows and columns of a block of sums that belong to the tile.
struct Part {
  long row_begin, row_end, col_begin, col_end;  // in the tile's own numbering
  long width;                                   // sums per row
};

template <class T>
MERCER_INLINE void store(const IntegerTile& tile, const Part& part, const int32_t* sums, T* out,
                         long ldo) {
  const auto times = static_cast<uint32_t>(tile.times);
  const auto wide_times = static_cast<double>(tile.times);
  const T factor = static_cast<T>(tile.factor);
  const long count = part.col_end - part.col_begin;
  for (long i = part.row_begin; i < part.row_end; ++i, sums += part.width) {
    T* __restrict to = out + i * ldo + part.col_begin;
    if (tile.wide.rows == nullptr) {
      const uint32_t row_term = tile.terms.rows[i];
      const uint32_t* col_terms = tile.terms.cols + part.col_begin;
      for (long j = 0; j < count; ++j) {
        const uint32_t entry = row_term + col_terms[j] + times * static_cast<uint32_t>(sums[j]);
        to[j] = static_cast<T>(static_cast<int32_t>(entry)) * factor;
      }
    } else {
      const double row_term = tile.wide.rows[i];
      const double* col_terms = tile.wide.cols + part.col_begin;
      for (long j = 0; j < count; ++j) {
        const double entry = (row_term + col_terms[j]) + wide_times * static_cast<double>(sums[j]);
        to[j] = static_cast<T>(entry) * factor;
      }
    }
  }
}

MERCER_INLINE long least(long a, long b) { return a < b ? a : b; }
MERCER_INLINE long most(long a, long b) { return a > b ? a : b; }

// All rows of the tile against P panels. Blocks begin at whole groups of rows and whole panels,
// wherever the tile does.
template <class Products, int P, class T>
void fill_panels(const IntegerTile& tile, long panel, T* out, long ldo) {
  constexpr long group = Products::kRows;
  alignas(64) int32_t sums[group * P * kPanel];
  const long panel_bytes = tile.steps * kStepBytes, col = panel * kPanel;
  const long col_begin = most(col, tile.col_begin), col_end = least(col + P * kPanel, tile.col_end);
  for (long row = tile.row_begin / group * group; row < tile.row_end; row += group) {
    Products::template sum<P>(tile.rows + row / kPanel * panel_bytes + row % kPanel * 4,
                              tile.cols + panel * panel_bytes, tile.steps, sums);
    const long row_begin = most(row, tile.row_begin), row_end = least(row + group, tile.row_end);
    const Part part{row_begin - tile.row_begin, row_end - tile.row_begin,
                    col_begin - tile.col_begin, col_end - tile.col_begin, P * kPanel};
    store(tile, part, sums + (row_begin - row) * part.width + (col_begin - col), out, ldo);
  }
}

template <class Products, class T>
void fill(const IntegerTile& tile, T* out, long ldo) {
  const long end = (tile.col_end + kPanel - 1) / kPanel;
  long panel = tile.col_begin / kPanel;
  for (; panel + Products::kPanels <= end; panel += Products::kPanels)
    fill_panels<Products, Products::kPanels>(tile, panel, out, ldo);
  if constexpr (Products::kPanels == 3)
    for (; panel + 2 <= end; panel += 2) fill_panels<Products, 2>(tile, panel, out, ldo);
  for (; panel < end; ++panel) fill_panels<Products, 1>(tile, panel, out, ldo);
}

}  // namespace

IntegerMaps integer_maps([[maybe_unused]] bool dot_instruction) {
#if MERCER_LANE_BYTES >= 32
  if (dot_instruction)
    return {&fill<DotProducts, float>, &fill<DotProducts, double>, DotProducts::kBias};
#endif
  return {&fill<PairProducts, float>, &fill<PairProducts, double>, PairProducts::kBias};
}

}  // namespace MERCER_LEVEL
}  // namespace mercer
