// gzip, zstd, xz and bzip2, recognised by the first bytes and decompressed on the way; the first
// two are written, too, in pieces. What comes out is limited to 1000 times what went in, once it is
// more than 1 MiB: data do not compress like that, attacks do. Memory is that of the decoder's
// window, at most 128 MiB, which is counted on the context's account.
#pragma once

#include "mercer/core/budget.h"
#include "mercer/io/detail/byte_stream.h"
#include "mercer/io/sink.h"

#include <memory>
#include <string>
#include <string_view>

namespace mercer::detail {

/// "gzip", "zstd", "xz", "bzip2", or "" for anything else.
std::string_view compression_of(std::string_view head);

/// What an extension stands for, as in "x.csv.gz": "gzip" for .gz, "zstd" for .zst, "xz" for .xz,
/// "bzip2" for .bz2.
std::string_view compression_of_extension(std::string_view extension);

/// The content of a stream compressed so; `begin` is what was taken from it already. Several
/// members or frames one after the other are one content. Reading throws M407 and M408.
std::unique_ptr<ByteStream> decompressed(std::unique_ptr<ByteStream> from, std::string begin,
                                         std::string_view compression, const std::string& name,
                                         const Context& context);

/// Compresses what is written and hands it on. The same content always gives the same bytes, in
/// whatever pieces it came.
class Compressor : public Sink {
 public:
  void write(std::string_view part) final;
  /// Once, at the end.
  void finish() { pass_on(true); }

 protected:
  explicit Compressor(Sink& to) : to_(to) {}
  /// Compresses the piece into the sink; the last piece ends the content.
  virtual void compress(std::string_view piece, bool last, Sink& to) = 0;

 private:
  void pass_on(bool last);

  Sink& to_;
  std::string waiting_;  // pieces of one size are compressed, whatever comes
};

/// Whether files are written so.
inline bool can_compress(std::string_view compression) {
  return compression == "gzip" || compression == "zstd";
}

/// The sink must outlive the compressor.
std::unique_ptr<Compressor> compressor(Sink& to, std::string_view compression);

/// The same of a content that is there already.
std::string compressed(std::string_view content, std::string_view compression);

}  // namespace mercer::detail
