#include "mercer/plan/machine.h"

#include "mercer/core/parallel.h"

namespace mercer {

// Measured by bench/micro (tile_bench, dense_bench) on one core of a Zen 4 machine, the lower levels with MERCER_CPU
// set; OpenBLAS keeps its own kernels in both cases, so the baseline figures of matrix products are estimates for
// older machines: a quarter (AVX2: half) of the AVX-512 ones.
Machine machine_of(CpuLevel level, const Budget& budget) {
  Machine machine;
  switch (level) {
    case CpuLevel::v4:
      machine = {.gemm_double = 45e9, .gemm_single = 95e9, .map_double = 1.2e9, .map_single = 3e9,
                 .bandwidth = 10e9, .tridiagonal = 6e9};
      break;
    case CpuLevel::v3:
      machine = {.gemm_double = 25e9, .gemm_single = 50e9, .map_double = 0.8e9, .map_single = 2e9,
                 .bandwidth = 10e9, .tridiagonal = 5e9};
      break;
    case CpuLevel::baseline:
      machine = {.gemm_double = 10e9, .gemm_single = 20e9, .map_double = 0.2e9, .map_single = 0.5e9,
                 .bandwidth = 8e9, .tridiagonal = 3e9};
      break;
  }
  machine.threads = thread_count(budget);
  return machine;
}

}  // namespace mercer
