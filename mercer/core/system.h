// What the operating system says of this machine and this process.
#pragma once

#include <cstdint>

namespace mercer {

/// The memory of this machine, or the container's limit where that is smaller.
std::uint64_t installed_memory();

/// Half of the installed memory, or of the container's limit where that is smaller.
std::uint64_t default_memory();

/// Peak resident bytes of this process so far.
std::uint64_t peak_memory();

}  // namespace mercer
