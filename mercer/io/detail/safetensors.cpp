#include "mercer/io/detail/safetensors.h"

#include "mercer/core/error.h"
#include "mercer/core/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <limits>
#include <optional>
#include <unordered_set>

namespace mercer::detail {
namespace {

static_assert(std::endian::native == std::endian::little,
              "arrays are stored as they lie in memory");

struct TypeName {
  ArrayType type;
  std::string_view name;
};
constexpr std::array kTypeNames = {TypeName{ArrayType::F64, "F64"}, TypeName{ArrayType::F32, "F32"},
                                   TypeName{ArrayType::I64, "I64"}, TypeName{ArrayType::I32, "I32"},
                                   TypeName{ArrayType::U8, "U8"}};

[[noreturn]] void damaged_array(const std::string& name, const std::string& what) {
  damaged(fmt::format("array \"{}\": {}", printable(name), what));
}

[[noreturn]] void lacking(const std::string& name, const std::string& what) {
  throw Error(ErrorCode::bad_model_content, fmt::format("array \"{}\": {}", printable(name), what));
}

// Bytes of an array; nothing when they, or any product on the way, exceed what an Index can count.
// Extents of 0 do not excuse the others: Array::count multiplies them all.
std::optional<std::uint64_t> bytes_of(const std::vector<Index>& shape, ArrayType type) {
  auto room = static_cast<std::uint64_t>(std::numeric_limits<Index>::max()) / size_of(type);
  std::uint64_t size = size_of(type);
  for (const Index extent : shape) {
    if (extent < 0) return std::nullopt;
    room /= static_cast<std::uint64_t>(std::max<Index>(extent, 1));
    if (room == 0) return std::nullopt;
    size *= static_cast<std::uint64_t>(extent);
  }
  return size;
}

ArrayType type_named(const std::string& array, const Value& text) {
  if (!text.is_text()) lacking(array, "has no dtype");
  const auto found = std::ranges::find(kTypeNames, text.as_text(), &TypeName::name);
  if (found == kTypeNames.end())
    lacking(array, fmt::format("element type \"{}\" is not known", printable(text.as_text())));
  return found->type;
}

// A list of whole numbers >= 0.
std::vector<Index> counts(const std::string& array, const Value& list, const char* what) {
  if (!list.is_list()) lacking(array, fmt::format("has no {}", what));
  std::vector<Index> numbers;
  for (const Value& entry : list.as_list()) {
    if (!entry.is_integer() || entry.as_integer() < 0)
      lacking(array, fmt::format("{} is not a list of whole numbers", what));
    numbers.push_back(entry.as_integer());
  }
  return numbers;
}

Tensor tensor_of(const std::string& name, const Value& entry) {
  if (!entry.is_object()) lacking(name, "is not described");
  const std::vector<Index> offsets = counts(name, entry["data_offsets"], "data_offsets");
  if (offsets.size() != 2 || offsets[0] > offsets[1])
    damaged_array(name, "data_offsets are impossible");
  Tensor tensor{name, type_named(name, entry["dtype"]), counts(name, entry["shape"], "shape"),
                static_cast<std::uint64_t>(offsets[0]), static_cast<std::uint64_t>(offsets[1])};
  const auto size = bytes_of(tensor.shape, tensor.type);
  if (!size) damaged_array(name, "shape is impossible");
  if (*size != tensor.end - tensor.begin)
    damaged_array(name, fmt::format("shape needs {} bytes, data_offsets give {}", *size,
                                    tensor.end - tensor.begin));
  return tensor;
}

void check_writable(const Array& array) {
  const auto size = bytes_of(array.shape, array.type);
  if (size && *size == array.size() && is_utf8(array.name) && array.name != kMetadata) return;
  throw Error(ErrorCode::internal,
              fmt::format("array \"{}\" cannot be stored: its name, or {} bytes for its shape",
                          printable(array.name), array.size()));
}

}  // namespace

void damaged(const std::string& part) {
  throw Error(ErrorCode::model_damaged, part, "restore the file from a copy, or fit again");
}

std::vector<const Array*> in_file_order(const std::vector<Array>& arrays) {
  std::vector<const Array*> order;
  std::unordered_set<std::string_view> names;
  for (const Array& array : arrays) {
    check_writable(array);
    if (!names.insert(array.name).second)
      throw Error(ErrorCode::internal, fmt::format("array \"{}\" twice", printable(array.name)));
    order.push_back(&array);
  }
  std::stable_sort(order.begin(), order.end(), [](const Array* a, const Array* b) {
    return size_of(a->type) > size_of(b->type);
  });
  return order;
}

Value describe(const Array& array, std::uint64_t begin) {
  const auto name = std::ranges::find(kTypeNames, array.type, &TypeName::type)->name;
  Value::List shape;
  for (const Index extent : array.shape) shape.emplace_back(std::int64_t{extent});
  return Value::Object{{"dtype", name},
                       {"shape", std::move(shape)},
                       {"data_offsets", Value::List{begin, begin + array.size()}}};
}

std::string frame_header(std::string json) {
  const std::uint64_t used = (kLengthBytes + json.size()) % kDataAlignment;
  json.append((kDataAlignment - used) % kDataAlignment, ' ');
  if (json.size() > kLongestHeader)
    throw Error(ErrorCode::write_failed,
                fmt::format("the model's description needs {}, a model file has room for {}",
                            bytes(json.size()), bytes(kLongestHeader)),
                "leave out long text, such as one label for every row");
  std::string length(kLengthBytes, '\0');
  for (std::size_t i = 0; i < kLengthBytes; ++i)
    length[i] = static_cast<char>(json.size() >> (8 * i) & 255);
  return length + json;
}

std::uint64_t header_length(std::string_view text) {
  std::uint64_t length = 0;
  for (std::size_t i = 0; i < kLengthBytes; ++i)
    length |= std::uint64_t{static_cast<unsigned char>(text[i])} << (8 * i);
  return length;
}

std::vector<Tensor> tensors_of(const Value& header) {
  std::vector<Tensor> tensors;
  std::uint64_t position = 0;
  for (const auto& member : header.as_object()) {
    if (member.first == kMetadata) continue;
    tensors.push_back(tensor_of(member.first, member.second));
    // We write the header in the order of the data, so one comparison finds gaps and overlaps
    // alike.
    if (tensors.back().begin != position)
      damaged_array(member.first,
                    fmt::format("begins at byte {} instead of {}", tensors.back().begin, position));
    position = tensors.back().end;
  }
  return tensors;
}

}  // namespace mercer::detail
