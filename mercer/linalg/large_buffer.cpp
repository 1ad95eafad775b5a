#include "mercer/linalg/large_buffer.h"

#include "mercer/core/error.h"
#include "mercer/core/text.h"

#include <sys/mman.h>

#include <algorithm>

namespace mercer {

namespace {

constexpr std::size_t kPage = 4096;  // bytes of a page of x86-64: what is mapped and given back

}  // namespace

LargeBuffer::LargeBuffer(std::size_t bytes) {
  const std::size_t rounded = (std::max<std::size_t>(bytes, 1) + kPage - 1) / kPage * kPage;
  void* memory = mmap(nullptr, rounded, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED)
    throw Error(ErrorCode::out_of_memory,
                "the system has no " + mercer::bytes(bytes) + " of memory for the kernel matrix",
                "lower --memory, so that a smaller plan is chosen");
  memory_ = std::unique_ptr<void, Free>(memory, Free{rounded});
}

void LargeBuffer::prepare(std::size_t offset, std::size_t bytes) const {
#ifdef MADV_POPULATE_WRITE
  const std::size_t begin = offset / kPage * kPage,
                    end = (offset + bytes + kPage - 1) / kPage * kPage;
  madvise(as<char>() + begin, end - begin, MADV_POPULATE_WRITE);
#else
  static_cast<void>(offset);
  static_cast<void>(bytes);
#endif
}

void LargeBuffer::Free::operator()(void* memory) const { munmap(memory, bytes); }

}  // namespace mercer
