#include "mercer/io/detail/numpy/zip_fields.h"

#include <algorithm>

namespace mercer::detail {
namespace {

// Versions of the format that a reader must know: 2.0, and 4.5 for sizes of 64 bits.
constexpr std::uint64_t kVersion = 20, kWideVersion = 45;
constexpr std::uint64_t kUtf8Names = 0x0800;  // bit 11 of the flags
constexpr std::uint64_t kDate = 0x0021;       // 1980-01-01, the first one there is

void append(std::string& out, std::uint64_t value, std::size_t width) {
  for (std::size_t i = 0; i < width; ++i) out += static_cast<char>(value >> (8 * i) & 0xFF);
}

}  // namespace

std::uint64_t number_at(std::string_view bytes, std::uint64_t at, std::size_t width) {
  std::uint64_t value = 0;
  for (std::size_t i = width; i-- > 0;)
    value = value << 8 | static_cast<unsigned char>(bytes[at + i]);
  return value;
}

std::optional<std::string_view> extra_field(std::string_view extra, std::uint64_t id) {
  while (extra.size() >= 4) {
    const std::size_t size = number_at(extra, 2, 2);
    if (size > extra.size() - 4) return std::nullopt;
    if (number_at(extra, 0, 2) == id) return extra.substr(4, size);
    extra.remove_prefix(4 + size);
  }
  return std::nullopt;
}

std::string entry_header(const std::string& name, const ZipContent& content, std::uint64_t offset,
                         std::uint64_t wide, std::string& directory) {
  const std::uint64_t size = content.size, checksum = content.checksum;
  const bool wide_size = size >= wide, wide_offset = offset >= wide;
  const std::uint64_t narrow = wide_size ? kOnes32 : size;
  const std::uint64_t version = wide_size || wide_offset ? kWideVersion : kVersion;
  const auto common = [&](std::string& out, std::uint64_t extra) {
    for (const std::uint64_t field : {version, kUtf8Names, kStored, std::uint64_t{0}, kDate})
      append(out, field, 2);
    for (const std::uint64_t field : {checksum, narrow, narrow}) append(out, field, 4);
    append(out, name.size(), 2);
    append(out, extra, 2);
  };

  std::string header;
  append(header, kHeaderMark, 4);
  common(header, wide_size ? 20 : 0);
  header += name;
  if (wide_size)
    for (const auto& [value, width] : {std::pair{kWideExtra, 2}, {16, 2}, {size, 8}, {size, 8}})
      append(header, value, static_cast<std::size_t>(width));

  const std::uint64_t extra = (wide_size ? 16 : 0) + (wide_offset ? 8 : 0);
  append(directory, kRecordMark, 4);
  append(directory, kWideVersion, 2);
  common(directory, extra == 0 ? 0 : extra + 4);
  append(directory, 0, 6);  // no comment, part 0, no attributes
  append(directory, 0, 4);
  append(directory, wide_offset ? kOnes32 : offset, 4);
  directory += name;
  if (extra != 0) append(directory, kWideExtra | extra << 16, 4);
  if (wide_size) append(directory, size, 8), append(directory, size, 8);
  if (wide_offset) append(directory, offset, 8);
  return header;
}

std::string archive_end(std::uint64_t count, std::uint64_t wide, std::uint64_t begin,
                        const std::string& directory) {
  std::string archive = directory;
  const std::uint64_t end = begin + directory.size();
  const bool is_wide = begin >= wide || directory.size() >= wide || count >= kOnes16;
  if (is_wide) {
    append(archive, kWideEndMark, 4);
    append(archive, kWideEndSize - 12, 8);
    append(archive, kWideVersion | kWideVersion << 16, 4);
    append(archive, 0, 8);
    for (const std::uint64_t field : {count, count, std::uint64_t{directory.size()}, begin})
      append(archive, field, 8);
    append(archive, kLocatorMark, 4);
    append(archive, 0, 4);
    append(archive, end, 8);
    append(archive, 1, 4);
  }
  append(archive, kEndMark, 4);
  append(archive, 0, 4);
  for (int i = 0; i < 2; ++i) append(archive, is_wide ? kOnes16 : count, 2);
  append(archive, is_wide ? kOnes32 : directory.size(), 4);
  append(archive, is_wide ? kOnes32 : begin, 4);
  append(archive, 0, 2);
  return archive;
}

}  // namespace mercer::detail
