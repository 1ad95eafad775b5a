// SHA-256 (FIPS 180-4): the hash by which a page names the one script and the one style that a
// browser may take from it.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace mercer::page::detail {

std::array<std::uint8_t, 32> sha256(std::string_view bytes);

}  // namespace mercer::page::detail
