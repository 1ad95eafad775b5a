// Bytes in order, from wherever they come: a file, memory, or another stream that is decompressed
// on the way.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string_view>

namespace mercer::detail {

class ByteStream {
 public:
  ByteStream() = default;
  virtual ~ByteStream() = default;
  ByteStream(const ByteStream&) = delete;
  ByteStream& operator=(const ByteStream&) = delete;

  /// Fills `out` unless the bytes end before; how many there were.
  virtual std::size_t read(char* out, std::size_t count) = 0;
  /// All bytes, where their number is known before they are read.
  virtual std::optional<std::uint64_t> size() const { return std::nullopt; }
  /// How much of the whole has been taken, from 0 to 1; 0 where that is not known.
  virtual double share() const { return 0; }
};

/// Bytes that somebody else owns.
class MemoryBytes final : public ByteStream {
 public:
  explicit MemoryBytes(std::string_view content) : content_(content), size_(content.size()) {}

  std::size_t read(char* out, std::size_t count) override {
    count = std::min(count, content_.size());
    if (count > 0) std::memcpy(out, content_.data(), count);
    content_.remove_prefix(count);
    return count;
  }
  std::optional<std::uint64_t> size() const override { return size_; }
  double share() const override {
    return size_ == 0 ? 0 : 1 - static_cast<double>(content_.size()) / static_cast<double>(size_);
  }

 private:
  std::string_view content_;
  std::uint64_t size_;
};

}  // namespace mercer::detail
