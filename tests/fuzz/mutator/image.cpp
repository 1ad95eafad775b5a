// Image inputs: one byte of options, then the image. One chunk of a PNG image is changed and gets a
// right checksum; image data are unpacked first.
#include "tests/fuzz/mutator/mutate.h"

#include <zlib.h>

#include <vector>

namespace mercer::fuzz {
namespace {

constexpr std::size_t kMark = 8, kFrame = 12;

std::uint32_t big_endian(std::string_view bytes, std::size_t at) {
  std::uint32_t value = 0;
  for (std::size_t i = 0; i < 4; ++i)
    value = value << 8 | static_cast<unsigned char>(bytes[at + i]);
  return value;
}

std::string big_endian_bytes(std::uint32_t value) {
  return {static_cast<char>(value >> 24), static_cast<char>(value >> 16),
          static_cast<char>(value >> 8), static_cast<char>(value)};
}

struct Chunk {
  std::string type, content;
};

std::vector<Chunk> chunks_of(std::string_view rest) {
  std::vector<Chunk> chunks;
  while (rest.size() >= kFrame && big_endian(rest, 0) <= rest.size() - kFrame) {
    const std::size_t length = big_endian(rest, 0);
    chunks.push_back({std::string(rest.substr(4, 4)), std::string(rest.substr(8, length))});
    rest.remove_prefix(length + kFrame);
  }
  return chunks;
}

std::string joined(const std::vector<Chunk>& chunks) {
  std::string image;
  for (const Chunk& chunk : chunks) {
    const std::string body = chunk.type + chunk.content;
    const auto checksum =
        crc32(0, reinterpret_cast<const Bytef*>(body.data()), static_cast<uInt>(body.size()));
    image += big_endian_bytes(static_cast<std::uint32_t>(chunk.content.size())) + body +
             big_endian_bytes(static_cast<std::uint32_t>(checksum));
  }
  return image;
}

// The rows of pixels, changed and packed again.
void mutate_pixels(std::string& packed) {
  std::string plain(1 << 14, '\0');
  uLongf length = plain.size();
  const auto* from = reinterpret_cast<const Bytef*>(packed.data());
  if (uncompress(reinterpret_cast<Bytef*>(plain.data()), &length, from, packed.size()) != Z_OK)
    return mutate(packed);
  plain.resize(length);
  mutate(plain);
  packed.resize(compressBound(plain.size()));
  length = packed.size();
  compress(reinterpret_cast<Bytef*>(packed.data()), &length,
           reinterpret_cast<const Bytef*>(plain.data()), plain.size());
  packed.resize(length);
}

void change(std::vector<Chunk>& chunks, Dice& dice) {
  const std::size_t chosen = dice.roll(chunks.size());
  Chunk& chunk = chunks[chosen];
  switch (dice.roll(8)) {
    case 0:
      return mutate_in_place(chunk.type);
    case 1:
      chunks.push_back(chunk);
      return;
    case 2:
      chunks.erase(chunks.begin() + static_cast<std::ptrdiff_t>(chosen));
      return;
    case 3:
      std::swap(chunk, chunks.back());
      return;
    default:
      return chunk.type == "IDAT"   ? mutate_pixels(chunk.content)
             : chunk.type == "IHDR" ? mutate_in_place(chunk.content)
                                    : mutate(chunk.content);
  }
}

}  // namespace
}  // namespace mercer::fuzz

std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t most,
                                    unsigned seed) {
  using namespace mercer::fuzz;
  Dice dice(seed);
  const bool png = size > 1 + kMark && data[1] == 0x89;
  if (!png || dice.roll(16) == 0) return LLVMFuzzerMutate(data, size, most);
  std::vector<Chunk> chunks = chunks_of(bytes_of(data + 1 + kMark, size - 1 - kMark));
  if (chunks.empty()) return LLVMFuzzerMutate(data, size, most);
  change(chunks, dice);
  const std::string image = std::string(bytes_of(data, 1 + kMark)) + joined(chunks);
  return put_back(image, data, size, most);
}
