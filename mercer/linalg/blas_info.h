// Which BLAS carries out the matrix products, and whether it runs the kernels that this processor
// deserves. OpenBLAS chooses its kernels by the processor's model when it is loaded; a model newer
// than the library gets those of a processor of 2004, several times slower. The choice can be
// overruled from outside only, by OPENBLAS_CORETYPE in the environment before the process starts.
#pragma once

#include "mercer/core/cpu.h"

#include <string>
#include <string_view>

namespace mercer {

struct BlasInfo {
  std::string library = "unknown";  // "OpenBLAS 0.3.21"
  std::string kernels = {};         // "SkylakeX"; empty where the library does not say
  std::string better = {};  // kernels of the same library to ask for instead; empty: none, or the
                            // environment names kernels already
};

/// What this process uses; looked up once.
const BlasInfo& blas_info();

/// The instruction level that OpenBLAS' kernels of this name use; highest_cpu_level() for names not
/// known here, which are newer than this table or not OpenBLAS' at all.
CpuLevel level_of_kernels(std::string_view kernels);

/// The kernels to ask for on a processor of this level and vendor; empty where those that run use
/// all it has.
std::string_view better_kernels(std::string_view running, CpuLevel level, std::string_view vendor);

}  // namespace mercer
