#include "mercer/plan/machine.h"

#include "mercer/core/parallel.h"
#include "mercer/linalg/blas_info.h"

#include <array>

namespace mercer {
namespace {

using Levels = std::array<Machine, 3>;  // baseline, v3, v4, the BLAS' kernels of the same level

// Measured on one core of a Zen 4 machine by bench/micro: kernels_bench (product and map rates, the
// map as the difference of tile and product), linalg_bench (tridiagonal, at n = 1500 to 3000),
// core_bench at each level (map rates of v3 and baseline). The products of v3 and baseline are
// estimates for machines that have no more: a half and a fifth.
constexpr Levels kZen4 = {{{.gemm_double = 10e9,
                            .gemm_single = 20e9,
                            .map_double = 0.2e9,
                            .map_single = 0.5e9,
                            .bandwidth = 8e9,
                            .integer = 57e9,
                            .skinny_single = 32e9,
                            .skinny_double = 15e9,
                            .tridiagonal = 4e9},
                           {.gemm_double = 25e9,
                            .gemm_single = 50e9,
                            .map_double = 0.8e9,
                            .map_single = 2e9,
                            .bandwidth = 10e9,
                            .integer = 110e9,
                            .skinny_single = 80e9,
                            .skinny_double = 34e9,
                            .tridiagonal = 9e9},
                           {.gemm_double = 48e9,
                            .gemm_single = 97e9,
                            .map_double = 1.3e9,
                            .map_single = 3e9,
                            .bandwidth = 12e9,
                            .integer = 430e9,
                            .skinny_single = 85e9,
                            .skinny_double = 45e9,
                            .tridiagonal = 16e9}}};

// Measured on one core of an Intel Xeon of the fourth generation (Sapphire Rapids) by `mercer
// calibrate` with MERCER_CPU and OPENBLAS_CORETYPE (Prescott, Haswell, SkylakeX) set to each level.
constexpr Levels kSapphireRapids = {{{.gemm_double = 15e9,
                                      .gemm_single = 22e9,
                                      .map_double = 0.25e9,
                                      .map_single = 0.67e9,
                                      .bandwidth = 10e9,
                                      .integer = 30e9,
                                      .skinny_single = 27e9,
                                      .skinny_double = 13e9,
                                      .tridiagonal = 4e9},
                                     {.gemm_double = 40e9,
                                      .gemm_single = 78e9,
                                      .map_double = 0.7e9,
                                      .map_single = 2.2e9,
                                      .bandwidth = 10e9,
                                      .integer = 42e9,
                                      .skinny_single = 64e9,
                                      .skinny_double = 33e9,
                                      .tridiagonal = 8e9},
                                     {.gemm_double = 70e9,
                                      .gemm_single = 150e9,
                                      .map_double = 1.38e9,
                                      .map_single = 3.4e9,
                                      .bandwidth = 13e9,
                                      .integer = 630e9,
                                      .skinny_single = 123e9,
                                      .skinny_double = 60e9,
                                      .tridiagonal = 15e9}}};

// The processors on which these were measured, and those that differ from them in name only.
bool is_zen4(const Processor& p) {
  return p.vendor == "AuthenticAMD" && p.family == 0x19 && (p.model >> 4 == 1 || p.model >= 0x60);
}
bool is_sapphire_rapids(const Processor& p) {
  return p.vendor == "GenuineIntel" && p.family == 6 && (p.model == 143 || p.model == 207);
}

const Machine& at(const Levels& levels, CpuLevel level) {
  return levels[static_cast<std::size_t>(level)];
}

}  // namespace

Machine listed_rates(const Processor& processor, CpuLevel level, CpuLevel blas_level) {
  const bool intel = processor.vendor == "GenuineIntel";
  const Levels& levels = intel ? kSapphireRapids : kZen4;
  Machine machine = at(levels, level);
  const Machine& blas = at(levels, blas_level);
  machine.gemm_double = blas.gemm_double;
  machine.gemm_single = blas.gemm_single;
  machine.tridiagonal = blas.tridiagonal;
  const bool known = intel ? is_sapphire_rapids(processor) : is_zen4(processor);
  if (known && level == CpuLevel::v4) machine.origin = RateOrigin::listed;
  return machine;
}

Machine reference_rates() { return at(kZen4, CpuLevel::v4); }

Machine machine_of(CpuLevel level, const Budget& budget) {
  Machine machine = budget.machine != nullptr
                        ? *budget.machine
                        : listed_rates(processor(), level, level_of_kernels(blas_info().kernels));
  machine.threads = thread_count(budget);
  return machine;
}

}  // namespace mercer
