// A file, a device, a pipe or standard input, open for reading. What the system refuses becomes an
// Error that says what to do about it. Whoever must not wait for a silent pipe for ever gives a
// check, which is called a few times per second meanwhile and throws when waiting is over.
#pragma once

#include "mercer/io/detail/byte_stream.h"
#include "mercer/io/detail/descriptor.h"

#include <functional>
#include <string>

namespace mercer::detail {

class InputFile final : public ByteStream {
 public:
  /// Standard input for "-". Throws M401 (with similar names), M404, M411. A folder is opened too:
  /// reading from it throws M406.
  explicit InputFile(const std::string& path, std::function<void()> check = {});

  /// Throws M405 when a file of known size ends early, M406, M411.
  std::size_t read(char* out, std::size_t count) override;
  /// Of regular files; those of /proc say that they are empty and are not.
  std::optional<std::uint64_t> size() const override { return size_; }
  double share() const override {
    return size_ ? static_cast<double>(done_) / static_cast<double>(*size_) : 0;
  }
  bool is_folder() const { return is_folder_; }

 private:
  void wait_for_bytes() const;

  std::string name_;
  std::function<void()> check_;
  Descriptor file_;
  std::optional<std::uint64_t> size_;
  std::uint64_t done_ = 0;
  bool is_folder_ = false, may_wait_ = false;
};

/// M301: the content does not fit. `size` is a text such as "more than 4.0 GiB".
[[noreturn]] void throw_too_large(const std::string& name, std::string_view size,
                                  std::uint64_t limit);

/// Everything a stream holds; `begin` is what was taken from it already. Throws M301 when that is
/// more than `limit` bytes, before reading it where the size is known.
std::string read_everything(ByteStream& stream, std::uint64_t limit, const std::string& name,
                            std::string_view begin = {});

}  // namespace mercer::detail
