#include "mercer/io/detail/decompressor.h"

#include <lzma.h>

#include <new>

namespace mercer::detail {
namespace {

class Unxz final : public Decompressor {
 public:
  Unxz(std::unique_ptr<ByteStream> from, std::string begin, std::string name,
       const Context& context)
      : Decompressor(std::move(from), std::move(begin), std::move(name)),
        hold_(context.hold(0, "xz's dictionary")) {
    // Every decoder should manage the 8 MiB of xz -6; 128 MiB is twice that of xz -9.
    constexpr std::uint64_t kUsual = std::uint64_t{16} << 20, kMost = std::uint64_t{128} << 20;
    const std::uint64_t limit = std::clamp(context.memory_left() / 2, kUsual, kMost);
    if (::lzma_stream_decoder(&state_, limit, LZMA_CONCATENATED) != LZMA_OK) throw std::bad_alloc();
  }
  ~Unxz() override { ::lzma_end(&state_); }

 private:
  std::size_t decode(char* out, std::size_t room) override {
    state_.next_out = reinterpret_cast<std::uint8_t*>(out);
    state_.avail_out = room;
    while (state_.avail_out == room && !at_end_) {
      const std::string_view in = input();
      state_.next_in = reinterpret_cast<const std::uint8_t*>(in.data());
      state_.avail_in = in.size();
      const lzma_ret status = ::lzma_code(&state_, in.empty() ? LZMA_FINISH : LZMA_RUN);
      use(in.size() - state_.avail_in);
      count_dictionary();
      at_end_ = status == LZMA_STREAM_END;
      if (status == LZMA_MEMLIMIT_ERROR)
        throw Error(ErrorCode::over_memory,
                    "the xz data need more memory to be decompressed than there is for that",
                    "allow more with --memory, or compress the file with xz -6");
      if (status == LZMA_MEM_ERROR) throw std::bad_alloc();
      if (status == LZMA_BUF_ERROR) throw_damaged("the xz data end early");
      if (status != LZMA_OK && status != LZMA_STREAM_END)
        throw_damaged(fmt::format("the xz data are damaged (status {})", static_cast<int>(status)));
    }
    return room - state_.avail_out;
  }

  // That of small files is not counted: every budget allows for it.
  void count_dictionary() {
    constexpr std::uint64_t kSmall = std::uint64_t{10} << 20;
    const std::uint64_t size = ::lzma_memusage(&state_);
    if (size > kSmall && size != hold_.bytes()) hold_.resize(size);
  }

  lzma_stream state_ = LZMA_STREAM_INIT;
  MemoryAccount::Hold hold_;
  bool at_end_ = false;
};

}  // namespace

std::unique_ptr<ByteStream> unxz(std::unique_ptr<ByteStream> from, std::string begin,
                                 std::string name, const Context& context) {
  return std::make_unique<Unxz>(std::move(from), std::move(begin), std::move(name), context);
}

}  // namespace mercer::detail
