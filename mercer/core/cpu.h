// The instruction-set level of this machine. Element maps are compiled once per level; this picks
// the copy.
#pragma once

#include "mercer/core/levels.h"

#include <string_view>
#include <vector>

namespace mercer {

/// Rising: any x86-64 or arm64; AVX2 with FMA (x86-64-v3); AVX-512 (x86-64-v4).
enum class CpuLevel { baseline, v3, v4 };

constexpr std::string_view name_of(CpuLevel level) {
  switch (level) {
    case CpuLevel::v3:
      return "v3";
    case CpuLevel::v4:
      return "v4";
    case CpuLevel::baseline:
      break;
  }
  return "baseline";
}

/// The level to run: the machine's highest, or the lower one that the environment variable
/// MERCER_CPU names; read once. Throws M102 when MERCER_CPU is not a level or asks for more than
/// the machine has.
CpuLevel cpu_level();

/// Of the three copies of one thing the one for cpu_level(); use MERCER_OF_LEVEL (levels.h).
template <class T>
T of_level(T baseline, T v3, T v4) {
  const CpuLevel level = cpu_level();
  return level == CpuLevel::v4 ? v4 : level == CpuLevel::v3 ? v3 : baseline;
}

/// The machine's highest level, whatever MERCER_CPU says.
CpuLevel highest_cpu_level();

/// All levels this machine can run, in rising order, whatever MERCER_CPU says.
std::vector<CpuLevel> available_levels();

/// The level of this name; `highest` for an empty name. Throws M102 as cpu_level does.
CpuLevel cpu_level_named(std::string_view name, CpuLevel highest);

}  // namespace mercer
