#include "mercer/io/detail/growing_bytes.h"

#include <algorithm>
#include <cstring>
#include <new>

namespace mercer::detail {

void GrowingBytes::expect(std::uint64_t bytes) {
  if (bytes > hold_.bytes()) hold_.resize(bytes);
  if (bytes > room_ && !reserve(bytes)) throw std::bad_alloc();
}

std::byte* GrowingBytes::room_for(std::size_t count) {
  if (count > std::size_t{PTRDIFF_MAX} - size_) throw std::bad_alloc();
  const std::size_t need = size_ + count;
  if (need > hold_.bytes()) hold_.resize(need);
  // Twice the room, so that steps are few; what is needed where that cannot be had.
  if (need > room_ && !reserve(2 * need) && !reserve(need)) throw std::bad_alloc();
  return block_.get() + size_;
}

void GrowingBytes::append(const void* bytes, std::size_t count) {
  if (count == 0) return;
  std::memcpy(room_for(count), bytes, count);
  added(count);
}

// Large blocks are moved by their pages. A block that cannot be had leaves the old one as it was.
bool GrowingBytes::reserve(std::size_t bytes) {
  void* block = std::realloc(block_.get(), std::max<std::size_t>(bytes, 1));
  if (block == nullptr) return false;
  static_cast<void>(block_.release());
  block_.reset(static_cast<std::byte*>(block));
  room_ = bytes;
  return true;
}

void GrowingBytes::shorten(std::size_t size) {
  size_ = size;
  if (size_ < room_) reserve(size_);
  hold_.resize(size_);
}

std::shared_ptr<const std::byte> GrowingBytes::take() {
  shorten(size_);
  size_ = room_ = 0;
  return {block_.release(), Free{}};
}

}  // namespace mercer::detail
