// What the name of an output stands for, and whether it can be written: everything about a name
// that can be known before there is anything to write.
#pragma once

#include "mercer/io/detail/unfinished_files.h"

#include <sys/stat.h>

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace mercer::detail {

struct OutputTarget {
  std::filesystem::path file;           // behind all links
  std::optional<struct stat> old = {};  // what is there
  /// A device, a pipe, a link such as /proc/self/fd/1, or a file that can neither be replaced nor
  /// have another one beside it: written to as it is.
  bool direct = false;
};

/// Throws M402 (no folder), M404, M406, and M410 for names that are too long or not names at all.
OutputTarget output_target(const std::string& file);

/// A new file in the target's folder, open for reading and writing; -1 and errno where that cannot
/// be. Its rights are the target's from the start: a private file stays private.
int create_beside(const OutputTarget& target, std::optional<UnfinishedFile>& unfinished);

/// "." where the name has none.
std::string folder_of(const std::filesystem::path& file);

/// The error of a step that failed with this errno: M404 or M410.
[[noreturn]] void fail_to_write(int error, const std::string& name, std::string_view step);

}  // namespace mercer::detail
