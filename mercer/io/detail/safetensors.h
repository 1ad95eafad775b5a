// The layout of a safetensors file: an 8-byte little-endian length, a JSON object of that length,
// the data. Every member but __metadata__ describes an array: dtype, shape, and the bytes [begin,
// end) it has in the data. Arrays follow each other without gaps, larger elements first, so that
// each is aligned for its own type.
#pragma once

#include "mercer/core/state.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace mercer::detail {

constexpr std::uint64_t kLengthBytes = 8;  // before the header: how long it is
constexpr std::uint64_t kLongestHeader = std::uint64_t{16} << 20;  // ours have some kilobytes
constexpr std::uint64_t kDataAlignment = 64;  // a cache line, and the widest register
constexpr std::string_view kMetadata = "__metadata__";

/// A described array; the offsets are checked against each other, not yet against the file.
struct Tensor {
  std::string name;
  ArrayType type = ArrayType::F64;
  std::vector<Index> shape;
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
};

/// Throws M701, naming the part that is damaged.
[[noreturn]] void damaged(const std::string& part);

/// The arrays in the order of their data. Throws M000 for an array that contradicts itself.
std::vector<const Array*> in_file_order(const std::vector<Array>& arrays);

/// The member of the header that describes an array whose data begin here.
Value describe(const Array& array, std::uint64_t begin);

/// Length field and header, padded with spaces so that data may follow. Throws M410 when it is too
/// long.
std::string frame_header(std::string json);

/// The length field; the text must have its 8 bytes.
std::uint64_t header_length(std::string_view text);

/// All arrays of a header, in the order of their data. Throws M701 for gaps, overlaps and sizes
/// that do not agree, M703 for what is missing or of an unknown type.
std::vector<Tensor> tensors_of(const Value& header);

}  // namespace mercer::detail
