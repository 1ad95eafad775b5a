#include "mercer/linalg/byte_products.h"

#include "mercer/core/cpu.h"
#include "mercer/linalg/integer_maps.h"

#include <vector>

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

}  // namespace

const IntegerMaps& integer_maps_here() {
  static const IntegerMaps chosen = MERCER_OF_LEVEL(baseline::integer_maps, v3::integer_maps,
                                                    v4::integer_maps)(has_dot_instruction());
  return chosen;
}

std::string_view byte_instructions() {
  if (!has_dot_instruction()) return "none";
  return cpu_level() == CpuLevel::v4 ? "AVX512-VNNI" : "AVX-VNNI";
}

void byte_products(const ByteRows& bytes, Range rows, Range cols, double* out, Index ldo) {
  const IntegerMaps& maps = integer_maps_here();
  std::vector<std::uint32_t> terms(static_cast<std::size_t>(rows.size() + cols.size()));
  for (Index i = 0; i < rows.size(); ++i)
    terms[static_cast<std::size_t>(i)] =
        static_cast<std::uint32_t>(maps.bias * bytes.sums[rows.begin + i]);
  const IntegerTile tile{.rows = bytes.panels,
                         .cols = bytes.panels,
                         .steps = bytes.steps,
                         .row_begin = rows.begin,
                         .row_end = rows.end,
                         .col_begin = cols.begin,
                         .col_end = cols.end,
                         .times = 1,
                         .factor = 1,
                         .terms = {terms.data(), terms.data() + rows.size()},
                         .wide = {}};
  maps.fill_double(tile, out, ldo);
}

}  // namespace mercer
