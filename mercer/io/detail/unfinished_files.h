// The temporary files that exist right now. A process that is told to stop removes them without
// waiting for the thread that writes, so the list is a fixed table of names and atomics: no locks,
// no allocation.
#pragma once

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
  /// The file has its final name now and is no longer ours to remove.
  void keep() { kept_ = true; }

 private:
  std::string path_;
  int slot_;
  bool kept_ = false;
};

}  // namespace mercer::detail
