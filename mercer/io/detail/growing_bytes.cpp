#include "mercer/io/detail/growing_bytes.h"

#include <algorithm>
#include <new>
#include <stdexcept>
#include <utility>

namespace mercer::detail {

void GrowingBytes::expect(std::uint64_t bytes) {
  try {
    std::vector<std::byte> block;
    block.reserve(bytes);
    for (const std::vector<std::byte>& old : blocks_)
      block.insert(block.end(), old.begin(), old.end());
    blocks_.clear();
    blocks_.push_back(std::move(block));
  } catch (const std::bad_alloc&) {  // a guess that cannot be had is no error
  } catch (const std::length_error&) {
  }
}

void GrowingBytes::append(const void* bytes, std::size_t count) {
  constexpr std::size_t kBlock = std::size_t{64} << 20;
  const auto* data = static_cast<const std::byte*>(bytes);
  std::size_t left = count;
  bytes_ += left;
  while (left > 0) {
    if (blocks_.empty() || blocks_.back().size() == blocks_.back().capacity())
      blocks_.emplace_back().reserve(std::max(left, std::min(kBlock, bytes_)));
    std::vector<std::byte>& block = blocks_.back();
    const std::size_t now = std::min(left, block.capacity() - block.size());
    block.insert(block.end(), data, data + now);
    data += now;
    left -= now;
  }
}

std::vector<std::byte> GrowingBytes::take() {
  std::vector<std::vector<std::byte>> blocks = std::exchange(blocks_, {});
  const std::uint64_t size = std::exchange(bytes_, 0);
  if (blocks.empty()) return {};
  if (blocks.front().size() == size) return std::move(blocks.front());
  std::vector<std::byte> whole;
  whole.reserve(size);
  for (std::vector<std::byte>& block : blocks) {
    whole.insert(whole.end(), block.begin(), block.end());
    std::vector<std::byte>().swap(block);  // = {} would keep the memory
  }
  return whole;
}

}  // namespace mercer::detail
