#include "mercer/core/system.h"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>

namespace mercer {
namespace {

// The limit of a control group, or the largest number where there is none ("max" does not read as a
// number).
std::uint64_t limit_in(const char* path) {
  std::ifstream file(path);
  std::uint64_t limit = 0;
  return file >> limit ? limit : UINT64_MAX;
}

}  // namespace

std::uint64_t installed_memory() {
  const auto installed = static_cast<std::uint64_t>(sysconf(_SC_PHYS_PAGES)) *
                         static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
  const std::uint64_t limit = std::min(limit_in("/sys/fs/cgroup/memory.max"),
                                       limit_in("/sys/fs/cgroup/memory/memory.limit_in_bytes"));
  return std::min(installed, limit);
}

std::uint64_t default_memory() { return installed_memory() / 2; }

std::uint64_t peak_memory() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<std::uint64_t>(usage.ru_maxrss) * 1024;
}

}  // namespace mercer
