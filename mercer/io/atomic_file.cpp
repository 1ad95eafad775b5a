// The new content is complete and on the disk before it gets its name; rename(2) is the one step in
// which readers change from the old file to the new one. A link is followed, so that it goes on
// pointing to the file.
#include "mercer/io/atomic_file.h"

#include "mercer/core/error.h"
#include "mercer/core/text.h"
#include "mercer/io/detail/descriptor.h"
#include "mercer/io/detail/unfinished_files.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/random.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <optional>

namespace mercer {
namespace {

using detail::Descriptor;
using detail::UnfinishedFile;
using std::filesystem::path;

[[noreturn]] void fail(int error, const std::string& name, std::string_view step) {
  const bool forbidden = error == EACCES || error == EPERM;
  const ErrorCode code = forbidden ? ErrorCode::no_permission : ErrorCode::write_failed;
  const char* hint = error == ENOSPC || error == EDQUOT
                         ? "free some space, or choose another folder"
                     : forbidden ? "choose another folder, or ask its owner"
                                 : "choose another folder or file";
  throw Error(code, fmt::format("{}: {}", step, detail::system_text(error)), hint, printable(name));
}

std::optional<struct stat> status_of(const path& file) {
  struct stat status {};
  if (::stat(file.c_str(), &status) != 0) return std::nullopt;
  return status;
}

std::string folder_of(const path& file) {
  const path folder = file.parent_path();
  return folder.empty() ? "." : folder.string();
}

void write_all(int number, std::string_view part, const std::string& name) {
  constexpr std::size_t kMost = std::size_t{1} << 30;  // write(2) takes a little less than 2^31
  while (!part.empty()) {
    const ssize_t count = ::write(number, part.data(), std::min(part.size(), kMost));
    if (count >= 0) {
      part.remove_prefix(static_cast<std::size_t>(count));
    } else if (!detail::try_again(errno, number, POLLOUT)) {
      fail(errno, name, "cannot write");
    }
  }
}

// Some file systems and devices know no sync and say EINVAL; nothing more can be done there.
void sync(int number, const std::string& name, std::string_view step) {
  while (::fsync(number) != 0) {
    if (errno == EINVAL || errno == ENOTSUP || errno == EROFS) return;
    if (errno != EINTR) fail(errno, name, step);
  }
}

void close_written(Descriptor& file, const std::string& name) {
  // After EINTR Linux has closed the file; the data are synced already.
  if (file.close() != 0 && errno != EINTR) fail(errno, name, "cannot close");
}

// The final target of a chain of links, which need not exist yet.
path follow_links(path file) {
  constexpr int kMostLinks = 40;
  for (int i = 0; i < kMostLinks; ++i) {
    std::error_code error;
    const path target = std::filesystem::read_symlink(file, error);
    if (error) return file;
    file = target.is_absolute() ? target : file.parent_path() / target;
  }
  fail(ELOOP, file.string(), "cannot write");
}

std::string random_suffix() {
  constexpr std::string_view kLetters = "abcdefghijklmnopqrstuvwxyz234567";
  unsigned char bytes[6] = {};
  if (::getentropy(bytes, sizeof bytes) != 0) fail(errno, "", "no random numbers");
  std::string suffix;
  for (const unsigned char byte : bytes) suffix += kLetters[byte % kLetters.size()];
  return suffix;
}

// A new file beside the target. Its rights are the target's from the start: a private file stays
// private.
int create_beside(const path& target, mode_t mode, std::string& name) {
  constexpr std::size_t kLongestStem = 240;  // of the 255 bytes that file systems allow
  const std::string stem = target.filename().string().substr(0, kLongestStem);
  for (int attempt = 0; attempt < 100; ++attempt) {
    name = (target.parent_path() / (stem + ".part-" + random_suffix())).string();
    const int number = ::open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
    if (number >= 0 || (errno != EEXIST && errno != EINTR)) return number;
  }
  return -1;
}

// Without this the rename itself could be lost with the power. A folder that may be written but not
// read cannot be opened; then the system syncs when it likes.
void sync_folder(const path& target) {
  const Descriptor folder(::open(folder_of(target).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (folder.is_open())
    sync(folder.number(), target.string(), "the file is written, but its folder cannot be synced");
}

void check_folder(const path& target) {
  const std::string folder = folder_of(target);
  const auto status = status_of(folder);
  if (status && S_ISDIR(status->st_mode)) return;
  if (!status && errno != ENOENT && errno != ENOTDIR) fail(errno, folder, "cannot open the folder");
  throw Error(ErrorCode::folder_missing,
              fmt::format("the folder \"{}\" {}", printable(folder),
                          status ? "is a file" : "does not exist"),
              status ? "choose another folder" : fmt::format("mkdir -p '{}'", printable(folder)),
              printable(target.string()));
}

// What a name stands for.
struct Target {
  path file;                       // behind all links
  std::optional<struct stat> old;  // what is there
  bool direct = false;             // a device, a pipe, or a link such as /proc/self/fd/1
};

Target target_of(const std::string& file) {
  if (file.empty() || file.find('\0') != file.npos)
    throw Error(ErrorCode::write_failed, "not a file name", "name a file", printable(file));
  const auto old = status_of(file);
  if (old && S_ISDIR(old->st_mode))
    throw Error(ErrorCode::is_a_directory, "is a directory", "name a file", printable(file));
  if (old && !S_ISREG(old->st_mode)) return {file, old, true};

  Target target{follow_links(file), old};
  check_folder(target.file);
  if (!old) return target;
  // A rename would pass over the write protection of the old file.
  if (::faccessat(AT_FDCWD, file.c_str(), W_OK, AT_EACCESS) != 0) fail(errno, file, "cannot write");
  // Links such as /proc/self/fd/1 may name a file that is elsewhere by now.
  const auto found = status_of(target.file);
  target.direct = !found || found->st_ino != old->st_ino || found->st_dev != old->st_dev;
  return target;
}

}  // namespace

void check_can_write(const std::string& file) {
  const Target target = target_of(file);
  if (target.direct) return;
  if (::faccessat(AT_FDCWD, folder_of(target.file).c_str(), W_OK | X_OK, AT_EACCESS) != 0)
    fail(errno, file, "cannot create a file in its folder");
}

// The temporary file beside the target, or the target itself where it is written to directly.
class AtomicFile::Writing {
 public:
  explicit Writing(const std::string& asked) : target_(target_of(asked)), name_(asked), file_(-1) {
    if (target_.direct) {
      file_ = Descriptor(::open(asked.c_str(), O_WRONLY | O_TRUNC | O_CLOEXEC | O_NOCTTY));
      if (!file_.is_open()) fail(errno, name_, "cannot open");
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
    if (::rename(unfinished_->path().c_str(), target_.file.c_str()) != 0)
      fail(errno, name_, "cannot rename");
    unfinished_->keep();
    sync_folder(target_.file);
  }

 private:
  static constexpr std::size_t kBuffer = std::size_t{1} << 16;

  void create() {
    std::string temporary;
    const mode_t mode = target_.old ? target_.old->st_mode & 0777 : 0666;
    file_ = Descriptor(create_beside(target_.file, mode, temporary));
    if (!file_.is_open()) fail(errno, name_, "cannot create a file in its folder");
    unfinished_.emplace(std::move(temporary));
    // The umask took its share away; an existing file has its rights already.
    if (target_.old) static_cast<void>(::fchmod(file_.number(), mode));
  }

  void flush() {
    write_all(file_.number(), buffer_, name_);
    buffer_.clear();
  }

  Target target_;
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
