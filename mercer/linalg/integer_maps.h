// What each CPU level offers for tiles of whole numbers: plain functions on raw memory, compiled
// once per level from integer_levels.cpp.
#pragma once

#include "mercer/core/lanes.h"  // opens its level as an inline namespace, which must come first
#include "mercer/core/levels.h"

#include <stdint.h>

namespace mercer {

/// r and c of a tile, or null.
template <class T>
struct IntegerTerms {
  const T* rows = nullptr;
  const T* cols = nullptr;
};

/// One tile: out(i, j) = (r_i + c_j + times * p_ij) * factor for rows i of [row_begin, row_end) and
/// columns j likewise, with p_ij the product of the bytes of row i and of row j less `bias`. The
/// terms r and c start at the first row and column of the tile.
struct IntegerTile {
  const uint8_t* rows;  // panels, as IntegerRows has them
  const uint8_t* cols;
  long steps;
  long row_begin, row_end, col_begin, col_end;
  int32_t times;
  double factor;                 // a power of two
  IntegerTerms<uint32_t> terms;  // where every result fits into 32 bits; sums wrap on the way
  IntegerTerms<double> wide;     // elsewhere; below 2^53
};

template <class T>
using IntegerFill = void (*)(const IntegerTile& tile, T* out, long ldo);

struct IntegerMaps {
  IntegerFill<float> fill_single;
  IntegerFill<double> fill_double;
  int32_t bias;  // 128 where the instruction wants its second operand signed, else 0
};

// `dot_instruction`: the machine multiplies and adds bytes in one step (v4: AVX512-VNNI, v3:
// AVX-VNNI); baseline has none.
MERCER_DECLARE_LEVELS(IntegerMaps integer_maps(bool dot_instruction);)

}  // namespace mercer
