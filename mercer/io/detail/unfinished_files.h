// The temporary files that exist right now. A process that is told to stop removes them without
// waiting for the thread that writes, perhaps inside a signal handler, so the list is a fixed table
// of names and atomics: no locks, no allocation.
#pragma once

#include <sys/types.h>

#include <string>

namespace mercer::detail {

/// Lists a temporary file while it lives; destruction removes the file unless it was kept.
class UnfinishedFile {
 public:
  explicit UnfinishedFile(std::string path);
  ~UnfinishedFile();
  UnfinishedFile(const UnfinishedFile&) = delete;
  UnfinishedFile& operator=(const UnfinishedFile&) = delete;

  const std::string& path() const { return path_; }
  /// Creates it for reading and writing; its descriptor, or -1 and errno. A file that was there
  /// already is left alone. Does not return when the process is about to end.
  int create(mode_t mode);
  /// The file has its final name now, or shall stay: it is no longer ours to remove.
  void keep();

 private:
  void mark(int state);

  std::string path_;
  int slot_;
  bool kept_ = false;
};

}  // namespace mercer::detail
