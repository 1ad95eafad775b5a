// What a file looks like from its first bytes: enough to tell somebody who gives a picture where a
// table is needed what it is that they gave.
#pragma once

#include <string_view>

namespace mercer::detail {

/// "a PNG image", "a gzip archive", ...; empty when the bytes are those of no known binary kind.
std::string_view file_kind(std::string_view head);

/// "UTF-16LE", "UTF-16BE", "UTF-32LE", "UTF-32BE"; empty when the bytes are not such text.
std::string_view wide_encoding(std::string_view head);

/// Whether the bytes can be text: no NUL, no known binary kind, hardly any control characters.
bool looks_like_text(std::string_view head);

}  // namespace mercer::detail
