// How a checkpoint lies in its file: 8 letters, version, length of the header, its XXH3-64; the
// header (JSON); then records of a RecordHead and its numbers. All integers and numbers in the byte
// order of the machine: a checkpoint stays on the machine that made it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

namespace mercer::detail {

// A file begins with these letters and the version of what follows them.
constexpr std::array<char, 8> kCheckpointLetters = {'M', 'E', 'R', 'C', 'R', 'C', 'K', 'P'};
constexpr std::uint32_t kCheckpointVersion = 1;

struct CheckpointHead {
  std::array<char, 8> letters = kCheckpointLetters;
  std::uint32_t version = kCheckpointVersion;
  std::uint32_t length = 0;
  std::uint64_t check = 0;
};

struct RecordHead {
  std::uint64_t step = 0, input = 0, count = 0, check = 0;
};

/// Bytes of the open file from `at` on; false where it ends before. A disk that fails is no end: it
/// throws M404.
bool read_at(int file, std::uint64_t at, void* to, std::size_t size);

/// The header's text; throws M720 with this hint where there is none, or a damaged or newer one.
std::string checkpoint_header(int file, const std::string& path, const std::string& hint);

}  // namespace mercer::detail
