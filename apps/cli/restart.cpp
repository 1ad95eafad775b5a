// OpenBLAS reads OPENBLAS_CORETYPE when it is loaded, before main() runs, so that the only way to
// tell it is a new start of the same process: same number, same streams, same arguments, a few
// milliseconds. It comes before anything is read, written or handled.
#include "apps/cli/restart.h"

#include "mercer/core/error.h"
#include "mercer/core/text.h"
#include "mercer/linalg/blas_info.h"

#include <fmt/format.h>
#include <sys/auxv.h>
#include <unistd.h>

#include <cstdlib>
#include <string_view>

namespace mercer::cli {

namespace {

const char* wish() {
  const char* text = std::getenv("MERCER_BLAS");
  return text != nullptr && *text != '\0' ? text : nullptr;
}

}  // namespace

void restart_with_better_kernels(char* const* argv) noexcept try {
  const std::string& better = blas_info().better;
  // Without an interpreter of its own the program was started by the dynamic linker's command line,
  // and would be lost on the way.
  if (wish() != nullptr || better.empty() || getauxval(AT_BASE) == 0) return;
  if (setenv("OPENBLAS_CORETYPE", better.c_str(), 1) != 0) return;
  execv("/proc/self/exe", argv);
  unsetenv("OPENBLAS_CORETYPE");  // the system would not: OpenBLAS goes on as it is
} catch (...) {
  // Without the memory to look at the BLAS, what comes next will say so.
}

void check_wish_about_kernels() {
  const char* asked = wish();
  if (asked == nullptr || std::string_view(asked) == "keep") return;
  throw Error(ErrorCode::bad_option_value,
              fmt::format("MERCER_BLAS is \"{}\", which is not known", printable(asked)),
              "set MERCER_BLAS to keep, or leave it unset");
}

}  // namespace mercer::cli
