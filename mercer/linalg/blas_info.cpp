#include "mercer/linalg/blas_info.h"

#include "mercer/core/processor.h"
#include "mercer/core/text.h"

#include <dlfcn.h>

#include <algorithm>
#include <array>
#include <cstdlib>

namespace mercer {
namespace {

// The names by which OpenBLAS calls kernels for processors without AVX2. Those of Sandybridge and
// Bulldozer have AVX, which is not a level of ours.
constexpr std::array<std::string_view, 22> kOld = {
    "Katmai",       "Coppermine",  "Northwood", "Prescott", "Banias",      "Core2",
    "Penryn",       "Dunnington",  "Nehalem",   "Atom",     "Athlon",      "Opteron",
    "Opteron_SSE3", "Barcelona",   "Bobcat",    "Nano",     "Sandybridge", "Bulldozer",
    "Piledriver",   "Steamroller", "Excavator", "Generic"};
constexpr std::array<std::string_view, 2> kWithAvx2 = {"Haswell", "Zen"};

// Looked up, not linked: another BLAS has no such calls and is then used as it is.
std::string text_of(const char* function) {
  using Get = const char* (*)();
  const auto get = reinterpret_cast<Get>(dlsym(RTLD_DEFAULT, function));
  const char* text = get == nullptr ? nullptr : get();
  return text == nullptr ? std::string() : printable(text);
}

BlasInfo detect() {
  BlasInfo info;
  // "OpenBLAS 0.3.21 NO_LAPACKE DYNAMIC_ARCH ...": what follows the version says how it was built.
  const std::string config = text_of("openblas_get_config");
  if (config.empty()) return info;
  const std::size_t version = config.find(' ');
  info.library = config.substr(0, config.find(' ', version == config.npos ? version : version + 1));
  info.kernels = text_of("openblas_get_corename");
  const bool chosen_outside = std::getenv("OPENBLAS_CORETYPE") != nullptr;
  const bool has_others = config.find("DYNAMIC_ARCH") != config.npos;
  if (!chosen_outside && has_others)
    info.better = better_kernels(info.kernels, highest_cpu_level(), processor().vendor);
  return info;
}

}  // namespace

CpuLevel level_of_kernels(std::string_view kernels) {
  if (std::ranges::find(kOld, kernels) != kOld.end()) return CpuLevel::baseline;
  if (std::ranges::find(kWithAvx2, kernels) != kWithAvx2.end())
    return std::min(CpuLevel::v3, highest_cpu_level());
  return highest_cpu_level();
}

std::string_view better_kernels(std::string_view running, CpuLevel level, std::string_view vendor) {
  if (running.empty() || level_of_kernels(running) >= level) return {};
  switch (level) {
    case CpuLevel::v4:
      return "SkylakeX";
    case CpuLevel::v3:
      return vendor == "AuthenticAMD" ? "Zen" : "Haswell";
    case CpuLevel::baseline:
      break;
  }
  return {};
}

const BlasInfo& blas_info() {
  static const BlasInfo info = detect();
  return info;
}

}  // namespace mercer
