// Files that are either the old one or the new one, never half of it: written to name.part-XXXXXX
// in the same folder, synced, renamed, and the folder synced. An unfinished temporary file is
// removed.
#pragma once

#include "mercer/io/sink.h"

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace mercer {

/// A file that is written in pieces and replaces the old one when it is committed; without that the
/// old file stays as it is. Throws M402 (no folder), M404, M406, M410. Devices and pipes (such as
/// /dev/full or a named pipe) are written to directly.
class AtomicFile final : public Sink {
 public:
  explicit AtomicFile(const std::string& path);
  ~AtomicFile() override;

  void write(std::string_view part) override;
  /// Once, at the end: the file is on the disk and has its name when this returns.
  void commit();

 private:
  class Writing;
  std::unique_ptr<Writing> writing_;
};

/// The same for a content that is there already.
void write_file_atomically(const std::string& path, std::span<const std::string_view> parts);

/// Throws what writing would throw for the name alone: M402, M404, M406.
void check_can_write(const std::string& path);

/// The whole file, or standard input for "-". Throws M401 (with similar names), M404, M405, M406,
/// M411, and M301 when it is larger than `limit` bytes.
std::string read_file(const std::string& path, std::uint64_t limit);

/// Removes temporary files of writes in progress; callable from a signal-driven exit path.
void remove_unfinished_files() noexcept;

}  // namespace mercer
