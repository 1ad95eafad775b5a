#include "mercer/io/detail/idx_header.h"

#include "mercer/core/error.h"
#include "mercer/core/text.h"
#include "mercer/io/detail/file_kind.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

namespace mercer::detail {
namespace {

constexpr std::size_t kMark = 4, kExtent = 4;  // bytes: two zeros, type, number of extents; each
constexpr std::size_t kMostIdxExtents = 8;     // known files have one to four

std::optional<NpyType> type_of(unsigned char code) {
  switch (code) {
    case 0x08:
      return NpyType{"unsigned byte", 'u', 1, true};
    case 0x09:
      return NpyType{"signed byte", 'i', 1, true};
    case 0x0B:
      return NpyType{"16-bit integer", 'i', 2, true};
    case 0x0C:
      return NpyType{"32-bit integer", 'i', 4, true};
    case 0x0D:
      return NpyType{"32-bit float", 'f', 4, true};
    case 0x0E:
      return NpyType{"64-bit float", 'f', 8, true};
    default:
      return std::nullopt;
  }
}

unsigned char byte_at(std::string_view content, std::size_t at) {
  return static_cast<unsigned char>(content[at]);
}

Index extent_at(std::string_view content, std::size_t at) {
  Index extent = 0;
  for (std::size_t i = 0; i < kExtent; ++i) extent = extent << 8 | byte_at(content, at + i);
  return extent;
}

bool has_mark(std::string_view head) {
  return head.size() >= kMark && head[0] == 0 && head[1] == 0 && type_of(byte_at(head, 2)) &&
         byte_at(head, 3) >= 1 && byte_at(head, 3) <= kMostIdxExtents;
}

[[noreturn]] void refuse(std::string message, std::string hint, const std::string& file) {
  throw Error(ErrorCode::bad_idx, std::move(message), std::move(hint), file);
}

[[noreturn]] void refuse_mark(std::string_view content, const std::string& file) {
  const std::string_view kind = file_kind(content.substr(0, 512));
  if (!kind.empty())
    refuse(fmt::format("this looks like {}, not like an IDX file", kind), "is it the right file?",
           file);
  if (content.size() < kMark)
    refuse("the file is too short for an IDX file", "copy it again", file);
  refuse(fmt::format("the file begins with the bytes {:02x} {:02x} {:02x} {:02x}; IDX begins with "
                     "00 00, a type (08, 09, 0b to 0e) and the number of dimensions",
                     byte_at(content, 0), byte_at(content, 1), byte_at(content, 2),
                     byte_at(content, 3)),
         "is it the right file?", file);
}

}  // namespace

bool has_idx_magic(std::string_view head) {
  if (!has_mark(head)) return false;
  const std::size_t count = byte_at(head, 3);
  if (head.size() < kMark + kExtent * count) return false;
  __extension__ using Wide = __int128;
  Wide total = 1;
  for (std::size_t i = 0; i < count; ++i) {
    total *= extent_at(head, kMark + kExtent * i);
    if (total == 0 || total > (Wide{1} << 50)) return false;
  }
  return true;
}

IdxHeader parse_idx_header(std::string_view content, std::uint64_t size, const std::string& file) {
  if (!has_mark(content)) refuse_mark(content, file);
  const NpyType type = *type_of(byte_at(content, 2));
  const std::size_t count = byte_at(content, 3);
  const std::size_t start = kMark + kExtent * count;
  if (content.size() < start) refuse("the IDX header is cut off", "copy the file again", file);
  IdxHeader matrix{.type = type, .shape = {}, .start = start};
  __extension__ using Wide = __int128;
  Wide need = type.size;
  for (std::size_t i = 0; i < count; ++i) {
    matrix.shape.push_back(extent_at(content, kMark + kExtent * i));
    need *= matrix.shape.back();
    // 2^32 times this still fits.
    need = std::min(need, Wide{1} << 80);
  }
  const std::string shape = fmt::format("{}", fmt::join(matrix.shape, " x "));
  if (need > (Wide{1} << 58))
    refuse(fmt::format("the extents {} are impossibly large", shape),
           "the header is damaged: copy the file again", file);
  if (static_cast<Wide>(size - start) != need)
    refuse(fmt::format("{} elements ({}) need {} bytes of data, the file has {}", shape, type.text,
                       static_cast<Index>(need), size - start),
           "the file is damaged: copy it again", file);
  return matrix;
}

NpyMatrix parse_idx(std::string_view content, const std::string& file) {
  IdxHeader header = parse_idx_header(content, content.size(), file);
  NpyMatrix matrix{.type = std::move(header.type)};
  matrix.data = content.substr(header.start);
  matrix.n = header.shape[0];
  matrix.shape = std::move(header.shape);
  return matrix;
}

}  // namespace mercer::detail
