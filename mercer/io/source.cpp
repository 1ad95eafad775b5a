#include "mercer/io/source.h"

#include "mercer/core/check.h"
#include "mercer/core/text.h"
#include "mercer/io/detail/compression.h"
#include "mercer/io/detail/input_file.h"

#include <algorithm>
#include <cstring>

namespace mercer {
namespace {

constexpr std::size_t kHead = std::size_t{64} << 10;

}  // namespace

struct Source::Stream {
  std::string name, path;
  std::uint64_t memory = 0;
  std::unique_ptr<detail::ByteStream> bytes;
  std::optional<std::string_view> content;  // bytes in memory that need no decompression
  std::string_view compression;
  bool is_folder = false;

  std::string head;
  bool head_known = false;
  std::size_t head_taken = 0;
  bool taken = false;  // by read()
  std::optional<std::string> kept;

  void find_head();
};

// Both all() and read() come after the head.
void Source::Stream::find_head() {
  if (head_known || is_folder) return;
  head.resize(
      static_cast<std::size_t>(std::min<std::uint64_t>(kHead, bytes->size().value_or(kHead))));
  head.resize(bytes->read(head.data(), head.size()));
  head_known = true;
  compression = detail::compression_of(head);
  if (compression.empty()) return;
  bytes = detail::decompressed(std::move(bytes), std::move(head), compression, name, memory);
  content.reset();
  head.assign(kHead, '\0');
  head.resize(bytes->read(head.data(), head.size()));
}

Source::Source(const std::string& path, std::uint64_t memory)
    : stream_(std::make_unique<Stream>()) {
  auto file = std::make_unique<detail::InputFile>(path);
  stream_->name = path == "-" ? "standard input" : printable(path);
  stream_->path = path;
  stream_->memory = memory;
  stream_->is_folder = file->is_folder();
  stream_->bytes = std::move(file);
}

Source::Source(std::string_view content, std::string name, std::uint64_t memory)
    : stream_(std::make_unique<Stream>()) {
  stream_->name = std::move(name);
  stream_->memory = memory;
  stream_->content = content;
  stream_->bytes = std::make_unique<detail::MemoryBytes>(content);
}

Source::~Source() = default;
Source::Source(Source&&) noexcept = default;
Source& Source::operator=(Source&&) noexcept = default;

const std::string& Source::name() const { return stream_->name; }
const std::string& Source::path() const { return stream_->path; }
bool Source::is_folder() const { return stream_->is_folder; }

std::string_view Source::compression() const {
  stream_->find_head();
  return stream_->compression;
}

std::optional<std::uint64_t> Source::size() const {
  stream_->find_head();
  return stream_->bytes->size();
}

double Source::share() const { return stream_->bytes->share(); }

std::string_view Source::head() {
  stream_->find_head();
  return stream_->head;
}

std::size_t Source::read(char* out, std::size_t count) {
  MERCER_ASSERT(!stream_->kept);
  stream_->find_head();
  stream_->taken = true;
  const std::size_t first = std::min(count, stream_->head.size() - stream_->head_taken);
  if (first > 0) std::memcpy(out, stream_->head.data() + stream_->head_taken, first);
  stream_->head_taken += first;
  return first == count ? count : first + stream_->bytes->read(out + first, count - first);
}

std::string_view Source::all() {
  MERCER_ASSERT(!stream_->taken);
  if (stream_->kept) return *stream_->kept;
  stream_->find_head();
  if (stream_->content) return *stream_->content;
  stream_->kept =
      detail::read_everything(*stream_->bytes, stream_->memory, stream_->name, stream_->head);
  return *stream_->kept;
}

}  // namespace mercer
