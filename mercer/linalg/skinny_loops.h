// What each CPU level offers to the skinny product: plain functions on raw memory, compiled once
// per level from skinny_levels.cpp.
#pragma once

#include "mercer/core/levels.h"

#include <stddef.h>

namespace mercer {

/// The block of vectors x on both sides of a tile, and where the products go.
template <class T>
struct SkinnyBlock {
  const T* x_cols;  // the rows of x that meet the columns of K, column-major
  ptrdiff_t ldc;    // readable up to the next 64 bytes beyond cols
  const T* x_rows;  // the rows of x that meet the rows of K, row-major; null: y_rows only
  ptrdiff_t ldr;
  double *y_rows, *y_cols;  // column-major
  ptrdiff_t ldy, width;     // width: columns of x and y
};

/// One tile K (rows x cols, row-major) and what it is multiplied with.
template <class T>
struct SkinnyTile : SkinnyBlock<T> {
  const T* tile;
  ptrdiff_t ld, rows, cols;
  T* edge;        // kSkinnyEdge bytes
  const T* next;  // the tile that comes next, if it is known: fetched ahead
};

/// Scratch for the last columns of a tile, where they do not fill a register.
constexpr ptrdiff_t kSkinnyRows = 64;
constexpr ptrdiff_t kSkinnyEdge = kSkinnyRows * 64;

template <class T>
using SkinnyLoop = void (*)(const SkinnyTile<T>& job);

template <class T>
using SquareSum = double (*)(const T* tile, ptrdiff_t rows, ptrdiff_t cols, ptrdiff_t ld);

struct LevelSkinny {
  SkinnyLoop<float> add_single;
  SkinnyLoop<double> add_double;
  SquareSum<float> squares_single;
  SquareSum<double> squares_double;
};

MERCER_DECLARE_LEVELS(LevelSkinny skinny_loops();)

}  // namespace mercer
