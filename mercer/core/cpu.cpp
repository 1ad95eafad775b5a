#include "mercer/core/cpu.h"

#include "mercer/core/error.h"
#include "mercer/core/text.h"

#include <fmt/format.h>

#include <array>
#include <cstdlib>

#ifdef __x86_64__
#include <cpuid.h>
#endif

namespace mercer {
namespace {

constexpr std::array kLevels = {CpuLevel::baseline, CpuLevel::v3, CpuLevel::v4};
constexpr const char* kHint = "set MERCER_CPU to baseline, v3 or v4, or leave it unset";

#ifdef __x86_64__
// What x86-64-v3 needs beyond the names every compiler's __builtin_cpu_supports knows.
bool has_movbe_f16c_lzcnt() {
  unsigned a = 0, b = 0, c = 0, d = 0;
  if (__get_cpuid(1, &a, &b, &c, &d) == 0) return false;
  if ((c & bit_MOVBE) == 0 || (c & bit_F16C) == 0) return false;
  return __get_cpuid(0x80000001, &a, &b, &c, &d) != 0 && (c & bit_LZCNT) != 0;
}

// __builtin_cpu_supports also asks whether the operating system saves the wide registers.
CpuLevel detect_level() {
  __builtin_cpu_init();
  const bool v3 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
                  __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2") &&
                  has_movbe_f16c_lzcnt();
  if (!v3) return CpuLevel::baseline;
  const bool v4 = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                  __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
                  __builtin_cpu_supports("avx512vl");
  return v4 ? CpuLevel::v4 : CpuLevel::v3;
}
#else
CpuLevel detect_level() { return CpuLevel::baseline; }
#endif

}  // namespace

CpuLevel highest_cpu_level() {
  static const CpuLevel level = detect_level();
  return level;
}

CpuLevel cpu_level_named(std::string_view name, CpuLevel highest) {
  if (name.empty()) return highest;
  for (const CpuLevel level : kLevels) {
    if (name_of(level) != name) continue;
    if (level <= highest) return level;
    throw Error(ErrorCode::bad_option_value,
                fmt::format("MERCER_CPU asks for {}, but this machine has at most {}", name,
                            name_of(highest)),
                kHint);
  }
  throw Error(ErrorCode::bad_option_value,
              fmt::format("MERCER_CPU is \"{}\", which is not a CPU level", printable(name)),
              kHint);
}

CpuLevel cpu_level() {
  static const CpuLevel level = [] {
    const char* wanted = std::getenv("MERCER_CPU");
    return cpu_level_named(wanted == nullptr ? "" : wanted, highest_cpu_level());
  }();
  return level;
}

std::vector<CpuLevel> available_levels() {
  std::vector<CpuLevel> levels;
  for (const CpuLevel level : kLevels) {
    if (level <= highest_cpu_level()) levels.push_back(level);
  }
  return levels;
}

}  // namespace mercer
