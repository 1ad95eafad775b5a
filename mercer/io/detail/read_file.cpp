// Whole files into memory. The size is compared with the limit before anything is allocated; what
// has no size (pipes, devices, files of /proc) is read in growing pieces until the limit is passed.
#include "mercer/core/error.h"
#include "mercer/core/text.h"
#include "mercer/io/atomic_file.h"
#include "mercer/io/detail/descriptor.h"

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

namespace mercer {
namespace {

using detail::Descriptor;

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
              fmt::format("cannot read: {}", detail::system_text(error)),
              forbidden ? "ask the file's owner for the right to read it"
                        : "try again, or copy the file elsewhere",
              printable(name));
}

[[noreturn]] void too_large(const std::string& name, std::string_view size, std::uint64_t limit) {
  throw Error(ErrorCode::over_memory,
              fmt::format("the file has {}, the limit is {}", size, bytes(limit)),
              "allow more memory", printable(name));
}

// Reads until the space is full or the file ends; the number of bytes read.
std::size_t fill(int number, char* space, std::size_t size, const std::string& name) {
  constexpr std::size_t kMost = std::size_t{1} << 30;  // read(2) gives a little less than 2^31
  std::size_t done = 0;
  while (done < size) {
    const ssize_t count = ::read(number, space + done, std::min(size - done, kMost));
    if (count == 0) break;
    if (count > 0) {
      done += static_cast<std::size_t>(count);
    } else if (!detail::try_again(errno, number, POLLIN)) {
      fail(errno, name);
    }
  }
  return done;
}

std::string read_sized(int number, std::size_t size, const std::string& name) {
  std::string content(size, '\0');
  const std::size_t done = fill(number, content.data(), size, name);
  if (done == size) return content;
  throw Error(ErrorCode::file_changed,
              fmt::format("the file had {} bytes and ended after {}", size, done),
              "wait until its writer has finished", printable(name));
}

std::string read_stream(int number, std::uint64_t limit, const std::string& name) {
  constexpr std::size_t kFirst = std::size_t{1} << 16;
  // One byte more than allowed tells "as large as the limit" from "larger".
  const std::size_t most = limit + (limit < std::numeric_limits<std::size_t>::max() ? 1 : 0);
  std::string content;
  std::size_t done = 0;
  while (done == content.size()) {
    content.resize(std::min(most, std::max(kFirst, 2 * done)));
    done += fill(number, content.data() + done, content.size() - done, name);
    if (done > limit) too_large(name, "more than " + bytes(limit), limit);
  }
  content.resize(done);
  return content;
}

}  // namespace

std::string read_file(const std::string& name, std::uint64_t limit) {
  if (name == "-") return read_stream(STDIN_FILENO, limit, "standard input");
  if (name.empty() || name.find('\0') != name.npos) not_found(name);
  const Descriptor file(::open(name.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY));
  if (!file.is_open()) fail(errno, name);
  struct stat status {};
  if (::fstat(file.number(), &status) != 0) fail(errno, name);
  if (S_ISDIR(status.st_mode)) fail(EISDIR, name);
  // Files of /proc say that they are empty and are not.
  if (!S_ISREG(status.st_mode) || status.st_size == 0)
    return read_stream(file.number(), limit, name);
  const auto size = static_cast<std::uint64_t>(status.st_size);
  if (size > limit) too_large(name, bytes(size), limit);
  return read_sized(file.number(), size, name);
}

}  // namespace mercer
