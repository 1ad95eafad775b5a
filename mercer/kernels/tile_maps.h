// What each CPU level offers: plain functions on raw memory, compiled once per level from
// tile_levels.cpp.
#pragma once

namespace mercer {

/// In-place map of a row-major tile of dot products, or of sums of terms, to kernel values.
/// `family` points to the family's struct; `squared`: the tile already holds squared distances, and
/// norms are not used.
template <class T>
using TileMap = void (*)(const void* family, bool squared, const T* row_norms, const T* col_norms,
                         T* tile, long rows, long cols, long ld);

/// Sums over the coordinates of what two rows have there: squared differences, or a family's term.
/// a is rows x dim, bt is dim x cols (transposed), both row-major.
template <class T>
using SumTile = void (*)(const T* a, long lda, const T* bt, long ldb, T* out, long ldo, long rows,
                         long cols, long dim);

struct LevelMaps {
  TileMap<float> (*map_single)(int family);
  TileMap<double> (*map_double)(int family);
  SumTile<float> distances_single;
  SumTile<double> distances_double;
  SumTile<float> (*sums_single)(int family);  // null for families without terms
  SumTile<double> (*sums_double)(int family);
};

// lanes.h opens the level it is compiled for as an inline namespace; here they are all declared
// plainly.
#ifdef __clang__
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Winline-namespace-reopened-noninline"
#endif
#define MERCER_DECLARE_LEVEL(level) \
  namespace level {                 \
  LevelMaps tile_maps();            \
  }
MERCER_DECLARE_LEVEL(baseline)
MERCER_DECLARE_LEVEL(v3)
MERCER_DECLARE_LEVEL(v4)
#undef MERCER_DECLARE_LEVEL
#ifdef __clang__
#pragma clang diagnostic pop
#endif

}  // namespace mercer
