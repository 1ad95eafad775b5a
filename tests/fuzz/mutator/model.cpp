// Model files. The state of a model is changed and encoded again, which gives right checksums; or
// the header is changed as text, and the checksums in it are put right.
#include "mercer/core/error.h"
#include "mercer/io/detail/checksum.h"
#include "mercer/io/detail/safetensors.h"
#include "mercer/io/json.h"
#include "mercer/io/model_file.h"
#include "tests/fuzz/mutator/mutate.h"

#include <array>
#include <limits>

namespace mercer::fuzz {
namespace {

void change_numbers(Array& array, Dice& dice) {
  if (array.bytes.empty()) return;
  static constexpr std::array kNumbers = {0.0,
                                          -1.0,
                                          1e308,
                                          -1e308,
                                          1e-320,
                                          1e150,
                                          1e-150,
                                          0.5,
                                          std::numeric_limits<double>::infinity(),
                                          std::numeric_limits<double>::quiet_NaN()};
  std::string bytes(reinterpret_cast<const char*>(array.bytes.data()), array.bytes.size());
  if (dice.roll(2) == 0 && bytes.size() >= 8 && array.type == ArrayType::F64)
    std::memcpy(bytes.data() + 8 * dice.roll(bytes.size() / 8), &kNumbers[dice.roll(10)], 8);
  else
    mutate_in_place(bytes);
  std::memcpy(array.bytes.data(), bytes.data(), bytes.size());
}

// Another shape or type, and as many bytes as it needs.
void change_shape(Array& array, Dice& dice) {
  if (dice.roll(3) == 0) array.type = static_cast<ArrayType>(dice.roll(5));
  if (dice.roll(4) == 0) array.shape.push_back(1);
  if (dice.roll(8) == 0) array.shape = {array.count()};
  if (!array.shape.empty() && dice.roll(2) == 0)
    array.shape[dice.roll(array.shape.size())] = static_cast<Index>(dice.roll(6));
  array.bytes.resize(static_cast<std::size_t>(array.count()) * size_of(array.type),
                     std::byte{0x3F});
}

void change_arrays(std::vector<Array>& arrays, Dice& dice) {
  static constexpr std::array<const char*, 13> kNames = {
      "points",     "points.starts", "points.columns", "points.values", "labels",
      "fill",       "affine",        "signature",      "score_factor",  "scale.shift",
      "scale.back", "mean",          "affine_low"};
  if (arrays.empty()) return;
  const std::size_t chosen = dice.roll(arrays.size());
  const std::size_t kind = dice.roll(8);
  if (kind == 0)
    arrays.erase(arrays.begin() + static_cast<std::ptrdiff_t>(chosen));
  else if (kind == 1)
    arrays[chosen].name = kNames[dice.roll(kNames.size())];
  else if (kind < 5)
    change_shape(arrays[chosen], dice);
  else
    change_numbers(arrays[chosen], dice);
}

// A value of the right shape in the wrong place, a list of another length, a number out of range:
// what changes of the text seldom come to.
Value strange_value(Dice& dice) {
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
  const std::array<Value, 14> kValues = {
      Value(),       Value(true),       Value("x"),         Value(0),       Value(-1),
      Value(15'000), Value(kMost),      Value(600'000'000), Value(1e308),   Value(1e-320),
      Value(0.5),    Value("\x1b[31m"), Value::list(),      Value::object()};
  return kValues[dice.roll(kValues.size())];
}

Value changed_value(Value value, Dice& dice) {
  const std::size_t kind = dice.roll(6);
  if (value.is_object() && !value.as_object().empty() && kind > 0) {
    Value::Object members = value.as_object();
    const std::size_t chosen = dice.roll(members.size());
    if (kind == 1)
      members.erase(members.begin() + static_cast<std::ptrdiff_t>(chosen));
    else
      members[chosen].second = changed_value(std::move(members[chosen].second), dice);
    return members;
  }
  if (value.is_list() && !value.as_list().empty() && kind > 0) {
    Value::List entries = value.as_list();
    const std::size_t chosen = dice.roll(entries.size());
    if (kind == 1) entries.pop_back();
    if (kind == 2) entries.push_back(entries[chosen]);
    if (kind > 2) entries[chosen] = changed_value(std::move(entries[chosen]), dice);
    return entries;
  }
  if (value.is_integer() && kind > 2) return value.as_integer() / 2 + (kind == 3 ? -1 : 1);
  if (value.is_number() && kind > 2) return value.as_number() * (kind == 3 ? -1 : 1e150);
  return strange_value(dice);
}

std::string changed_state(State state, Dice& dice) {
  const std::size_t kind = dice.roll(12);
  if (kind == 0) mutate(state.kind);
  if (kind >= 8) state.values = changed_value(std::move(state.values), dice);
  if (kind > 0 && kind < 5) {
    std::string values = to_json(state.values);
    mutate(values);
    state.values = from_json(values);
  }
  if (kind >= 5 && kind < 10) change_arrays(state.arrays, dice);
  return encode_model(state);
}

// A member of the metadata: 32 digits after its name.
void put_digits(std::string& header, const std::string& name, const std::string& digits) {
  const std::string before = "\"" + name + "\":\"";
  const std::size_t at = header.find(before);
  if (at != header.npos && header.size() - at >= before.size() + digits.size())
    header.replace(at + before.size(), digits.size(), digits);
}

std::string changed_header(std::string_view bytes) {
  const std::uint64_t length = detail::header_length(bytes);
  if (length > bytes.size() - detail::kLengthBytes) return {};
  std::string header(bytes.substr(detail::kLengthBytes, length));
  const std::string_view data = bytes.substr(detail::kLengthBytes + length);
  header.resize(header.find_last_not_of(' ') + 1);
  mutate(header);
  for (const detail::Tensor& tensor : detail::tensors_of(from_json(header)))
    if (tensor.end <= data.size())
      put_digits(header, "mercer.checksum." + tensor.name,
                 detail::checksum({data.substr(tensor.begin, tensor.end - tensor.begin)}));
  put_digits(header, "mercer.checksum", std::string(detail::kChecksumDigits, '0'));
  std::string framed = detail::frame_header(header);
  put_digits(framed, "mercer.checksum", detail::checksum({framed}));
  return framed + std::string(data);
}

}  // namespace
}  // namespace mercer::fuzz

std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t most,
                                    unsigned seed) {
  using namespace mercer;
  using namespace mercer::fuzz;
  Dice dice(seed);
  const std::string_view bytes = bytes_of(data, size);
  const std::size_t kind = dice.roll(16);
  if (kind == 0 || size <= detail::kLengthBytes) return LLVMFuzzerMutate(data, size, most);
  try {
    const std::string changed =
        kind < 4 ? changed_header(bytes) : changed_state(decode_model(bytes), dice);
    return put_back(changed, data, size, most);
  } catch (const Error&) {
    return LLVMFuzzerMutate(data, size, most);
  }
}
