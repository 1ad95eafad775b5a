// The layout is that of mercer/io/checkpoint.cpp: a head, a header in JSON, then records of four
// whole numbers (step, hash of the input, count, checksum) and `count` doubles.
#include "apps/cli/checkpoint_file.h"

#include "mercer/core/error.h"
#include "mercer/core/text.h"
#include "mercer/io/json.h"

#include <xxhash.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <string_view>

namespace mercer::cli {
namespace {

constexpr std::string_view kLetters = "MERCRCKP";
constexpr std::uint32_t kVersion = 1;
constexpr std::uint64_t kLongestHeader = 1 << 20;

struct FileHead {
  std::array<char, 8> letters = {};
  std::uint32_t version = 0, length = 0;
  std::uint64_t check = 0;
};

struct RecordHead {
  std::uint64_t step = 0, input = 0, count = 0, check = 0;
};

template <class Head>
bool read_head(std::istream& file, Head& head) {
  return static_cast<bool>(file.read(reinterpret_cast<char*>(&head), sizeof head));
}

bool begins_well(const FileHead& head) {
  return std::string_view(head.letters.data(), head.letters.size()) == kLetters;
}

[[noreturn]] void refuse(const std::string& path, const char* reason, const char* hint) {
  throw Error(ErrorCode::bad_checkpoint, reason, hint, printable(path));
}

// A record that a kill cut short does not count, nor does what follows it.
Index whole_records(std::istream& file, std::uint64_t at, std::uint64_t size) {
  Index records = 0;
  RecordHead head;
  while (size - at >= sizeof head) {
    file.seekg(static_cast<std::streamoff>(at));
    if (!read_head(file, head) || head.step != static_cast<std::uint64_t>(records)) break;
    at += sizeof head;
    if (head.count > (size - at) / sizeof(double)) break;
    at += head.count * sizeof(double);
    ++records;
  }
  return records;
}

}  // namespace

bool looks_like_checkpoint(const std::string& path) {
  std::error_code error;  // a pipe must not lose its first bytes
  if (!std::filesystem::is_regular_file(path, error)) return false;
  std::ifstream file(path, std::ios::binary);
  FileHead head;
  return read_head(file, head) && begins_well(head);
}

CheckpointContent read_checkpoint(const std::string& path) {
  constexpr auto kAnew = "fit anew: the file is of no more use";
  std::ifstream file(path, std::ios::binary);
  FileHead head;
  if (!read_head(file, head) || !begins_well(head))
    refuse(path, "this is not a checkpoint of Mercer", "name a file that --checkpoint has made");
  if (head.version > kVersion)
    refuse(path, "it was written by a newer Mercer", "use the program that wrote it");
  if (head.version == 0 || head.length > kLongestHeader)
    refuse(path, "its header is damaged", kAnew);
  std::string header(head.length, '\0');
  if (!file.read(header.data(), static_cast<std::streamsize>(header.size())) ||
      XXH3_64bits(header.data(), header.size()) != head.check)
    refuse(path, "its header is damaged", kAnew);
  CheckpointContent content;
  content.work = from_json(header);
  std::error_code error;
  const std::uint64_t begin = sizeof head + header.size();
  content.bytes = std::filesystem::file_size(path, error);
  if (!error && content.bytes > begin) content.passes = whole_records(file, begin, content.bytes);
  return content;
}

}  // namespace mercer::cli
