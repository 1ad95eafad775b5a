#include "mercer/plot/detail/png.h"

#include "mercer/core/check.h"

#include <zlib.h>

#include <cmath>
#include <string_view>

namespace mercer::plot::detail {
namespace {

void put_word(std::string& out, std::uint32_t value) {
  for (int shift = 24; shift >= 0; shift -= 8) out += static_cast<char>(value >> shift & 255);
}

void put_chunk(std::string& out, std::string_view name, std::string_view data) {
  put_word(out, static_cast<std::uint32_t>(data.size()));
  std::string body(name);
  body += data;
  out += body;
  put_word(out, static_cast<std::uint32_t>(crc32(0, reinterpret_cast<const Bytef*>(body.data()),
                                                 static_cast<uInt>(body.size()))));
}

bool all_opaque(const std::vector<std::uint8_t>& rgba) {
  for (std::size_t i = 3; i < rgba.size(); i += 4)
    if (rgba[i] != 255) return false;
  return true;
}

std::string packed(const std::string& raw) {
  constexpr int kLevel = 6;
  uLongf size = compressBound(static_cast<uLong>(raw.size()));
  std::string out(size, '\0');
  const int status =
      compress2(reinterpret_cast<Bytef*>(out.data()), &size,
                reinterpret_cast<const Bytef*>(raw.data()), static_cast<uLong>(raw.size()), kLevel);
  if (status != Z_OK) throw Error(ErrorCode::out_of_memory, "no memory to pack an image");
  out.resize(size);
  return out;
}

}  // namespace

std::string png_of(const std::vector<std::uint8_t>& rgba, Index width, Index height, double dpi) {
  MERCER_ASSERT(rgba.size() == static_cast<std::size_t>(4 * width * height));
  const bool opaque = all_opaque(rgba);
  const std::size_t bytes = opaque ? 3 : 4;
  std::string raw;
  raw.reserve(static_cast<std::size_t>(height) * (1 + bytes * static_cast<std::size_t>(width)));
  for (Index row = 0; row < height; ++row) {
    raw += '\0';  // no filter
    const auto* pixel = rgba.data() + 4 * row * width;
    for (Index column = 0; column < width; ++column, pixel += 4)
      raw.append(reinterpret_cast<const char*>(pixel), bytes);
  }
  std::string out = "\x89PNG\r\n\x1a\n", head;
  put_word(head, static_cast<std::uint32_t>(width));
  put_word(head, static_cast<std::uint32_t>(height));
  head += '\x08';                    // bits of a sample
  head += opaque ? '\x02' : '\x06';  // colours, or colours and opacity
  head.append(3, '\0');
  put_chunk(out, "IHDR", head);
  if (dpi > 0) {
    constexpr double kInchesInMetre = 1 / 0.0254;
    std::string density;
    const auto dots = static_cast<std::uint32_t>(std::lround(dpi * kInchesInMetre));
    put_word(density, dots);
    put_word(density, dots);
    put_chunk(out, "pHYs", density + '\x01');
  }
  put_chunk(out, "IDAT", packed(raw));
  put_chunk(out, "IEND", {});
  return out;
}

}  // namespace mercer::plot::detail
