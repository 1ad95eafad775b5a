#include "mercer/io/detail/checkpoint_layout.h"

#include "mercer/core/error.h"
#include "mercer/core/text.h"
#include "mercer/io/detail/descriptor.h"

#include <fmt/format.h>
#include <unistd.h>
#include <xxhash.h>

#include <cerrno>

namespace mercer::detail {
namespace {

constexpr std::uint64_t kLongestLayout = 1 << 20;  // ours have a few kilobytes

}  // namespace

bool read_at(int file, std::uint64_t at, void* to, std::size_t size) {
  auto* bytes = static_cast<char*>(to);
  while (size > 0) {
    const ssize_t got = ::pread(file, bytes, size, static_cast<off_t>(at));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0)
      throw Error(ErrorCode::read_failed, "cannot read the checkpoint: " + system_text(errno),
                  "try again, or start anew with another file");
    if (got == 0) return false;
    bytes += got;
    at += static_cast<std::uint64_t>(got);
    size -= static_cast<std::size_t>(got);
  }
  return true;
}

std::string checkpoint_header(int file, const std::string& path, const std::string& hint) {
  const auto refuse = [&](const std::string& reason, const std::string& fix) {
    throw Error(ErrorCode::bad_checkpoint, reason, fix, printable(path));
  };
  CheckpointHead head;
  if (!read_at(file, 0, &head, sizeof head) || head.letters != kCheckpointLetters)
    refuse("this is not a checkpoint of Mercer", hint);
  if (head.version > kCheckpointVersion)
    refuse(fmt::format("it was written by a newer Mercer (format {}, this one knows {})",
                       head.version, kCheckpointVersion),
           "continue with the program that wrote it");
  if (head.version == 0 || head.length > kLongestLayout) refuse("its header is damaged", hint);
  std::string header(head.length, '\0');
  if (!read_at(file, sizeof head, header.data(), header.size()) ||
      head.check != XXH3_64bits(header.data(), header.size()))
    refuse("its header is damaged", hint);
  return header;
}

}  // namespace mercer::detail
