#include "mercer/io/detail/file_kind.h"

#include <algorithm>
#include <array>
#include <cstddef>

namespace mercer::detail {
namespace {

using namespace std::string_view_literals;

struct Mark {
  std::size_t offset;
  std::string_view bytes;
  std::string_view kind;
};

// Longer marks come before shorter ones that they contain.
constexpr std::array kMarks = {
    Mark{0, "\x89PNG\r\n\x1A\n"sv, "a PNG image"},
    Mark{0, "\xFF\xD8\xFF"sv, "a JPEG image"},
    Mark{0, "GIF87a"sv, "a GIF image"},
    Mark{0, "GIF89a"sv, "a GIF image"},
    Mark{0, "II*\0"sv, "a TIFF image"},
    Mark{0, "MM\0*"sv, "a TIFF image"},
    Mark{8, "WEBP"sv, "a WebP image"},
    Mark{8, "WAVE"sv, "a WAV sound"},
    Mark{4, "ftyp"sv, "an MP4 video"},
    Mark{0, "%PDF-"sv, "a PDF document"},
    Mark{0,
         "\x7F"
         "ELF"sv,
         "an ELF program"},
    Mark{0, "MZ\x90\0"sv, "a Windows program"},
    Mark{0, "\x1F\x8B"sv, "a gzip file"},
    Mark{0, "PK\x03\x04"sv, "a zip archive (perhaps NPZ, XLSX or ODS)"},
    Mark{0, "PK\x05\x06"sv, "an empty zip archive"},
    Mark{0, "\x28\xB5\x2F\xFD"sv, "a zstd file"},
    Mark{0,
         "\xFD"
         "7zXZ\0"sv,
         "an xz file"},
    Mark{0, "BZh"sv, "a bzip2 file"},
    Mark{0, "7z\xBC\xAF\x27\x1C"sv, "a 7z archive"},
    Mark{257, "ustar"sv, "a tar archive"},
    Mark{0, "\x89HDF\r\n\x1A\n"sv, "an HDF5 file"},
    Mark{0, "PAR1"sv, "a Parquet file"},
    Mark{0, "ARROW1"sv, "an Arrow file"},
    Mark{0, "SQLite format 3\0"sv, "an SQLite database"},
    Mark{0, "\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1"sv, "an old Office document (XLS)"},
    Mark{0, "MATLAB 5.0 MAT-file"sv, "a MATLAB file"},
    Mark{0, "RDX2\n"sv, "an R data file"},
    Mark{0, "RDX3\n"sv, "an R data file"},
    Mark{0, "\x93NUMPY"sv, "a NumPy array (NPY)"},
    Mark{8, "{\"__metadata__\""sv, "a Mercer model or safetensors file"},
    Mark{0, "\x80\x04\x95"sv, "a Python pickle"},
};

// ASCII text in UTF-16 has a zero in every second place, and only there.
bool zeros_in_every_second_place(std::string_view head, std::size_t first) {
  const std::size_t length = std::min<std::size_t>(head.size(), 256);
  if (length < 4) return false;
  std::size_t zeros = 0;
  for (std::size_t i = 0; i < length; ++i) {
    if (head[i] != 0) continue;
    if (i % 2 != first) return false;
    ++zeros;
  }
  return zeros * 4 >= length;
}

}  // namespace

std::string_view file_kind(std::string_view head) {
  for (const Mark& mark : kMarks)
    if (head.size() > mark.offset && head.substr(mark.offset).starts_with(mark.bytes))
      return mark.kind;
  return {};
}

std::string_view wide_encoding(std::string_view head) {
  if (head.starts_with("\xFF\xFE\0\0"sv)) return "UTF-32LE";
  if (head.starts_with("\0\0\xFE\xFF"sv)) return "UTF-32BE";
  if (head.starts_with("\xFF\xFE"sv)) return "UTF-16LE";
  if (head.starts_with("\xFE\xFF"sv)) return "UTF-16BE";
  if (zeros_in_every_second_place(head, 1)) return "UTF-16LE";
  if (zeros_in_every_second_place(head, 0)) return "UTF-16BE";
  return {};
}

bool looks_like_text(std::string_view head) {
  if (!file_kind(head).empty() || !wide_encoding(head).empty()) return false;
  std::size_t controls = 0;
  for (const char c : head) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte == 0) return false;
    if (byte == 0x7F || (byte < 0x20 && (byte < '\t' || byte > '\r'))) ++controls;
  }
  // A stray control character does not make a table binary; random bytes have one in nine.
  return controls * 20 <= head.size();
}

}  // namespace mercer::detail
