// What each CPU level offers: plain functions on raw memory, compiled once per level from
// tile_levels.cpp.
#pragma once

#include "mercer/core/levels.h"

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

MERCER_DECLARE_LEVELS(LevelMaps tile_maps();)

}  // namespace mercer
