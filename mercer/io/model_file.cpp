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

std::string header_of(const State& state, const std::vector<const Array*>& arrays) {
  Value::Object metadata = {{"mercer.format", std::to_string(kModelFormat)},
                            {"mercer.checksum", kZeros},
                            {"mercer.version", version()},
                            {"mercer.kind", state.kind},
                            {"mercer.values", to_json(state.values)}};
  Value::Object header(1);
  std::uint64_t position = 0;
  for (const Array* array : arrays) {
    detail::Checksum sum;
    array->each_piece([&](std::string_view piece) { sum.add(piece); });
    metadata.emplace_back("mercer.checksum." + array->name, sum.digits());
    header.emplace_back(array->name, detail::describe(*array, position));
    position += array->size();
  }
  header[0] = {std::string(detail::kMetadata), std::move(metadata)};

  std::string framed = detail::frame_header(to_json(std::move(header)));
  const std::size_t digits = framed.find(kBeforeChecksum) + kBeforeChecksum.size();
  framed.replace(digits, kZeros.size(), detail::checksum({framed}));
  return framed;
}

}  // namespace

std::string encode_model(const State& state) {
  TextSink encoded;
  write_state(state, encoded);
  return std::move(encoded.text);
}

void write_state(const State& state, Sink& sink) {
  const auto arrays = detail::in_file_order(state.arrays);
  sink.write(header_of(state, arrays));
  for (const Array* array : arrays)
    array->each_piece([&](std::string_view piece) { sink.write(piece); });
}

void save_state(const std::string& path, const State& state) {
  AtomicFile file(path);
  write_state(state, file);
  file.commit();
}

}  // namespace mercer
