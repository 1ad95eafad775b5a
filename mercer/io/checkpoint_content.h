// What stands in a checkpoint, for people to read: which fit it belongs to and how far that came.
// The file is neither locked nor changed, so that one of a running fit can be looked at.
#pragma once

#include "mercer/core/index.h"
#include "mercer/core/value.h"

#include <cstdint>
#include <string>

namespace mercer {

struct CheckpointContent {
  Value work;        // what the steps depend on, and what was noted beside it
  Index passes = 0;  // whole records
  std::uint64_t bytes = 0;
};

/// Whether the file begins as a checkpoint does.
bool looks_like_checkpoint(const std::string& path);

/// Throws M720 for a header that is damaged or of a newer Mercer. Counts the records without
/// checking their numbers: they may be gigabytes.
CheckpointContent read_checkpoint(const std::string& path);

}  // namespace mercer
