// Memory for matrices of many gigabytes: not initialised, so that the threads which fill it share
// the cost of touching it first, and given back to the system at once when it is no longer needed.
// Large pages are not asked for: on virtual machines first touching them took four times as long.
#pragma once

#include "mercer/core/index.h"

#include <cstddef>
#include <memory>

namespace mercer {

class LargeBuffer {
 public:
  LargeBuffer() = default;
  /// Throws M302 when the system has no such memory.
  explicit LargeBuffer(std::size_t bytes);
  template <class T>
  T* as() const {
    return static_cast<T*>(memory_.get());
  }
  /// Asks for the pages of a part that is about to be written, all at once: a third less time than
  /// one by one. Systems that cannot do so give them as they are touched.
  void prepare(std::size_t offset, std::size_t bytes) const;

 private:
  struct Free {
    std::size_t bytes;
    void operator()(void* memory) const;
  };
  std::unique_ptr<void, Free> memory_{nullptr, Free{0}};
};

}  // namespace mercer
