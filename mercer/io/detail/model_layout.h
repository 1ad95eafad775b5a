// Where the fixed parts of a .mercer file stand. A header begins
//   {"__metadata__":{"mercer.format":"1","mercer.checksum":"<32 digits>",
// so that the first bytes tell what the file is, and format and checksum are verified at known
// places before any JSON is read. The header's checksum covers the length field and the header with
// its own digits taken as zeros.
#pragma once

#include "mercer/io/detail/checksum.h"

#include <string_view>

namespace mercer::detail {

// A header begins with these, so that the checksum stands at a place known in advance; while it is
// computed, zeros stand there.
constexpr std::string_view kOpening = R"({"__metadata__":{"mercer.format":")";
constexpr std::string_view kBeforeChecksum = R"(","mercer.checksum":")";
constexpr std::string_view kZeros = "00000000000000000000000000000000";
static_assert(kZeros.size() == kChecksumDigits);

}  // namespace mercer::detail
