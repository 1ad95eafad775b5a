#include "mercer/kernels/integer_tile.h"

#include "mercer/core/check.h"
#include "mercer/core/cpu.h"
#include "mercer/kernels/integer_maps.h"

#include <algorithm>
#include <cstdlib>
#include <type_traits>

#ifdef __x86_64__
#include <cpuid.h>
#endif

namespace mercer {
namespace {

#ifdef __x86_64__
// A name that not every compiler's __builtin_cpu_supports knows.
bool has_avx_vnni() {
  unsigned a = 0, b = 0, c = 0, d = 0;
  return __get_cpuid_count(7, 1, &a, &b, &c, &d) != 0 && (a & 1U << 4) != 0;
}

bool has_dot_instruction() {
  switch (cpu_level()) {
    case CpuLevel::v4:
      return __builtin_cpu_supports("avx512vnni");
    case CpuLevel::v3:
      return has_avx_vnni();
    case CpuLevel::baseline:
      break;
  }
  return false;
}
#else
bool has_dot_instruction() { return false; }
#endif

const IntegerMaps& maps() {
  static const IntegerMaps chosen = MERCER_OF_LEVEL(baseline::integer_maps, v3::integer_maps,
                                                    v4::integer_maps)(has_dot_instruction());
  return chosen;
}

// An entry is what belongs to its row, to its column, and `times` the product of bytes.
struct Terms {
  IntegerForm form;
  const IntegerRows &a, &b;

  std::int32_t times() const { return form == IntegerForm::product ? 1 : -2; }
  std::int64_t apart() const { return a.offset() - b.offset(); }

  std::int64_t of_row(Index i) const {
    const auto at = static_cast<std::size_t>(i);
    const std::int64_t sum = a.byte_sums()[at], dim = a.dim();
    const std::int64_t biased = times() * maps().bias * sum;
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
    maps().fill_single(tile, out, ldo);
  else
    maps().fill_double(tile, out, ldo);
}

template void integer_tile(IntegerForm, const IntegerRows&, Range, const IntegerRows&, Range,
                           double, float*, Index, IntegerScratch&);
template void integer_tile(IntegerForm, const IntegerRows&, Range, const IntegerRows&, Range,
                           double, double*, Index, IntegerScratch&);

std::string_view byte_instructions() {
  if (!has_dot_instruction()) return "none";
  return cpu_level() == CpuLevel::v4 ? "AVX512-VNNI" : "AVX-VNNI";
}

}  // namespace mercer
