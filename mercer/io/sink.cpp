#include "mercer/io/sink.h"

#include "mercer/core/error.h"

#include <cstdio>

namespace mercer {
namespace {

void check(bool written) {
  if (!written)
    throw Error(ErrorCode::write_failed, "standard output cannot be written", "is the disk full?");
}

}  // namespace

void StandardOutput::write(std::string_view part) {
  check(std::fwrite(part.data(), 1, part.size(), stdout) == part.size());
}

void StandardOutput::flush() { check(std::fflush(stdout) == 0); }

}  // namespace mercer
