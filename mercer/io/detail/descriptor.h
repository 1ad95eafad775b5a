// An open file that closes itself, and the system's words for an error number.
#pragma once

#include <poll.h>
#include <unistd.h>

#include <string>
#include <system_error>
#include <utility>

namespace mercer::detail {

class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  ~Descriptor() {
    if (number_ >= 0) ::close(number_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }

  int number() const { return number_; }
  bool is_open() const { return number_ >= 0; }
  /// Closes now; the result of close(2), which can be where a full disk shows.
  int close() {
    const int result = ::close(number_);
    number_ = -1;
    return result;
  }

 private:
  int number_;
};

/// "No space left on device".
inline std::string system_text(int error) { return std::generic_category().message(error); }

/// Whether a read or write that failed this way should be tried again; waits where the file is not
/// ready.
inline bool try_again(int error, int number, short events) {
  if (error == EINTR) return true;
  if (error != EAGAIN) return false;
  pollfd waiting{number, events, 0};
  return ::poll(&waiting, 1, -1) >= 0 || errno == EINTR;
}

}  // namespace mercer::detail
