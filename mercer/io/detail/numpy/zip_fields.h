// The records of a ZIP file: marks, sizes, little-endian fields, and how they are written. Layouts
// after the public description of the format (PKWARE APPNOTE 6.3, sections 4.3 and 4.5).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace mercer::detail {

// Numbers of PKWARE's APPNOTE: how each structure begins, and its bytes without names and extras.
constexpr std::uint64_t kHeaderMark = 0x04034B50, kRecordMark = 0x02014B50, kEndMark = 0x06054B50,
                        kWideEndMark = 0x06064B50, kLocatorMark = 0x07064B50;
constexpr std::size_t kHeaderSize = 30, kRecordSize = 46, kEndSize = 22, kWideEndSize = 56,
                      kLocatorSize = 20, kLongestComment = 65535;
// A field of nothing but ones: the value stands in the wide structure.
constexpr std::uint64_t kOnes16 = 0xFFFF, kOnes32 = 0xFFFFFFFF;
constexpr std::uint64_t kStored = 0, kDeflated = 8;  // methods of compression
constexpr std::uint64_t kEncrypted = 0x2041;  // plain, strong and hidden encryption: bits 0, 6, 13
constexpr std::uint64_t kSizesFollow = 0x0008;
constexpr std::uint64_t kWideExtra = 0x0001;
constexpr std::uint64_t kMostGrowth = 1000;

/// A little-endian number of 2, 4 or 8 bytes that lie within the text.
std::uint64_t number_at(std::string_view bytes, std::uint64_t at, std::size_t width);

/// The extra field of this identifier, if there is one.
std::optional<std::string_view> extra_field(std::string_view extra, std::uint64_t id);

/// What the header of an entry says of its content.
struct ZipContent {
  std::uint64_t size = 0;
  std::uint32_t checksum = 0;  // CRC-32
};

/// What stands before the content of a stored entry at this place; its record is added to the
/// directory.
std::string entry_header(const std::string& name, const ZipContent& content, std::uint64_t offset,
                         std::uint64_t wide, std::string& directory);

/// The directory, which begins at this place, and the end of the archive.
std::string archive_end(std::uint64_t count, std::uint64_t wide, std::uint64_t begin,
                        const std::string& directory);

}  // namespace mercer::detail
