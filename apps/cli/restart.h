// The right kernels for matrix products, from the start of the process on.
#pragma once

namespace mercer::cli {

/// Starts the program again with OPENBLAS_CORETYPE set, where OpenBLAS has chosen kernels below
/// what this processor can do; does not return then. Returns where all is well, where the
/// environment says what to use (OPENBLAS_CORETYPE, or MERCER_BLAS=keep), or where the system will
/// not start it again. Never happens twice: the variable it sets is what it looks for. Throws M102
/// for another value of MERCER_BLAS.
void restart_with_better_kernels(char* const* argv);

}  // namespace mercer::cli
