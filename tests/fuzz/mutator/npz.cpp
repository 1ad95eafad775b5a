// NPZ inputs: two bytes of options, then the archive. Its arrays are taken out, changed, and packed
// again, some of them deflated.
#include "mercer/core/error.h"
#include "mercer/io/detail/numpy/zip_archive.h"
#include "tests/fuzz/mutator/npy_array.h"

#include <zlib.h>

#include <array>
#include <utility>
#include <vector>

namespace mercer::fuzz {
namespace {

using Member = std::pair<std::string, std::string>;

std::vector<Member> unpack(std::string_view archive) {
  std::vector<Member> members;
  try {
    for (const detail::ZipEntry& entry : detail::zip_entries(archive, "input")) {
      std::string store;
      if (entry.size < 1 << 16)
        members.emplace_back(entry.name, detail::zip_content(entry, store, "input"));
    }
  } catch (const Error&) {
  }
  return members;
}

std::string deflated(const std::string& content) {
  z_stream stream = {};
  deflateInit2(&stream, 6, Z_DEFLATED, -15, 8, Z_DEFAULT_STRATEGY);
  std::string packed(deflateBound(&stream, content.size()), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(content.data()));
  stream.avail_in = static_cast<uInt>(content.size());
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = static_cast<uInt>(packed.size());
  deflate(&stream, Z_FINISH);
  packed.resize(stream.total_out);
  deflateEnd(&stream);
  return packed;
}

void put(std::string& archive, std::size_t at, std::uint32_t value, std::size_t width) {
  if (at + width <= archive.size()) std::memcpy(archive.data() + at, &value, width);
}

// An archive whose entries are stored packed; their records are then changed to say so. Method,
// checksum and size stand at 8, 14 and 22 of a header, and two bytes later in a record.
std::string packed_archive(std::vector<Member> members) {
  const std::vector<Member> plain = members;
  for (Member& member : members) member.second = deflated(member.second);
  std::string archive = detail::make_zip(members);
  for (const std::size_t record : {0, 2}) {
    std::size_t at = 0;
    for (const Member& member : plain) {
      at = archive.find(record == 0 ? "PK\x03\x04" : "PK\x01\x02", at);
      if (at == archive.npos) break;
      const auto* content = reinterpret_cast<const Bytef*>(member.second.data());
      const auto length = static_cast<uInt>(member.second.size());
      put(archive, at + 8 + record, 8, 2);
      put(archive, at + 14 + record, static_cast<std::uint32_t>(crc32(0, content, length)), 4);
      put(archive, at + 22 + record, length, 4);
      at += 4;
    }
  }
  return archive;
}

void change(std::vector<Member>& members, Dice& dice) {
  static constexpr std::array<const char*, 8> kNames = {
      "x.npy", "y.npy", "labels.npy", "ids.npy", "columns.npy", "X.npy", "arr_0.npy", "../x.npy"};
  Member& member = members[dice.roll(members.size())];
  switch (dice.roll(10)) {
    case 0:
      return mutate(member.first);
    case 1:
      member.first = kNames[dice.roll(kNames.size())];
      return;
    case 2:
      members.push_back(member);
      return;
    case 3:
      std::swap(member, members.front());
      return;
    default:
      return mutate_npy(member.second, dice);
  }
}

}  // namespace
}  // namespace mercer::fuzz

std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t most,
                                    unsigned seed) {
  using namespace mercer::fuzz;
  Dice dice(seed);
  if (size < 3 || dice.roll(8) == 0) return LLVMFuzzerMutate(data, size, most);
  std::vector<Member> members = unpack(bytes_of(data + 2, size - 2));
  if (members.empty()) return LLVMFuzzerMutate(data, size, most);
  change(members, dice);
  const std::string archive =
      dice.roll(2) == 0 ? mercer::detail::make_zip(members) : packed_archive(members);
  return put_back(std::string(bytes_of(data, 2)) + archive, data, size, most);
}
