// The right kernels for matrix products, from the start of the process on.
#pragma once

namespace mercer::cli {

/// Starts the program again with OPENBLAS_CORETYPE set, where OpenBLAS has chosen kernels below
/// what this processor can do; does not return then. Returns where all is well, where the
/// environment says what to use (OPENBLAS_CORETYPE or MERCER_BLAS), or where the system will not
/// start it again. Never happens twice: the variable it sets is what it looks for.
void restart_with_better_kernels(char* const* argv) noexcept;

/// Throws M102 for a value of MERCER_BLAS other than keep.
void check_wish_about_kernels();

}  // namespace mercer::cli
