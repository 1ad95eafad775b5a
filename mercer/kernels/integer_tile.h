// Tiles of whole numbers: exact dot products and squared distances of packed rows, rounded once.
// With rows x = a + bytes u and y = b + bytes v, dim columns, S the sum and N the squared norm of
// bytes:
//   x . y      = u . v + b S(u) + a S(v) + dim a b
//   |x - y|^2  = N(u) + N(v) - 2 u . v + 2 (a - b) (S(u) - S(v)) + dim (a - b)^2
#pragma once

#include "mercer/core/types.h"
#include "mercer/kernels/integer_rows.h"

#include <cstdint>
#include <vector>

namespace mercer {

enum class IntegerForm { product, squared_distance };

/// Work space of one thread; grows as needed.
struct IntegerScratch {
  std::vector<std::uint32_t> terms;
  std::vector<double> wide_terms;
};

/// out(i, j) = form(a_i, b_j) * factor for the given rows of a and b, row-major with leading
/// dimension ldo; factor is a power of two. T is float or double.
template <class T>
void integer_tile(IntegerForm form, const IntegerRows& a, Range rows, const IntegerRows& b,
                  Range cols, double factor, T* out, Index ldo, IntegerScratch& scratch);

extern template void integer_tile(IntegerForm, const IntegerRows&, Range, const IntegerRows&, Range,
                                  double, float*, Index, IntegerScratch&);
extern template void integer_tile(IntegerForm, const IntegerRows&, Range, const IntegerRows&, Range,
                                  double, double*, Index, IntegerScratch&);

}  // namespace mercer
