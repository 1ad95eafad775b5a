#include "mercer/io/detail/decompressor.h"

#include <bzlib.h>

#include <new>

namespace mercer::detail {
namespace {

// Its blocks are at most 900 kB, and its memory 4 MB, which every budget allows for.
class Unbzip2 final : public Decompressor {
 public:
  Unbzip2(std::unique_ptr<ByteStream> from, std::string begin, std::string name)
      : Decompressor(std::move(from), std::move(begin), std::move(name)) {}
  ~Unbzip2() override {
    if (open_) ::BZ2_bzDecompressEnd(&state_);
  }

 private:
  std::size_t decode(char* out, std::size_t room) override {
    while (true) {
      if (!open_ && !begin_stream()) return 0;
      const std::string_view in = input();
      if (in.empty()) throw_damaged("the bzip2 data end early");
      state_.next_in = const_cast<char*>(in.data());
      state_.avail_in = static_cast<unsigned>(in.size());
      state_.next_out = out;
      state_.avail_out = static_cast<unsigned>(room);
      const int status = ::BZ2_bzDecompress(&state_);
      const std::size_t got = room - state_.avail_out;
      use(in.size() - state_.avail_in);
      if (status == BZ_MEM_ERROR) throw std::bad_alloc();
      if (status != BZ_OK && status != BZ_STREAM_END)
        throw_damaged(fmt::format("the bzip2 data are damaged (status {})", status));
      if (status == BZ_STREAM_END) {
        ::BZ2_bzDecompressEnd(&state_);
        open_ = false;
      }
      if (got > 0) return got;
    }
  }

  // Streams may follow each other.
  bool begin_stream() {
    if (input().empty()) return false;
    state_ = {};
    if (::BZ2_bzDecompressInit(&state_, 0, 0) != BZ_OK) throw std::bad_alloc();
    open_ = true;
    return true;
  }

  bz_stream state_ = {};
  bool open_ = false;
};

}  // namespace

std::unique_ptr<ByteStream> unbzip2(std::unique_ptr<ByteStream> from, std::string begin,
                                    std::string name) {
  return std::make_unique<Unbzip2>(std::move(from), std::move(begin), std::move(name));
}

}  // namespace mercer::detail
