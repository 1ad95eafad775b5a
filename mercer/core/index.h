// Sizes and ranges, without the vectors of types.h: what counts, but does not compute, needs no
// linear algebra to compile.
#pragma once

#include <cstddef>

namespace mercer {

/// Every count, size and offset.
using Index = std::ptrdiff_t;

/// Half-open range of rows or columns.
struct Range {
  Index begin = 0;
  Index end = 0;
  Index size() const { return end - begin; }
  friend bool operator==(const Range&, const Range&) = default;
};

}  // namespace mercer
