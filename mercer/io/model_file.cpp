// Writing of .mercer files; reading them is model_reading.cpp.
#include "mercer/io/model_file.h"

#include "mercer/core/version.h"
#include "mercer/io/atomic_file.h"
#include "mercer/io/detail/checksum.h"
#include "mercer/io/detail/model_layout.h"
#include "mercer/io/detail/safetensors.h"
#include "mercer/io/json.h"

namespace mercer {
namespace {

using detail::kBeforeChecksum;
using detail::kZeros;

std::string_view view_of(const Array& array) {
  return {reinterpret_cast<const char*>(array.bytes.data()), array.bytes.size()};
}

std::string header_of(const State& state, const std::vector<const Array*>& arrays) {
  Value::Object metadata = {{"mercer.format", std::to_string(kModelFormat)},
                            {"mercer.checksum", kZeros},
                            {"mercer.version", version()},
                            {"mercer.kind", state.kind},
                            {"mercer.values", to_json(state.values)}};
  Value::Object header(1);
  std::uint64_t position = 0;
  for (const Array* array : arrays) {
    metadata.emplace_back("mercer.checksum." + array->name, detail::checksum({view_of(*array)}));
    header.emplace_back(array->name, detail::describe(*array, position));
    position += array->bytes.size();
  }
  header[0] = {std::string(detail::kMetadata), std::move(metadata)};

  std::string framed = detail::frame_header(to_json(std::move(header)));
  const std::size_t digits = framed.find(kBeforeChecksum) + kBeforeChecksum.size();
  framed.replace(digits, kZeros.size(), detail::checksum({framed}));
  return framed;
}

}  // namespace

std::string encode_model(const State& state) {
  const auto arrays = detail::in_file_order(state.arrays);
  std::string encoded = header_of(state, arrays);
  for (const Array* array : arrays) encoded += view_of(*array);
  return encoded;
}

void save_state(const std::string& path, const State& state) {
  const auto arrays = detail::in_file_order(state.arrays);
  const std::string header = header_of(state, arrays);
  std::vector<std::string_view> parts = {header};
  for (const Array* array : arrays) parts.push_back(view_of(*array));
  write_file_atomically(path, parts);
}

}  // namespace mercer
