#include "mercer/io/detail/output_target.h"

#include "mercer/core/error.h"
#include "mercer/core/text.h"
#include "mercer/io/detail/descriptor.h"
#include "mercer/io/file_identity.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <limits.h>
#include <sys/random.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

namespace mercer::detail {
namespace {

using std::filesystem::path;

// A temporary name is that of the file, this mark and random letters: 30 bits suffice to be alone.
constexpr std::string_view kTemporaryMark = ".part-";
constexpr std::size_t kRandomLetters = 6;

std::optional<struct stat> status_of(const path& file) {
  struct stat status {};
  if (::stat(file.c_str(), &status) != 0) return std::nullopt;
  return status;
}

std::string random_letters() {
  constexpr std::string_view kLetters = "abcdefghijklmnopqrstuvwxyz234567";
  unsigned char bytes[kRandomLetters] = {};
  if (::getentropy(bytes, sizeof bytes) != 0) fail_to_write(errno, "", "no random numbers");
  std::string letters;
  for (const unsigned char byte : bytes) letters += kLetters[byte % kLetters.size()];
  return letters;
}

void check_folder(const path& target) {
  const std::string folder = folder_of(target);
  const auto status = status_of(folder);
  if (status && S_ISDIR(status->st_mode)) return;
  if (!status && errno != ENOENT && errno != ENOTDIR)
    fail_to_write(errno, folder, "cannot open the folder");
  throw Error(ErrorCode::folder_missing,
              fmt::format("the folder \"{}\" {}", printable(folder),
                          status ? "is a file" : "does not exist"),
              status ? "choose another folder" : fmt::format("mkdir -p '{}'", printable(folder)),
              printable(target.string()));
}

std::size_t longest_name(const std::string& folder) {
  const long limit = ::pathconf(folder.c_str(), _PC_NAME_MAX);
  return limit > 0 ? static_cast<std::size_t>(limit) : NAME_MAX;
}

void check_length(const path& target) {
  const std::size_t length = target.filename().native().size();
  const std::size_t longest = longest_name(folder_of(target));
  if (length > longest)
    throw Error(
        ErrorCode::write_failed,
        fmt::format("the name has {} bytes; its folder takes names of at most {}", length, longest),
        "choose a shorter name", printable(target.string()));
  if (target.native().size() >= PATH_MAX)
    throw Error(ErrorCode::write_failed,
                fmt::format("the path has {} bytes; the system takes less than {}",
                            target.native().size(), PATH_MAX),
                "choose a shorter one", printable(target.string()));
}

// The name, cut so that the temporary name is no longer than names can be; never inside a letter,
// since some file systems take UTF-8 only.
std::string stem_beside(const path& target) {
  const std::string folder = folder_of(target), name = target.filename().string();
  constexpr std::size_t kAdded = kTemporaryMark.size() + kRandomLetters;
  const std::size_t path_room = PATH_MAX - std::min<std::size_t>(PATH_MAX, folder.size() + 2);
  const std::size_t room = std::min(longest_name(folder), path_room);
  std::size_t size = std::min(name.size(), room - std::min(room, kAdded));
  while (size > 0 && size < name.size() && (static_cast<unsigned char>(name[size]) & 0xC0) == 0x80)
    --size;
  return name.substr(0, size);
}

// Whether a file is mounted on this very name, as containers do with single files.
bool is_mounted([[maybe_unused]] const path& file) {
#ifdef STATX_ATTR_MOUNT_ROOT
  struct statx status {};
  return ::statx(AT_FDCWD, file.c_str(), 0, 0, &status) == 0 &&
         (status.stx_attributes & STATX_ATTR_MOUNT_ROOT) != 0;
#else
  return false;
#endif
}

}  // namespace

void fail_to_write(int error, const std::string& name, std::string_view step) {
  const bool forbidden = error == EACCES || error == EPERM;
  const ErrorCode code = forbidden ? ErrorCode::no_permission : ErrorCode::write_failed;
  const char* hint = error == ENOSPC || error == EDQUOT
                         ? "free some space, or choose another folder"
                     : forbidden ? "choose another folder, or ask its owner"
                                 : "choose another folder or file";
  throw Error(code, fmt::format("{}: {}", step, system_text(error)), hint, printable(name));
}

std::string folder_of(const path& file) {
  const path folder = file.parent_path();
  return folder.empty() ? "." : folder.string();
}

OutputTarget output_target(const std::string& file) {
  if (file.empty() || file.find('\0') != file.npos)
    throw Error(ErrorCode::write_failed, "not a file name", "name a file", printable(file));
  const auto old = status_of(file);
  if (old && S_ISDIR(old->st_mode))
    throw Error(ErrorCode::is_a_directory, "is a directory", "name a file", printable(file));
  if (old && !S_ISREG(old->st_mode)) return {file, old, true};

  const auto end = follow_links(file);
  if (!end) fail_to_write(ELOOP, file, "cannot write");
  OutputTarget target{*end, old};
  check_folder(target.file);
  check_length(target.file);
  const bool room =
      ::faccessat(AT_FDCWD, folder_of(target.file).c_str(), W_OK | X_OK, AT_EACCESS) == 0;
  const int no_room = errno;
  if (old) {
    // A rename would pass over the write protection of the old file.
    if (::faccessat(AT_FDCWD, file.c_str(), W_OK, AT_EACCESS) != 0)
      fail_to_write(errno, file, "cannot write");
    // Links such as /proc/self/fd/1 may name a file that is elsewhere by now.
    const auto found = status_of(target.file);
    target.direct = !found || found->st_ino != old->st_ino || found->st_dev != old->st_dev ||
                    (!room && is_mounted(target.file));
  }
  if (!room && !target.direct) fail_to_write(no_room, file, "cannot create a file in its folder");
  return target;
}

int create_beside(const OutputTarget& target, std::optional<UnfinishedFile>& unfinished) {
  const mode_t mode = target.old ? target.old->st_mode & 0777 : 0666;
  const std::string stem = stem_beside(target.file);
  for (int attempt = 0; attempt < 100; ++attempt) {
    std::string name(kTemporaryMark.substr(stem.empty() ? 1 : 0));
    name = (target.file.parent_path() / (stem + name + random_letters())).string();
    const int number = unfinished.emplace(std::move(name)).create(mode);
    // The umask took its share away; an existing file has its rights already.
    if (number >= 0 && target.old) static_cast<void>(::fchmod(number, mode));
    if (number >= 0 || (errno != EEXIST && errno != EINTR)) return number;
  }
  return -1;
}

}  // namespace mercer::detail
