// The new content is complete and on the disk before it gets its name; rename(2) is the one step in
// which readers change from the old file to the new one. A link is followed, so that it goes on
// pointing to the file.
#include "mercer/io/atomic_file.h"

#include "mercer/core/error.h"
#include "mercer/core/text.h"
#include "mercer/io/detail/descriptor.h"
#include "mercer/io/detail/output_target.h"

#include <fcntl.h>
#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <optional>

namespace mercer {
namespace {

using detail::Descriptor;
using detail::fail_to_write;
using detail::UnfinishedFile;
using std::filesystem::path;

void write_all(int number, std::string_view part, const std::string& name) {
  constexpr std::size_t kMost = std::size_t{1} << 30;  // write(2) takes a little less than 2^31
  while (!part.empty()) {
    const ssize_t count = ::write(number, part.data(), std::min(part.size(), kMost));
    if (count >= 0) {
      part.remove_prefix(static_cast<std::size_t>(count));
    } else if (!detail::try_again(errno, number, POLLOUT)) {
      fail_to_write(errno, name, "cannot write");
    }
  }
}

// Some file systems and devices know no sync and say EINVAL; nothing more can be done there.
void sync(int number, const std::string& name, std::string_view step) {
  while (::fsync(number) != 0) {
    if (errno == EINVAL || errno == ENOTSUP || errno == EROFS) return;
    if (errno != EINTR) fail_to_write(errno, name, step);
  }
}

void close_written(Descriptor& file, const std::string& name) {
  // After EINTR Linux has closed the file; the data are synced already.
  if (file.close() != 0 && errno != EINTR) fail_to_write(errno, name, "cannot close");
}

// Without this the rename itself could be lost with the power. A folder that may be written but not
// read cannot be opened; then the system syncs when it likes.
void sync_folder(const path& target) {
  const Descriptor folder(
      ::open(detail::folder_of(target).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (folder.is_open())
    sync(folder.number(), target.string(), "the file is written, but its folder cannot be synced");
}

}  // namespace

void check_can_write(const std::string& file) { static_cast<void>(detail::output_target(file)); }

// The temporary file beside the target, or the target itself where it is written to directly.
class AtomicFile::Writing {
 public:
  explicit Writing(const std::string& asked)
      : target_(detail::output_target(asked)), name_(asked), file_(-1) {
    if (target_.direct) {
      file_ = Descriptor(::open(asked.c_str(), O_WRONLY | O_TRUNC | O_CLOEXEC | O_NOCTTY));
      if (!file_.is_open()) fail_to_write(errno, name_, "cannot open");
    } else {
      name_ = target_.file.string();
      create();
    }
  }

  void write(std::string_view part) {
    if (buffer_.size() + part.size() >= kBuffer) flush();
    if (part.size() >= kBuffer) return write_all(file_.number(), part, name_);
    if (buffer_.capacity() == 0) buffer_.reserve(kBuffer);
    buffer_ += part;
  }

  void commit() {
    flush();
    if (!unfinished_) return close_written(file_, name_);
    sync(file_.number(), name_, "cannot sync");
    close_written(file_, name_);
    if (::rename(unfinished_->path().c_str(), target_.file.c_str()) != 0) {
      if (!only_written_through(errno)) fail_to_write(errno, name_, "cannot rename");
      return write_through();
    }
    unfinished_->keep();
    sync_folder(target_.file);
  }

 private:
  static constexpr std::size_t kBuffer = std::size_t{1} << 16;  // bytes per write: few calls

  void create() {
    file_ = Descriptor(detail::create_beside(target_, unfinished_));
    if (!file_.is_open()) fail_to_write(errno, name_, "cannot create a file in its folder");
  }

  // Over a file on which another is mounted, or somebody else's in a folder such as /tmp, nothing
  // can be renamed, but it can be written.
  bool only_written_through(int error) const {
    return target_.old && (error == EBUSY || error == EPERM || error == EACCES || error == EXDEV);
  }

  // Space is asked for first, so that a full disk leaves the old content. From the first byte on
  // the temporary file is the only whole one: it stays until all of it is copied.
  void write_through() {
    file_ = Descriptor(::open(unfinished_->path().c_str(), O_RDONLY | O_CLOEXEC));
    Descriptor to(::open(target_.file.c_str(), O_WRONLY | O_CLOEXEC));
    const off_t size = file_.is_open() ? ::lseek(file_.number(), 0, SEEK_END) : -1;
    if (size < 0 || !to.is_open()) fail_to_write(errno, name_, "cannot open");
    if (size > 0 && ::fallocate(to.number(), FALLOC_FL_KEEP_SIZE, 0, size) != 0 &&
        (errno == ENOSPC || errno == EFBIG || errno == EDQUOT))
      fail_to_write(errno, name_, "cannot write");
    unfinished_->keep();
    try {
      copy(to, size);
    } catch (const Error& error) {
      throw Error(error.code(),
                  fmt::format("{}; the whole content is in {}", error.message(),
                              printable(unfinished_->path())),
                  fmt::format("{}, then: cp '{}' '{}'", error.hint(),
                              printable(unfinished_->path()), printable(name_)),
                  error.place());
    }
    ::unlink(unfinished_->path().c_str());
  }

  void copy(Descriptor& to, off_t size) {
    std::string piece(kBuffer, '\0');
    for (off_t at = 0; at < size;) {
      const ssize_t count = ::pread(file_.number(), piece.data(), piece.size(), at);
      if (count < 0 && errno == EINTR) continue;
      if (count < 0) fail_to_write(errno, name_, "cannot read what was written");
      if (count == 0) fail_to_write(EIO, name_, "cannot read what was written");
      write_all(to.number(), std::string_view(piece).substr(0, static_cast<std::size_t>(count)),
                name_);
      at += count;
    }
    if (::ftruncate(to.number(), size) != 0) fail_to_write(errno, name_, "cannot write");
    sync(to.number(), name_, "cannot sync");
    close_written(to, name_);
  }

  void flush() {
    write_all(file_.number(), buffer_, name_);
    buffer_.clear();
  }

  detail::OutputTarget target_;
  std::string name_;  // of the target, for messages
  std::optional<UnfinishedFile> unfinished_;
  Descriptor file_;  // closed before the temporary file is removed
  std::string buffer_;
};

AtomicFile::AtomicFile(const std::string& path) : writing_(std::make_unique<Writing>(path)) {}

AtomicFile::~AtomicFile() = default;

void AtomicFile::write(std::string_view part) { writing_->write(part); }

void AtomicFile::commit() { writing_->commit(); }

void write_file_atomically(const std::string& path, std::span<const std::string_view> parts) {
  AtomicFile file(path);
  for (const std::string_view part : parts) file.write(part);
  file.commit();
}

}  // namespace mercer
