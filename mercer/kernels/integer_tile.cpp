#include "mercer/kernels/integer_tile.h"

#include "mercer/core/check.h"
#include "mercer/linalg/byte_products.h"
#include "mercer/linalg/integer_maps.h"

#include <algorithm>
#include <type_traits>

namespace mercer {
namespace {

// An entry is what belongs to its row, to its column, and `times` the product of bytes.
struct Terms {
  IntegerForm form;
  const IntegerRows &a, &b;

  std::int32_t times() const { return form == IntegerForm::product ? 1 : -2; }
  std::int64_t apart() const { return a.offset() - b.offset(); }

  std::int64_t of_row(Index i) const {
    const auto at = static_cast<std::size_t>(i);
    const std::int64_t sum = a.byte_sums()[at], dim = a.dim();
    const std::int64_t biased = times() * integer_maps_here().bias * sum;
    if (form == IntegerForm::product)
      return b.offset() * sum + dim * a.offset() * b.offset() + biased;
    return a.byte_norms()[at] + 2 * apart() * sum + dim * apart() * apart() + biased;
  }

  std::int64_t of_col(Index j) const {
    const auto at = static_cast<std::size_t>(j);
    const std::int64_t sum = b.byte_sums()[at];
    if (form == IntegerForm::product) return a.offset() * sum;
    return b.byte_norms()[at] - 2 * apart() * sum;
  }

  // Whether every entry fits into 32 bits.
  bool narrow() const {
    const auto largest = [](const IntegerRows& rows) {
      return std::max(std::abs(rows.offset()), std::abs(rows.offset() + 255));
    };
    const std::int64_t farthest = 255 + std::abs(apart());
    const std::int64_t most =
        form == IntegerForm::product ? largest(a) * largest(b) : farthest * farthest;
    return a.dim() * most < (std::int64_t{1} << 31);
  }

  // All terms of the tile, rows first; narrow ones wrap round, as the sums they enter do.
  template <class V>
  void write(Range rows, Range cols, std::vector<V>& out) const {
    out.resize(static_cast<std::size_t>(rows.size() + cols.size()));
    V* to = out.data();
    for (Index i = rows.begin; i < rows.end; ++i) *to++ = static_cast<V>(of_row(i));
    for (Index j = cols.begin; j < cols.end; ++j) *to++ = static_cast<V>(of_col(j));
  }
};

}  // namespace

template <class T>
void integer_tile(IntegerForm form, const IntegerRows& a, Range rows, const IntegerRows& b,
                  Range cols, double factor, T* out, Index ldo, IntegerScratch& scratch) {
  MERCER_ASSERT(a.dim() == b.dim());
  const Terms terms{form, a, b};
  IntegerTile tile{.rows = a.panels(),
                   .cols = b.panels(),
                   .steps = a.steps(),
                   .row_begin = rows.begin,
                   .row_end = rows.end,
                   .col_begin = cols.begin,
                   .col_end = cols.end,
                   .times = terms.times(),
                   .factor = factor};
  if (terms.narrow()) {
    terms.write(rows, cols, scratch.terms);
    tile.terms.rows = scratch.terms.data();
    tile.terms.cols = scratch.terms.data() + rows.size();
  } else {
    terms.write(rows, cols, scratch.wide_terms);
    tile.wide.rows = scratch.wide_terms.data();
    tile.wide.cols = scratch.wide_terms.data() + rows.size();
  }
  if constexpr (std::is_same_v<T, float>)
    integer_maps_here().fill_single(tile, out, ldo);
  else
    integer_maps_here().fill_double(tile, out, ldo);
}

template void integer_tile(IntegerForm, const IntegerRows&, Range, const IntegerRows&, Range,
                           double, float*, Index, IntegerScratch&);
template void integer_tile(IntegerForm, const IntegerRows&, Range, const IntegerRows&, Range,
                           double, double*, Index, IntegerScratch&);

}  // namespace mercer
