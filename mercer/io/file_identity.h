// Which file a name stands for. Two names are one file when a link, another spelling or another
// folder's link leads from both to the same place: what exists is known by its device and inode,
// what does not exist yet by those of its folder and its name there.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

namespace mercer {

struct FileIdentity {
  std::uint64_t device = 0, inode = 0;
  std::string name = {};  // of a file that does not exist yet; the numbers are its folder's
  mode_t type = 0;        // S_IFREG, S_IFIFO, ...; 0 where it does not exist
  unsigned driver = 0;    // of a device: its major number

  bool exists() const { return type != 0; }
  bool operator==(const FileIdentity& other) const {
    return device == other.device && inode == other.inode && name == other.name;
  }
};

/// Nothing where the name leads nowhere: the folder does not exist either.
std::optional<FileIdentity> identity_of(const std::string& path);
/// The same for an open file.
std::optional<FileIdentity> identity_of(int descriptor);

/// The end of a chain of links, which need not exist; nothing for a chain without end.
std::optional<std::filesystem::path> follow_links(std::filesystem::path file);

}  // namespace mercer
