// Bytes as the text that data addresses and terminals take.
#pragma once

#include <string>
#include <string_view>

namespace mercer::plot {

std::string base64(std::string_view bytes);

}  // namespace mercer::plot
