#include "mercer/io/detail/input_file.h"

#include "mercer/core/error.h"
#include "mercer/core/text.h"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <limits>
#include <memory>
#include <vector>

namespace mercer::detail {
namespace {

std::vector<std::string> names_in(const std::string& folder) {
  constexpr std::size_t kMost = 1000;  // a suggestion is not worth reading a huge folder
  std::vector<std::string> names;
  const std::unique_ptr<DIR, int (*)(DIR*)> opened(::opendir(folder.c_str()), &::closedir);
  if (opened == nullptr) return names;
  while (names.size() < kMost) {
    const dirent* entry = ::readdir(opened.get());
    if (entry == nullptr) break;
    names.emplace_back(entry->d_name);
  }
  std::sort(names.begin(), names.end());  // the order in a folder is an accident
  return names;
}

[[noreturn]] void not_found(const std::string& name) {
  const std::filesystem::path file(name);
  const std::filesystem::path folder = file.parent_path();
  std::string hint = "check the name and the folder";
  std::error_code error;
  if (!folder.empty() && !std::filesystem::is_directory(folder, error)) {
    hint = fmt::format("there is no folder \"{}\"", printable(folder.string()));
  } else if (const auto near = nearest_name(file.filename().string(),
                                            names_in(folder.empty() ? "." : folder.string()))) {
    hint = fmt::format("did you mean \"{}\"?", printable((folder / *near).string()));
  }
  throw Error(ErrorCode::file_not_found, fmt::format("there is no file \"{}\"", printable(name)),
              std::move(hint), printable(name));
}

[[noreturn]] void fail(int error, const std::string& name) {
  if (error == ENOENT || error == ENOTDIR) not_found(name);
  if (error == EISDIR)
    throw Error(ErrorCode::is_a_directory, "is a directory", "name a file", printable(name));
  const bool forbidden = error == EACCES || error == EPERM;
  throw Error(forbidden ? ErrorCode::no_permission : ErrorCode::read_failed,
              fmt::format("cannot read: {}", system_text(error)),
              forbidden ? "ask the file's owner for the right to read it"
                        : "try again, or copy the file elsewhere",
              printable(name));
}

// A second number for standard input: closing it leaves the first one open. Opening a named pipe
// does not wait for its writer: reading does.
int open_for_reading(const std::string& path, const std::string& name) {
  if (path == "-") return ::dup(STDIN_FILENO);
  if (path.empty() || path.find('\0') != path.npos) not_found(name);
  return ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
}

}  // namespace

InputFile::InputFile(const std::string& path, std::function<void()> check)
    : name_(path == "-" ? "standard input" : path),
      check_(std::move(check)),
      file_(open_for_reading(path, name_)) {
  if (!file_.is_open()) fail(errno, name_);
  struct stat status {};
  if (::fstat(file_.number(), &status) != 0) fail(errno, name_);
  is_folder_ = S_ISDIR(status.st_mode);
  may_wait_ = !is_folder_ && !S_ISREG(status.st_mode);
  if (path != "-" && S_ISREG(status.st_mode) && status.st_size > 0)
    size_ = static_cast<std::uint64_t>(status.st_size);
}

// Also where there is no check: a named pipe that nobody writes to yet would look like its end.
// What is wrong with the file is for read(2) to tell.
void InputFile::wait_for_bytes() const {
  constexpr int kInterval = 50;  // milliseconds between two checks
  pollfd waiting{file_.number(), POLLIN, 0};
  int ready = 0;
  while (ready == 0 || (ready < 0 && errno == EINTR)) {
    if (check_) check_();
    ready = ::poll(&waiting, 1, kInterval);
  }
}

std::size_t InputFile::read(char* out, std::size_t count) {
  constexpr std::size_t kMost = std::size_t{1} << 24;  // between two checks
  if (is_folder_) fail(EISDIR, name_);
  // A file that grows meanwhile is read up to the size it had.
  if (size_) count = static_cast<std::size_t>(std::min<std::uint64_t>(count, *size_ - done_));
  std::size_t got = 0;
  while (got < count) {
    if (may_wait_)
      wait_for_bytes();
    else if (check_)
      check_();
    const ssize_t now = ::read(file_.number(), out + got, std::min(count - got, kMost));
    if (now == 0) break;
    if (now > 0)
      got += static_cast<std::size_t>(now);
    else if (errno == EAGAIN)
      wait_for_bytes();
    else if (errno != EINTR)
      fail(errno, name_);
  }
  done_ += got;
  if (size_ && got < count)
    throw Error(ErrorCode::file_changed,
                fmt::format("the file had {} bytes and ended after {}", *size_, done_),
                "wait until its writer has finished", printable(name_));
  return got;
}

void throw_too_large(const std::string& name, std::string_view size, std::uint64_t limit) {
  throw Error(ErrorCode::over_memory,
              fmt::format("the file has {}, the limit is {}", size, bytes(limit)),
              "allow more memory", printable(name));
}

std::string read_everything(ByteStream& stream, std::uint64_t limit, const std::string& name,
                            std::string_view begin) {
  constexpr std::size_t kFirst = std::size_t{1} << 16;  // bytes to begin with; doubled when full
  if (stream.size().value_or(0) > limit) throw_too_large(name, bytes(*stream.size()), limit);
  // One byte more than allowed tells "as large as the limit" from "larger".
  const std::size_t most = limit + (limit < std::numeric_limits<std::size_t>::max() ? 1 : 0);
  std::string content(begin);
  if (content.size() > limit) throw_too_large(name, "more than " + bytes(limit), limit);
  std::size_t done = content.size();
  while (done == content.size()) {
    const auto next = static_cast<std::size_t>(stream.size().value_or(std::max(kFirst, 2 * done)));
    content.resize(std::min(most, next));
    done += stream.read(content.data() + done, content.size() - done);
    if (done > limit) throw_too_large(name, "more than " + bytes(limit), limit);
    if (done == stream.size()) break;
  }
  content.resize(done);
  return content;
}

}  // namespace mercer::detail
