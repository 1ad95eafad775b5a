// What all decoders share, and those that are not in compression.cpp.
#pragma once

#include "mercer/core/budget.h"
#include "mercer/core/error.h"
#include "mercer/core/text.h"
#include "mercer/io/detail/byte_stream.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

namespace mercer::detail {

constexpr std::size_t kPiece = std::size_t{1} << 16;  // bytes between file and library at a time

/// Compressed bytes in pieces, and the count of bytes in and out.
class Decompressor : public ByteStream {
 public:
  Decompressor(std::unique_ptr<ByteStream> from, std::string begin, std::string name)
      : from_(std::move(from)),
        input_(std::move(begin)),
        name_(std::move(name)),
        taken_(input_.size()) {}

  std::size_t read(char* out, std::size_t count) final {
    std::size_t done = 0;
    while (done < count) {
      const std::size_t room = std::min(count - done, kPiece);
      const std::size_t got = decode(out + done, room);
      if (got == 0) break;
      done += got;
      produced_ += got;
      check_ratio();
    }
    return done;
  }

  double share() const final { return from_->share(); }

 protected:
  /// Some bytes, at most `room`; 0 at the end.
  virtual std::size_t decode(char* out, std::size_t room) = 0;

  /// Compressed bytes that are not used yet; empty at the end of the file.
  std::string_view input() {
    if (used_ == input_.size()) {
      input_.resize(kPiece);
      input_.resize(from_->read(input_.data(), input_.size()));
      taken_ += input_.size();
      used_ = 0;
    }
    return std::string_view(input_).substr(used_);
  }
  void use(std::size_t count) { used_ += count; }

  [[noreturn]] void throw_damaged(const std::string& what) const {
    throw Error(ErrorCode::compressed_data_damaged, what,
                "copy the file again; gzip -t, zstd -t, xz -t or bzip2 -t tests it", name_);
  }

 private:
  // Against all that was taken from the file, used or not: a table may begin with a megabyte of
  // zeros.
  void check_ratio() const {
    // Numbers as text shrink to a tenth or so; a thousandth is near the limit of gzip, 1 : 1032.
    constexpr std::uint64_t kAlwaysAllowed = std::uint64_t{1} << 20;
    constexpr std::uint64_t kMostRatio = 1000;
    if (produced_ <= kAlwaysAllowed || produced_ / kMostRatio <= taken_) return;
    throw Error(ErrorCode::decompression_bomb,
                fmt::format("{} of compressed data became {}, more than {} times as much",
                            bytes(taken_), bytes(produced_), kMostRatio),
                "decompress the file yourself if you trust it", name_);
  }

  std::unique_ptr<ByteStream> from_;
  std::string input_;
  std::string name_;
  std::size_t used_ = 0;
  std::uint64_t taken_ = 0, produced_ = 0;
};

/// xz, any number of streams one after the other.
std::unique_ptr<ByteStream> unxz(std::unique_ptr<ByteStream> from, std::string begin,
                                 std::string name, const Context& context);
/// bzip2, likewise.
std::unique_ptr<ByteStream> unbzip2(std::unique_ptr<ByteStream> from, std::string begin,
                                    std::string name);

}  // namespace mercer::detail
