#include "mercer/io/source.h"

#include "mercer/core/check.h"
#include "mercer/core/text.h"
#include "mercer/io/detail/compression.h"
#include "mercer/io/detail/growing_bytes.h"
#include "mercer/io/detail/input_file.h"

#include <algorithm>
#include <cstring>

namespace mercer {
namespace {

constexpr std::size_t kSourceHead = std::size_t{64} << 10;  // bytes that formats may look at

Context with_account(Context context) {
  if (!context.account) context.account = MemoryAccount(context.budget.memory);
  return context;
}

Context with_memory(std::uint64_t memory) {
  Context context;
  context.budget.memory = memory;
  return context;
}

}  // namespace

struct Source::Stream {
  explicit Stream(const Context& context_in) : context(with_account(context_in)) {}

  Context context;
  std::string name, path;
  std::unique_ptr<detail::ByteStream> bytes;
  std::optional<std::string_view> content;  // bytes in memory that need no decompression
  std::string_view compression;
  bool is_folder = false;

  std::string head;
  bool head_known = false;
  std::size_t head_taken = 0;
  bool taken = false;  // by read()
  std::optional<detail::GrowingBytes> kept;

  void find_head();
  void keep_everything();
};

// Both all() and read() come after the head.
void Source::Stream::find_head() {
  if (head_known || is_folder) return;
  head.resize(static_cast<std::size_t>(
      std::min<std::uint64_t>(kSourceHead, bytes->size().value_or(kSourceHead))));
  head.resize(bytes->read(head.data(), head.size()));
  head_known = true;
  compression = detail::compression_of(head);
  if (compression.empty()) return;
  bytes = detail::decompressed(std::move(bytes), std::move(head), compression, name, context);
  content.reset();
  head.assign(kSourceHead, '\0');
  head.resize(bytes->read(head.data(), head.size()));
}

// Files of known size are counted before they are read; the others in steps that become small
// where little is left.
void Source::Stream::keep_everything() {
  constexpr std::uint64_t kPiece = std::uint64_t{8} << 20, kSmallest = 4096;  // bytes of a step
  detail::GrowingBytes all(context.hold(0, "the bytes of the file"));
  if (bytes->size()) all.expect(*bytes->size());
  all.append(head.data(), head.size());
  std::size_t got = 0;
  try {
    do {
      const std::uint64_t step = std::clamp(context.memory_left() / 2, kSmallest, kPiece);
      const std::uint64_t left = bytes->size().value_or(all.size() + step) - all.size();
      const auto count = static_cast<std::size_t>(std::min(kPiece, left));
      got = bytes->read(reinterpret_cast<char*>(all.room_for(count)), count);
      all.added(got);
      context.report("read", std::min(1.0, bytes->share()));
    } while (got > 0);
  } catch (const Error& error) {
    if (error.code() != ErrorCode::over_memory) throw;
    detail::throw_too_large(name, "more than " + mercer::bytes(all.size()),
                            all.size() + context.memory_left());
  }
  all.shorten(all.size());
  kept = std::move(all);
}

Source::Source(const std::string& path, const Context& context)
    : stream_(std::make_unique<Stream>(context)) {
  // The stream stays where it is when the source is moved.
  auto file = std::make_unique<detail::InputFile>(
      path, [stream = stream_.get()] { stream->context.check_cancelled(); });
  stream_->name = path == "-" ? "standard input" : printable(path);
  stream_->path = path;
  stream_->is_folder = file->is_folder();
  stream_->bytes = std::move(file);
}

Source::Source(std::string_view content, std::string name, const Context& context)
    : stream_(std::make_unique<Stream>(context)) {
  stream_->name = std::move(name);
  stream_->content = content;
  stream_->bytes = std::make_unique<detail::MemoryBytes>(content);
}

Source::Source(std::string_view content, std::string name, std::uint64_t memory)
    : Source(content, std::move(name), with_memory(memory)) {}

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
  stream_->find_head();
  if (stream_->content) return *stream_->content;
  if (!stream_->kept) stream_->keep_everything();
  return stream_->kept->text();
}

const Context& Source::context() const { return stream_->context; }

}  // namespace mercer
