// Value to and from JSON text: the only place that includes nlohmann-json.
#pragma once

#include "mercer/core/value.h"

#include <string>
#include <string_view>

namespace mercer {

/// indent < 0: one line. Numbers that are not finite become null; text that is not UTF-8 is mended.
std::string to_json(const Value& value, int indent = -1);

/// Throws M703 with the position on malformed text or nesting deeper than 64.
Value from_json(std::string_view text);

}  // namespace mercer
