// XXH3-128 as 32 hexadecimal digits, the form `xxhsum -H2` prints. It finds accidents, not attacks.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>

namespace mercer::detail {

constexpr std::size_t kChecksumDigits = 32;

/// The checksum of the pieces one after another.
std::string checksum(std::initializer_list<std::string_view> pieces);

}  // namespace mercer::detail
