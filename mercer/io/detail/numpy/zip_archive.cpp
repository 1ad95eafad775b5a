#include "mercer/io/detail/numpy/zip_archive.h"

#include "mercer/core/error.h"
#include "mercer/core/text.h"
#include "mercer/io/detail/numpy/zip_fields.h"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <optional>
#include <unordered_set>

namespace mercer::detail {
namespace {

// What one record of the directory says.
struct Record {
  std::string_view name, extra;
  std::uint64_t flags = 0, method = 0, checksum = 0;
  std::uint64_t packed = 0, size = 0, header = 0;  // header: offset of the entry's own header
};

struct Directory {
  std::uint64_t begin = 0, size = 0, count = 0;
};

[[noreturn]] void refuse(std::string message, const std::string& file) {
  throw Error(ErrorCode::bad_npz, std::move(message),
              "copy the file again, or save the arrays again with numpy.savez", file);
}

std::string quoted(std::string_view name) { return fmt::format("\"{}\"", printable(name)); }

// The end record stands behind everything but a comment whose length it knows.
std::size_t end_record_at(std::string_view archive, const std::string& file) {
  if (archive.size() < kEndSize) refuse("the archive is cut off: it has no directory", file);
  const std::size_t last = archive.size() - kEndSize;
  const std::size_t first = last > kLongestComment ? last - kLongestComment : 0;
  for (std::size_t at = last + 1; at-- > first;)
    if (number_at(archive, at, 4) == kEndMark &&
        at + kEndSize + number_at(archive, at + 20, 2) == archive.size())
      return at;
  refuse("the archive is cut off or damaged: it has no directory", file);
}

// A field of 32 or 16 bits is either the wide one or says that one must look there.
bool agrees(std::uint64_t narrow, std::uint64_t wide, std::uint64_t all_ones) {
  return narrow == all_ones || narrow == wide;
}

Directory directory_of(std::string_view archive, const std::string& file) {
  const std::size_t end = end_record_at(archive, file);
  const auto field = [&](std::size_t offset, std::size_t width) {
    return number_at(archive, end + offset, width);
  };
  if (agrees(field(4, 2), 0, kOnes16) == false || agrees(field(6, 2), 0, kOnes16) == false)
    refuse("the archive is one of several parts", file);
  Directory found{field(16, 4), field(12, 4), field(10, 2)};
  std::size_t limit = end;
  const bool wide =
      end >= kLocatorSize && number_at(archive, end - kLocatorSize, 4) == kLocatorMark;
  if (wide) {
    const std::uint64_t at = number_at(archive, end - kLocatorSize + 8, 8);
    if (at > end - kLocatorSize || end - kLocatorSize - at < kWideEndSize ||
        number_at(archive, at, 4) != kWideEndMark)
      refuse("the archive's record of 64-bit sizes is not where it should be", file);
    const Directory claimed{number_at(archive, at + 48, 8), number_at(archive, at + 40, 8),
                            number_at(archive, at + 32, 8)};
    if (!agrees(found.begin, claimed.begin, kOnes32) ||
        !agrees(found.size, claimed.size, kOnes32) || !agrees(found.count, claimed.count, kOnes16))
      refuse("the archive's 32-bit and 64-bit sizes contradict each other", file);
    found = claimed;
    limit = at;
  }
  if (found.size > limit || found.begin != limit - found.size)
    refuse(fmt::format("the archive's directory should take {} bytes from byte {}, but ends at {}",
                       found.size, found.begin, limit),
           file);
  if (found.count > found.size / kRecordSize)
    refuse(fmt::format("the archive claims {} entries in a directory of {} bytes", found.count,
                       found.size),
           file);
  return found;
}

// The extra field of 64-bit sizes holds only those whose narrow field is all ones, in this order.
void widen(std::string_view extra, std::initializer_list<std::uint64_t*> fields,
           std::string_view name, const std::string& file) {
  const std::optional<std::string_view> found = extra_field(extra, kWideExtra);
  std::string_view wide = found.value_or(std::string_view{});
  for (std::uint64_t* field : fields) {
    if (*field != kOnes32) continue;
    if (wide.size() < 8)
      refuse(fmt::format("entry {} lacks the 64-bit sizes it refers to", quoted(name)), file);
    *field = number_at(wide, 0, 8);
    wide.remove_prefix(8);
  }
}

// Takes the next record from the directory.
Record next_record(std::string_view& directory, const std::string& file) {
  if (directory.size() < kRecordSize || number_at(directory, 0, 4) != kRecordMark)
    refuse("the archive's directory is damaged", file);
  const auto field = [&](std::size_t at, std::size_t width) {
    return number_at(directory, at, width);
  };
  const std::size_t name = field(28, 2), extra = field(30, 2), comment = field(32, 2);
  if (directory.size() - kRecordSize < name + extra + comment)
    refuse("the archive's directory is cut off", file);
  Record record{directory.substr(kRecordSize, name),
                directory.substr(kRecordSize + name, extra),
                field(8, 2),
                field(10, 2),
                field(16, 4),
                field(20, 4),
                field(24, 4),
                field(42, 4)};
  widen(record.extra, {&record.size, &record.packed, &record.header}, record.name, file);
  directory.remove_prefix(kRecordSize + name + extra + comment);
  return record;
}

void check_name(std::string_view name, const std::string& file) {
  const auto bad = [&](std::string_view why) {
    refuse(fmt::format("the entry name {} {}", quoted(name), why), file);
  };
  if (name.empty()) bad("is empty");
  if (name.front() == '/' || (name.size() > 1 && name[1] == ':')) bad("is an absolute path");
  if (name.find('\\') != name.npos || name.find('\0') != name.npos) bad("is not a plain name");
  for (const std::string& part : split(name, '/'))
    if (part == "..") bad("leads out of its folder");
}

void check_kind(const Record& record, const std::string& file) {
  const std::string name = quoted(record.name);
  if ((record.flags & kEncrypted) != 0) refuse(fmt::format("entry {} is encrypted", name), file);
  if (record.method != kStored && record.method != kDeflated)
    refuse(fmt::format("entry {} is compressed by method {}, only 0 and 8 are known", name,
                       record.method),
           file);
  if (record.method == kStored && record.size != record.packed)
    refuse(fmt::format("entry {} is stored, yet its {} bytes claim to hold {}", name, record.packed,
                       record.size),
           file);
  // Small entries may compress as well as they like: they do no harm.
  constexpr std::uint64_t kHarmless = 16 << 20;
  if (record.size > kHarmless && record.size / kMostGrowth > record.packed)
    throw Error(ErrorCode::decompression_bomb,
                fmt::format("entry {} has {} and would grow to {}", name, bytes(record.packed),
                            bytes(record.size)),
                "decompress it yourself if you trust it", file);
}

// The header before the entry's data must say the same as the directory; returns where the data
// begin. A writer that could not seek has set a flag and left the sizes to what follows the data.
std::uint64_t data_begin(std::string_view archive, const Record& record, std::uint64_t limit,
                         const std::string& file) {
  const std::string name = quoted(record.name);
  if (record.header > limit || limit - record.header < kHeaderSize ||
      number_at(archive, record.header, 4) != kHeaderMark)
    refuse(fmt::format("entry {} is not where the directory says", name), file);
  const std::string_view header = archive.substr(record.header);
  const std::size_t name_size = number_at(header, 26, 2), extra_size = number_at(header, 28, 2);
  if (limit - record.header - kHeaderSize < name_size + extra_size)
    refuse(fmt::format("entry {} is cut off", name), file);
  if (header.substr(kHeaderSize, name_size) != record.name)
    refuse(fmt::format("entry {} is called {} in its own header", name,
                       quoted(header.substr(kHeaderSize, name_size))),
           file);
  std::uint64_t size = number_at(header, 22, 4), packed = number_at(header, 18, 4);
  const std::uint64_t flags = number_at(header, 6, 2);
  const bool sizes_follow = (flags & kSizesFollow) != 0;
  if (!sizes_follow)
    widen(header.substr(kHeaderSize + name_size, extra_size), {&size, &packed}, record.name, file);
  if ((flags & kEncrypted) != 0 || number_at(header, 8, 2) != record.method ||
      (!sizes_follow && (size != record.size || packed != record.packed ||
                         number_at(header, 14, 4) != record.checksum)))
    refuse(fmt::format("entry {}: its own header contradicts the directory", name), file);
  return record.header + kHeaderSize + name_size + extra_size;
}

}  // namespace

std::uint64_t zip_entry_count(std::string_view archive, const std::string& file) {
  constexpr std::uint64_t kFew = 1000;  // entries that take too little to be counted
  const std::uint64_t count = directory_of(archive, file).count;
  return count > kFew ? count : 0;
}

std::vector<ZipEntry> zip_entries(std::string_view archive, const std::string& file) {
  const Directory directory = directory_of(archive, file);
  std::string_view rest = archive.substr(directory.begin, directory.size);
  std::vector<ZipEntry> entries;
  std::vector<std::pair<std::uint64_t, std::uint64_t>> taken;  // begin and end of each entry
  std::unordered_set<std::string> names;
  for (std::uint64_t i = 0; i < directory.count; ++i) {
    const Record record = next_record(rest, file);
    check_name(record.name, file);
    check_kind(record, file);
    if (!names.insert(std::string(record.name)).second)
      refuse(fmt::format("entry {} occurs twice", quoted(record.name)), file);
    const std::uint64_t begin = data_begin(archive, record, directory.begin, file);
    if (record.packed > directory.begin - begin)
      refuse(fmt::format("entry {} claims {} bytes, the archive has {} there", quoted(record.name),
                         record.packed, directory.begin - begin),
             file);
    taken.emplace_back(record.header, begin + record.packed);
    entries.push_back({std::string(record.name), record.method == kDeflated,
                       static_cast<std::uint32_t>(record.checksum), record.size,
                       archive.substr(begin, record.packed)});
  }
  if (!rest.empty())
    refuse(fmt::format("{} bytes of the archive's directory belong to no entry", rest.size()),
           file);
  std::sort(taken.begin(), taken.end());
  for (std::size_t i = 1; i < taken.size(); ++i)
    if (taken[i].first < taken[i - 1].second)
      refuse(fmt::format("entries overlap at byte {}", taken[i].first), file);
  return entries;
}

namespace {

// Counts and sums what goes through.
class Measure final : public Sink {
 public:
  void write(std::string_view part) override {
    content.size += part.size();
    content.checksum = static_cast<std::uint32_t>(
        ::crc32_z(content.checksum, reinterpret_cast<const Bytef*>(part.data()), part.size()));
  }
  ZipContent content;
};

}  // namespace

void ZipWriter::add(const std::string& name, const std::function<void(Sink&)>& content) {
  Measure measure;
  content(measure);
  const std::string header = entry_header(name, measure.content, position_, wide_, directory_);
  sink_.write(header);
  content(sink_);
  position_ += header.size() + measure.content.size;
  ++count_;
}

void ZipWriter::finish() { sink_.write(archive_end(count_, wide_, position_, directory_)); }

std::string make_zip(const std::vector<std::pair<std::string, std::string>>& entries,
                     std::uint64_t wide) {
  TextSink archive;
  ZipWriter writer(archive, wide);
  for (const auto& entry : entries)
    writer.add(entry.first, [&](Sink& out) { out.write(entry.second); });
  writer.finish();
  return std::move(archive.text);
}

}  // namespace mercer::detail
