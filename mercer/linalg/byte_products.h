// Exact products of rows of bytes: the copy of integer_levels.cpp for this machine, and the
// plainest call of it.
#pragma once

#include "mercer/core/index.h"

#include <cstdint>
#include <string_view>

namespace mercer {

struct IntegerMaps;  // integer_maps.h

/// The copy for the level that runs and the instructions there are.
const IntegerMaps& integer_maps_here();

/// The instructions that multiply and add bytes in one step here: "AVX512-VNNI", "AVX-VNNI", or
/// "none" where products of 16-bit numbers take their place.
std::string_view byte_instructions();

/// Rows of 4 * steps bytes in panels of 16 rows, each panel [steps][16 rows][4 bytes], and the sums
/// of their bytes. No product of two rows may reach 2^31.
struct ByteRows {
  static constexpr Index kPanel = 16, kStep = 4;
  const std::uint8_t* panels = nullptr;  // at a multiple of 64
  const std::int32_t* sums = nullptr;
  Index steps = 0;
};

/// out(i, j) = the product of rows i and j, row-major.
void byte_products(const ByteRows& bytes, Range rows, Range cols, double* out, Index ldo);

}  // namespace mercer
