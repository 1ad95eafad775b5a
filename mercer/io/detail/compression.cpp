#include "mercer/io/detail/compression.h"

#include "mercer/core/check.h"
#include "mercer/core/error.h"
#include "mercer/core/text.h"
#include "mercer/io/detail/decompressor.h"

#include <fmt/format.h>
#include <zlib.h>
#include <zstd.h>
#include <zstd_errors.h>

#include <bit>
#include <new>

namespace mercer::detail {
namespace {

using namespace std::string_view_literals;

// How the files begin (RFC 1952, RFC 8878).
constexpr std::string_view kGzipMark = "\x1F\x8B"sv;
constexpr std::string_view kXzMark =
    "\xFD"
    "7zXZ\0"sv;
constexpr std::string_view kZstdMark = "\x28\xB5\x2F\xFD"sv;
constexpr std::string_view kSkippableMark = "\x2A\x4D\x18"sv;  // behind a byte 0x50 ... 0x5F

class Gunzip final : public Decompressor {
 public:
  Gunzip(std::unique_ptr<ByteStream> from, std::string begin, std::string name)
      : Decompressor(std::move(from), std::move(begin), std::move(name)) {
    constexpr int kGzipOnly = 16;  // added to the bits of the window, as zlib wants it
    if (::inflateInit2(&state_, MAX_WBITS + kGzipOnly) != Z_OK) throw std::bad_alloc();
  }
  ~Gunzip() override { ::inflateEnd(&state_); }

 private:
  std::size_t decode(char* out, std::size_t room) override {
    while (true) {
      if (between_members_ && !begin_member()) return 0;
      const std::string_view in = input();
      if (in.empty()) throw_damaged("the gzip data end early");
      state_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(in.data()));
      state_.avail_in = static_cast<uInt>(in.size());
      state_.next_out = reinterpret_cast<Bytef*>(out);
      state_.avail_out = static_cast<uInt>(room);
      const int status = ::inflate(&state_, Z_NO_FLUSH);
      use(in.size() - state_.avail_in);
      if (status != Z_OK && status != Z_STREAM_END && status != Z_BUF_ERROR)
        throw_damaged(fmt::format("the gzip data are damaged ({})",
                                  state_.msg != nullptr ? state_.msg : "no details"));
      between_members_ = status == Z_STREAM_END;
      if (state_.avail_out < room) return room - state_.avail_out;
    }
  }

  // Members may follow each other; zeros behind the last one are padding.
  bool begin_member() {
    while (!input().empty() && any_member_ && input().front() == '\0') use(1);
    if (input().empty()) return false;
    if (any_member_ && ::inflateReset(&state_) != Z_OK) throw_damaged("the gzip data are damaged");
    any_member_ = true;
    between_members_ = false;
    return true;
  }

  z_stream state_ = {};
  bool between_members_ = true, any_member_ = false;
};

class Unzstd final : public Decompressor {
 public:
  Unzstd(std::unique_ptr<ByteStream> from, std::string begin, std::string name,
         const Context& context)
      : Decompressor(std::move(from), std::move(begin), std::move(name)),
        state_(::ZSTD_createDStream(), &::ZSTD_freeDStream),
        hold_(context.hold(0, "zstd's buffers")) {
    if (!state_) throw std::bad_alloc();
    // Every decoder should manage 8 MiB; 128 MiB is what zstd itself accepts.
    const std::uint64_t most = context.memory_left() / 2;
    window_ = std::clamp(static_cast<int>(std::bit_width(most)) - 1, 23, kLargestWindow);
    ::ZSTD_DCtx_setParameter(state_.get(), ZSTD_d_windowLogMax, window_);
  }

 private:
  std::size_t decode(char* out, std::size_t room) override {
    ZSTD_outBuffer to{out, room, 0};
    while (to.pos == 0) {
      const std::string_view in = input();
      if (in.empty() && at_frame_end_) return 0;
      ZSTD_inBuffer from{in.data(), in.size(), 0};
      const std::size_t left = ::ZSTD_decompressStream(state_.get(), &to, &from);
      if (window_ < kLargestWindow &&
          ::ZSTD_getErrorCode(left) == ZSTD_error_frameParameter_windowTooLarge)
        throw Error(ErrorCode::over_memory,
                    "the zstd data need more memory to be decompressed than there is for that",
                    "allow more with --memory, or compress the file without --long");
      if (::ZSTD_isError(left) != 0)
        throw_damaged(fmt::format("the zstd data are damaged ({})", ::ZSTD_getErrorName(left)));
      use(from.pos);
      count_window();
      at_frame_end_ = left == 0;
      if (in.empty() && to.pos == 0) throw_damaged("the zstd data end early");
    }
    return to.pos;
  }

  // The window of a frame is there before anything is in it. That of small files is not counted:
  // every budget allows for it.
  void count_window() {
    constexpr std::size_t kSmall = std::size_t{9} << 20;  // the 8 MiB of RFC 8878, and a bit
    const std::size_t size = ::ZSTD_sizeof_DStream(state_.get());
    if (size > kSmall && size != hold_.bytes()) hold_.resize(size);
  }

