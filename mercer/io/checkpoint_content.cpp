#include "mercer/io/checkpoint_content.h"

#include "mercer/core/error.h"
#include "mercer/core/text.h"
#include "mercer/io/detail/checkpoint_layout.h"
#include "mercer/io/detail/descriptor.h"
#include "mercer/io/json.h"

#include <fcntl.h>

#include <filesystem>
#include <fstream>

namespace mercer {
namespace {

using detail::RecordHead;

constexpr auto kOfNoUse = "fit anew: what was kept in it is of no more use";

// A record that a kill cut short does not count, nor does what follows it.
Index whole_records(int file, std::uint64_t at, std::uint64_t size) {
  Index records = 0;
  RecordHead head;
  while (size - at >= sizeof head) {
    if (!detail::read_at(file, at, &head, sizeof head) ||
        head.step != static_cast<std::uint64_t>(records))
      break;
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
  auto letters = detail::kCheckpointLetters;
  letters.fill(0);
  return file.read(letters.data(), letters.size()) && letters == detail::kCheckpointLetters;
}

CheckpointContent read_checkpoint(const std::string& path) {
  const detail::Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file.is_open())
    throw Error(ErrorCode::no_permission, "cannot open: " + detail::system_text(errno),
                "name another file", printable(path));
  const std::string header = detail::checkpoint_header(file.number(), path, kOfNoUse);
  CheckpointContent content;
  try {
    content.work = from_json(header);
  } catch (const Error& error) {
    throw Error(ErrorCode::bad_checkpoint, "its header is damaged: " + error.message(), kOfNoUse,
                printable(path));
  }
  std::error_code error;
  const std::uint64_t begin = sizeof(detail::CheckpointHead) + header.size();
  content.bytes = std::filesystem::file_size(path, error);
  if (!error && content.bytes > begin)
    content.passes = whole_records(file.number(), begin, content.bytes);
  return content;
}

}  // namespace mercer
