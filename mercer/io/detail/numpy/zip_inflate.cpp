// The content of ZIP entries: raw deflate streams and their checksums.
#include "mercer/core/error.h"
#include "mercer/core/text.h"
#include "mercer/io/detail/numpy/zip_archive.h"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <limits>

namespace mercer::detail {
namespace {

[[noreturn]] void damaged_entry(const ZipEntry& entry, std::string_view what,
                                const std::string& file) {
  throw Error(ErrorCode::bad_npz, fmt::format("entry \"{}\" {}", printable(entry.name), what),
              "copy the file again, or save the arrays again with numpy.savez", file);
}

// One raw deflate stream; zlib counts in 32 bits, so long inputs and outputs go in pieces.
class Inflater {
 public:
  explicit Inflater(std::string_view packed) : rest_(packed) {
    // Negative window bits: no zlib header, as in ZIP.
    if (inflateInit2(&stream_, -MAX_WBITS) != Z_OK)
      throw Error(ErrorCode::out_of_memory, "no memory for decompression", "close other programs");
  }
  ~Inflater() { inflateEnd(&stream_); }
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;

  /// Fills `out` as far as the stream goes; the number of bytes, or nothing when it is damaged.
  bool fill(char* out, std::size_t count, std::size_t& filled) {
    filled = 0;
    while (filled < count && !ended_) {
      feed();
      const uInt piece = narrow(count - filled);
      stream_.next_out = reinterpret_cast<Bytef*>(out + filled);
      stream_.avail_out = piece;
      const int status = inflate(&stream_, Z_NO_FLUSH);
      filled += piece - stream_.avail_out;
      ended_ = status == Z_STREAM_END;
      if (!ended_ && status != Z_OK) return false;
    }
    return true;
  }
  /// Whether the stream is over and used all of its bytes.
  bool used_up() {
    char more = 0;
    std::size_t filled = 0;
    return fill(&more, 1, filled) && filled == 0 && ended_ && stream_.avail_in == 0 &&
           rest_.empty();
  }

 private:
  static uInt narrow(std::size_t count) {
    return static_cast<uInt>(std::min<std::size_t>(count, std::numeric_limits<uInt>::max()));
  }
  void feed() {
    if (stream_.avail_in > 0) return;
    const uInt piece = narrow(rest_.size());
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(rest_.data()));
    stream_.avail_in = piece;
    rest_.remove_prefix(piece);
  }

  std::string_view rest_;
  z_stream stream_ = {};
  bool ended_ = false;
};

}  // namespace

std::string_view zip_content(const ZipEntry& entry, std::string& store, const std::string& file,
                             const Context& context) {
  constexpr std::size_t kPiece = std::size_t{16} << 20;  // between two checks
  std::string_view content = entry.packed;
  if (entry.deflated) {
    store.assign(entry.size, '\0');
    Inflater inflater(entry.packed);
    std::size_t filled = 0, now = 0;
    do {
      context.check_cancelled();
      const std::size_t piece = std::min(kPiece, store.size() - filled);
      if (!inflater.fill(store.data() + filled, piece, now))
        damaged_entry(entry, "cannot be decompressed: it is damaged or cut off", file);
      filled += now;
    } while (now == kPiece);
    if (filled < store.size() || !inflater.used_up())
      damaged_entry(entry, fmt::format("does not decompress to the {} bytes it claims", entry.size),
                    file);
    content = store;
  }
  if (crc32_z(0, reinterpret_cast<const Bytef*>(content.data()), content.size()) != entry.checksum)
    damaged_entry(entry, "is damaged: its checksum does not agree", file);
  return content;
}

std::string zip_head(const ZipEntry& entry, std::size_t count, const std::string& file) {
  if (!entry.deflated) return std::string(entry.packed.substr(0, count));
  std::string head(static_cast<std::size_t>(std::min<std::uint64_t>(count, entry.size)), '\0');
  Inflater inflater(entry.packed);
  std::size_t filled = 0;
  if (!inflater.fill(head.data(), head.size(), filled))
    damaged_entry(entry, "cannot be decompressed: it is damaged or cut off", file);
  head.resize(filled);
  return head;
}

}  // namespace mercer::detail
