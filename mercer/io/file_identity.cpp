#include "mercer/io/file_identity.h"

#include <sys/stat.h>
#include <sys/sysmacros.h>

namespace mercer {
namespace {

FileIdentity identity_from(const struct stat& status) {
  return {.device = status.st_dev,
          .inode = status.st_ino,
          .type = status.st_mode & S_IFMT,
          .driver = major(status.st_rdev)};
}

}  // namespace

std::optional<std::filesystem::path> follow_links(std::filesystem::path file) {
  constexpr int kMostLinks = 40;  // as many as Linux follows
  for (int i = 0; i < kMostLinks; ++i) {
    std::error_code error;
    const std::filesystem::path target = std::filesystem::read_symlink(file, error);
    if (error) return file;
    file = target.is_absolute() ? target : file.parent_path() / target;
  }
  return std::nullopt;
}

std::optional<FileIdentity> identity_of(const std::string& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) == 0) return identity_from(status);
  const std::optional<std::filesystem::path> file = follow_links(path);
  if (!file || file->filename().empty()) return std::nullopt;
  const std::filesystem::path folder = file->has_parent_path() ? file->parent_path() : ".";
  if (::stat(folder.c_str(), &status) != 0) return std::nullopt;
  return FileIdentity{
      .device = status.st_dev, .inode = status.st_ino, .name = file->filename().string()};
}

std::optional<FileIdentity> identity_of(int descriptor) {
  struct stat status {};
  if (::fstat(descriptor, &status) != 0) return std::nullopt;
  return identity_from(status);
}

}  // namespace mercer
