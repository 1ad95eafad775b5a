// Bytes, mostly of numbers, whose count is not known before they are there. They lie in one block
// that grows where the system can move its pages, not copy them, and whose untouched end costs
// nothing: the peak is the bytes themselves, never two copies. What they take is counted on a hold
// before it is touched.
#pragma once

#include "mercer/core/memory_account.h"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string_view>
#include <utility>

namespace mercer::detail {

class GrowingBytes {
 public:
  GrowingBytes() = default;
  /// The hold counts what is taken, until this object is gone: also after take().
  explicit GrowingBytes(MemoryAccount::Hold hold) : hold_(std::move(hold)) {}

  /// Counts so many bytes in all as taken: their number is known already. Throws M301.
  void expect(std::uint64_t bytes);
  /// Room for so many more bytes behind those that are there; they count once added() says so.
  std::byte* room_for(std::size_t count);
  void added(std::size_t count) { size_ += count; }
  void append(const void* bytes, std::size_t count);

  std::byte* data() { return block_.get(); }
  std::size_t size() const { return size_; }
  std::string_view text() const { return {reinterpret_cast<const char*>(block_.get()), size_}; }
  /// Keeps the first ones only; the room behind them goes back.
  void shorten(std::size_t size);
  /// All of them, in a block of that size; nothing is left here.
  std::shared_ptr<const std::byte> take();

 private:
  struct Free {
    void operator()(std::byte* block) const { std::free(block); }
  };
  bool reserve(std::size_t bytes);

  std::unique_ptr<std::byte, Free> block_;
  std::size_t size_ = 0, room_ = 0;
  MemoryAccount::Hold hold_;
};

}  // namespace mercer::detail
