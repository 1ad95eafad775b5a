// PNG and PGM images as bytes: 8 bits for each pixel of a grey image, three times 8 for colour.
// Values are those of the file; deeper ones are rounded to 8 bits, transparent ones stand on white.
#pragma once

#include "mercer/core/index.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace mercer::detail {

/// What the first bytes of an image say.
struct ImageHeader {
  Index height = 0, width = 0;
  bool colour = false;
  bool rescaled = false;  // not 8 bits deep: the values are brought to 0 ... 255
  bool transparent = false;
  bool png = false;
  Index depth = 255;     // PGM: the value that means white
  bool text = false;     // PGM: the pixels are written as decimal numbers
  std::size_t data = 0;  // PGM: where the pixels begin
};

/// Whether the file's name ends as that of an image does.
bool is_image_name(std::string_view name);

/// Throws M445 for what is no PNG or PGM, and for images of more than 2^28 pixels.
ImageHeader parse_image_header(std::string_view head, const std::string& file);

/// What decoding takes besides the content and the result, about.
std::uint64_t bytes_to_decode(std::string_view content, const ImageHeader& header);

/// Writes height * width bytes, three times as many for colour. Throws M445 for a damaged image.
void decode_image(std::string_view content, const ImageHeader& header, bool colour,
                  unsigned char* out, const std::string& file);

/// M445 for one image.
[[noreturn]] void refuse_image(const std::string& message, const std::string& file);

}  // namespace mercer::detail
