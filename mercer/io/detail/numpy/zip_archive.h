// The part of the ZIP format that NumPy's archives use: a directory at the end, entries stored or
// deflated, sizes of 64 bits where 32 do not suffice. The directory and the header before each
// entry must agree, entries may not share bytes, and nothing is unpacked before its size is known
// to be possible. Names are never used as paths; those that look like an attack are refused.
#pragma once

#include "mercer/core/budget.h"
#include "mercer/io/sink.h"

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace mercer::detail {

struct ZipEntry {
  std::string name;
  bool deflated = false;
  std::uint32_t checksum = 0;  // CRC-32 of the content
  std::uint64_t size = 0;      // of the content
  std::string_view packed;     // as in the archive
};

/// How many entries the directory has, few ones counted as none. Throws M427.
std::uint64_t zip_entry_count(std::string_view archive, const std::string& file);

/// The directory in its own order. Throws M427 for anything that numpy.savez does not write, M408
/// for entries that grow beyond measure.
std::vector<ZipEntry> zip_entries(std::string_view archive, const std::string& file);

/// The content of an entry: a view of the archive, or of `store`, which is filled then. Throws M427
/// when size or checksum do not agree, M001 and M303. The caller has counted the size.
std::string_view zip_content(const ZipEntry& entry, std::string& store, const std::string& file,
                             const Context& context = {});

/// The first `count` bytes of the content at most, with no checksum compared.
std::string zip_head(const ZipEntry& entry, std::size_t count, const std::string& file);

/// Writes an archive of stored entries, dated 1980-01-01, in pieces. Sizes and offsets of `wide` or
/// more are written with 64 bits.
class ZipWriter {
 public:
  explicit ZipWriter(Sink& sink, std::uint64_t wide = 0xFFFFFFFF) : sink_(sink), wide_(wide) {}
  /// `content` writes the same bytes whenever it is called: first they are measured.
  void add(const std::string& name, const std::function<void(Sink&)>& content);
  void finish();

 private:
  Sink& sink_;
  std::uint64_t wide_;
  std::string directory_;
  std::uint64_t position_ = 0, count_ = 0;
};

/// The same of names and contents that are there already.
std::string make_zip(const std::vector<std::pair<std::string, std::string>>& entries,
                     std::uint64_t wide = 0xFFFFFFFF);

}  // namespace mercer::detail