  std::unique_ptr<ZSTD_DStream, std::size_t (*)(ZSTD_DStream*)> state_;
  MemoryAccount::Hold hold_;
  static constexpr int kLargestWindow = 27;  // powers of two
  int window_ = kLargestWindow;
  bool at_frame_end_ = true;
};

class Gzip final : public Compressor {
 public:
  explicit Gzip(Sink& to) : Compressor(to), out_(kPiece, '\0') {
    constexpr int kGzipHeader = 16, kMemory = 8;  // as zlib wants it, and its default
    // Without deflateSetHeader the header holds no name and no time.
    if (::deflateInit2(&state_, Z_DEFAULT_COMPRESSION, Z_DEFLATED, MAX_WBITS + kGzipHeader, kMemory,
                       Z_DEFAULT_STRATEGY) != Z_OK)
      throw std::bad_alloc();
  }
  ~Gzip() override { ::deflateEnd(&state_); }

 private:
  void compress(std::string_view piece, bool last, Sink& to) override {
    state_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(piece.data()));
    state_.avail_in = static_cast<uInt>(piece.size());
    int status = Z_OK;
    do {
      state_.next_out = reinterpret_cast<Bytef*>(out_.data());
      state_.avail_out = static_cast<uInt>(out_.size());
      status = ::deflate(&state_, last ? Z_FINISH : Z_NO_FLUSH);
      MERCER_ASSERT(status != Z_STREAM_ERROR);
      to.write(std::string_view(out_).substr(0, out_.size() - state_.avail_out));
    } while (last ? status != Z_STREAM_END : state_.avail_in > 0 || state_.avail_out == 0);
  }

  z_stream state_ = {};
  std::string out_;
};

class Zstd final : public Compressor {
 public:
  explicit Zstd(Sink& to)
      : Compressor(to), state_(::ZSTD_createCCtx(), &::ZSTD_freeCCtx), out_(kPiece, '\0') {
    if (!state_) throw std::bad_alloc();
    ::ZSTD_CCtx_setParameter(state_.get(), ZSTD_c_checksumFlag, 1);
  }

 private:
  void compress(std::string_view piece, bool last, Sink& to) override {
    ZSTD_inBuffer from{piece.data(), piece.size(), 0};
    std::size_t left = 1;
    while (last ? left != 0 : from.pos < from.size) {
      ZSTD_outBuffer out{out_.data(), out_.size(), 0};
      left = ::ZSTD_compressStream2(state_.get(), &out, &from, last ? ZSTD_e_end : ZSTD_e_continue);
      if (::ZSTD_isError(left) != 0) throw std::bad_alloc();
      to.write(std::string_view(out_).substr(0, out.pos));
    }
  }

  std::unique_ptr<ZSTD_CCtx, std::size_t (*)(ZSTD_CCtx*)> state_;
  std::string out_;
};

// A mark of text alone, so that what comes behind it counts too: a block, or the end of none.
bool is_bzip2(std::string_view head) {
  constexpr std::string_view kMark = "BZh", kBlock = "1AY&SY", kEnd = "\x17rE8P\x90"sv;
  const std::string_view behind = head.substr(0, 10).substr(std::min<std::size_t>(head.size(), 4));
  return head.starts_with(kMark) && head.size() >= 10 && head[3] >= '1' && head[3] <= '9' &&
         (behind == kBlock || behind == kEnd);
}

}  // namespace

std::string_view compression_of(std::string_view head) {
  if (head.starts_with(kGzipMark)) return "gzip";
  if (head.starts_with(kZstdMark)) return "zstd";
  if (head.starts_with(kXzMark)) return "xz";
  if (is_bzip2(head)) return "bzip2";
  const bool skippable =
      head.size() >= 4 && (head[0] & 0xF0) == 0x50 && head.substr(1).starts_with(kSkippableMark);
  return skippable ? "zstd" : "";
}

std::string_view compression_of_extension(std::string_view extension) {
  if (extension == ".xz") return "xz";
  if (extension == ".bz2") return "bzip2";
  return extension == ".gz" ? "gzip" : extension == ".zst" ? "zstd" : "";
}

std::unique_ptr<ByteStream> decompressed(std::unique_ptr<ByteStream> from, std::string begin,
                                         std::string_view compression, const std::string& name,
                                         const Context& context) {
  if (compression == "gzip")
    return std::make_unique<Gunzip>(std::move(from), std::move(begin), name);
  if (compression == "xz") return unxz(std::move(from), std::move(begin), name, context);
  if (compression == "bzip2") return unbzip2(std::move(from), std::move(begin), name);
  return std::make_unique<Unzstd>(std::move(from), std::move(begin), name, context);
}

void Compressor::write(std::string_view part) {
  while (!part.empty()) {
    const std::size_t taken = std::min(part.size(), kPiece - waiting_.size());
    waiting_ += part.substr(0, taken);
    part.remove_prefix(taken);
    if (waiting_.size() == kPiece) pass_on(false);
  }
}

void Compressor::pass_on(bool last) {
  compress(waiting_, last, to_);
  waiting_.clear();
}

std::unique_ptr<Compressor> compressor(Sink& to, std::string_view compression) {
  if (compression == "gzip") return std::make_unique<Gzip>(to);
  return std::make_unique<Zstd>(to);
}

std::string compressed(std::string_view content, std::string_view compression) {
  TextSink packed;
  const std::unique_ptr<Compressor> sink = compressor(packed, compression);
  sink->write(content);
  sink->finish();
  return std::move(packed.text);
}

}  // namespace mercer::detail
