// The version of this library, as reports and model files state it.
#pragma once

#include <string_view>

namespace mercer {

/// "0.1.0": major, minor, patch.
std::string_view version();

}  // namespace mercer
