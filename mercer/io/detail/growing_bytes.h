// Bytes, mostly of numbers, whose count is not known before they are there. They go into memory
// that is reserved for the expected count (untouched pages cost nothing), then into blocks of 64
// MiB. Blocks are joined at the end and each is given back as soon as it is copied, so that the
// peak is the bytes and one block, never two copies.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace mercer::detail {

class GrowingBytes {
 public:
  /// Reserves space for so many in all, if the system has it.
  void expect(std::uint64_t bytes);
  void append(const void* bytes, std::size_t count);
  std::uint64_t bytes() const { return bytes_; }
  /// All of them; nothing is left here.
  std::vector<std::byte> take();

 private:
  std::vector<std::vector<std::byte>> blocks_;
  std::uint64_t bytes_ = 0;
};

}  // namespace mercer::detail
