#include "mercer/plan/machine.h"

#include "mercer/core/parallel.h"

namespace mercer {

// Measured by bench/micro on one core of a Zen 4 machine: kernels_bench (product and map rates, the
// map as the difference of tile and product), linalg_bench (tridiagonal, at n = 1500 to 3000),
// core_bench at each level (map rates of v3 and baseline). OpenBLAS picks its own kernels, so the
// products of v3 and baseline are estimates for machines that have no more: a half and a fifth.
Machine machine_of(CpuLevel level, const Budget& budget) {
  Machine machine;
  if (budget.machine != nullptr) {
    machine = *budget.machine;
    machine.threads = thread_count(budget);
    return machine;
  }
  switch (level) {
    case CpuLevel::v4:
      machine = {.gemm_double = 48e9,
                 .gemm_single = 97e9,
                 .map_double = 1.3e9,
                 .map_single = 3e9,
                 .bandwidth = 12e9,
                 .integer = 430e9,
                 .skinny_single = 85e9,
                 .skinny_double = 45e9,
                 .tridiagonal = 16e9};
      break;
    case CpuLevel::v3:
      machine = {.gemm_double = 25e9,
                 .gemm_single = 50e9,
                 .map_double = 0.8e9,
                 .map_single = 2e9,
                 .bandwidth = 10e9,
                 .integer = 110e9,
                 .skinny_single = 80e9,
                 .skinny_double = 34e9,
                 .tridiagonal = 9e9};
      break;
    case CpuLevel::baseline:
      machine = {.gemm_double = 10e9,
                 .gemm_single = 20e9,
                 .map_double = 0.2e9,
                 .map_single = 0.5e9,
                 .bandwidth = 8e9,
                 .integer = 57e9,
                 .skinny_single = 32e9,
                 .skinny_double = 15e9,
                 .tridiagonal = 4e9};
      break;
  }
  machine.threads = thread_count(budget);
  return machine;
}

}  // namespace mercer
