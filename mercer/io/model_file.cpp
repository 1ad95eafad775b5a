// A header begins {"__metadata__":{"mercer.format":"1","mercer.checksum":"<32 digits>", so that the
// first bytes tell what the file is, and format and checksum are verified at known places before
// any JSON is read. The header's checksum covers the length field and the header with its own
// digits taken as zeros. Order of checks: is it ours, is it all here, is the format known, is the
// header intact, are the arrays.
#include "mercer/io/model_file.h"

#include "mercer/core/error.h"
#include "mercer/core/text.h"
#include "mercer/core/version.h"
#include "mercer/io/atomic_file.h"
#include "mercer/io/detail/checksum.h"
#include "mercer/io/detail/descriptor.h"
#include "mercer/io/detail/file_kind.h"
#include "mercer/io/detail/safetensors.h"
#include "mercer/io/json.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <charconv>
#include <unordered_map>

namespace mercer {
namespace {

using detail::damaged;
using detail::kLengthBytes;

constexpr std::string_view kOpening = R"({"__metadata__":{"mercer.format":")";
constexpr std::string_view kBeforeChecksum = R"(","mercer.checksum":")";
constexpr std::string_view kZeros = "00000000000000000000000000000000";
static_assert(kZeros.size() == detail::kChecksumDigits);

// ---- writing

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

// ---- reading

[[noreturn]] void ends_early(std::uint64_t needs, std::uint64_t has) {
  damaged(fmt::format("the file ends early: needs {} bytes, has {}", needs, has));
}

std::string_view kind_of_content(std::string_view bytes) {
  if (bytes.empty()) return "an empty file";
  const bool framed = bytes.size() > kLengthBytes && bytes[kLengthBytes] == '{' &&
                      detail::header_length(bytes) <= bytes.size() - kLengthBytes;
  if (framed) return "a safetensors file of another program";
  const std::string_view head = bytes.substr(0, 512);
  if (const std::string_view known = detail::file_kind(head); !known.empty()) return known;
  return detail::looks_like_text(head) ? "a CSV or text file" : "binary data of an unknown kind";
}

// Whether the bytes, too few for the whole opening, are what is left of a model file.
bool is_cut_opening(std::string_view bytes) {
  // Headers end on a multiple of 64 bytes and have less than 2^24: the length field begins and ends
  // like this.
  if (bytes.empty() || (static_cast<unsigned char>(bytes[0]) + kLengthBytes) % 64 != 0)
    return false;
  for (std::size_t i = 3; i < std::min<std::size_t>(bytes.size(), kLengthBytes); ++i)
    if (bytes[i] != '\0') return false;
  return bytes.size() <= kLengthBytes || kOpening.starts_with(bytes.substr(kLengthBytes));
}

// Returns only for bytes that begin as a model does.
void check_opening(std::string_view bytes) {
  if (bytes.size() > kLengthBytes && bytes.substr(kLengthBytes).starts_with(kOpening)) return;
  if (bytes.size() < kLengthBytes + kOpening.size() && is_cut_opening(bytes))
    ends_early(bytes.size() < kLengthBytes ? kLengthBytes + kOpening.size()
                                           : kLengthBytes + detail::header_length(bytes),
               bytes.size());
  if (bytes.substr(0, 128).find(kBeforeChecksum) != bytes.npos)
    damaged("header: its beginning is altered");
  throw Error(ErrorCode::not_a_model, fmt::format("looks like {}", kind_of_content(bytes)),
              "name a file that `mercer fit` has written");
}

std::string_view header_in(std::string_view bytes) {
  const std::uint64_t length = detail::header_length(bytes);
  if (length <= bytes.size() - kLengthBytes && length > kOpening.size())
    return bytes.substr(kLengthBytes, length);
  if (length <= kOpening.size() || length > detail::kLongestHeader)
    damaged(fmt::format("header: a length of {} bytes is impossible", length));
  ends_early(kLengthBytes + length, bytes.size());
}

[[noreturn]] void too_new(std::string_view header, std::int64_t format) {
  constexpr std::string_view kKey = R"("mercer.version":")";
  std::string writer = "a newer Mercer";
  if (const auto key = header.substr(0, 4096).find(kKey); key != header.npos) {
    const std::string_view rest = header.substr(key + kKey.size(), 24);
    writer = "Mercer " + printable(rest.substr(0, rest.find('"')));
  }
  throw Error(
      ErrorCode::model_too_new,
      fmt::format("written by {} in format {}; this is Mercer {}, which reads up to format {}",
                  writer, format, version(), kModelFormat),
      "update Mercer");
}

// Verifies format and checksum, which stand at known places.
void check_header(std::string_view bytes, std::string_view header) {
  const std::string_view rest = header.substr(kOpening.size());
  std::int64_t format = 0;
  const auto [end, status] = std::from_chars(rest.data(), rest.data() + rest.size(), format);
  if (status != std::errc{} || format < 1) damaged("header: the format number is altered");
  if (format > kModelFormat) too_new(header, format);

  const std::string_view after = rest.substr(static_cast<std::size_t>(end - rest.data()));
  if (!after.starts_with(kBeforeChecksum) || after.size() < kBeforeChecksum.size() + kZeros.size())
    damaged("header: the checksum is not in its place");
  const std::string_view digits = after.substr(kBeforeChecksum.size(), kZeros.size());
  const auto position = static_cast<std::size_t>(digits.data() - bytes.data());
  const std::string_view frame = bytes.substr(0, kLengthBytes + header.size());
  const std::string_view tail = frame.substr(position + kZeros.size());
  if (detail::checksum({frame.substr(0, position), kZeros, tail}) != digits)
    damaged("header: checksum differs");
  if (header.size() > detail::kLongestHeader || frame.size() % detail::kDataAlignment != 0)
    damaged(fmt::format("header: a length of {} bytes is impossible", header.size()));
}

// Hashed, since a hostile header may have a million entries.
class Metadata {
 public:
  explicit Metadata(const Value& header) {
    const Value& all = header[detail::kMetadata];
    if (!all.is_object()) throw Error(ErrorCode::bad_model_content, "header: no __metadata__");
    for (const auto& member : all.as_object()) {
      if (!member.second.is_text())
        throw Error(ErrorCode::bad_model_content,
                    fmt::format("header: \"{}\" is not text", printable(member.first)));
      texts_.emplace(member.first, member.second.as_text());
    }
  }

  std::string_view at(const std::string& name) const {
    const auto found = texts_.find(name);
    if (found != texts_.end()) return found->second;
    throw Error(ErrorCode::bad_model_content, fmt::format("header: no \"{}\"", printable(name)));
  }

 private:
  std::unordered_map<std::string_view, std::string_view> texts_;
};

Array load_array(detail::Tensor tensor, std::string_view data, const Metadata& metadata) {
  const std::string_view content = data.substr(tensor.begin, tensor.end - tensor.begin);
  if (detail::checksum({content}) != metadata.at("mercer.checksum." + tensor.name))
    damaged(fmt::format("array \"{}\": checksum differs", printable(tensor.name)));
  const auto* first = reinterpret_cast<const std::byte*>(content.data());
  return {std::move(tensor.name),
          tensor.type,
          std::move(tensor.shape),
          std::vector<std::byte>(first, first + content.size()),
          {}};
}

// Half of the machine's memory: a model lives beside its file's bytes while it is read.
std::uint64_t largest_model() {
  const auto pages = static_cast<std::uint64_t>(std::max(::sysconf(_SC_PHYS_PAGES), 1L));
  return pages * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE)) / 2;
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

State decode_model(std::string_view bytes) {
  check_opening(bytes);
  const std::string_view frame = header_in(bytes);
  check_header(bytes, frame);
  const Value header = from_json(frame);
  const Metadata metadata(header);
  std::vector<detail::Tensor> tensors = detail::tensors_of(header);

  const std::string_view data = bytes.substr(kLengthBytes + frame.size());
  const std::uint64_t needs = tensors.empty() ? 0 : tensors.back().end;
  if (needs > data.size()) ends_early(kLengthBytes + frame.size() + needs, bytes.size());
  if (needs < data.size())
    damaged(fmt::format("{} bytes too many at the end", data.size() - needs));

  State state;
  state.arrays.reserve(tensors.size());
  for (detail::Tensor& tensor : tensors)
    state.arrays.push_back(load_array(std::move(tensor), data, metadata));
  state.kind = metadata.at("mercer.kind");
  state.values = from_json(metadata.at("mercer.values"));
  return state;
}

void save_state(const std::string& path, const State& state) {
  AtomicFile file(path);
  write_state(state, file);
  file.commit();
}

State load_state(const std::string& path) {
  const std::string bytes = read_file(path, largest_model());
  try {
    return decode_model(bytes);
  } catch (const Error& error) {
    throw error.at(printable(path));
  }
}

bool looks_like_model(const std::string& path) {
  // Not to wait for a writer when the name is that of a pipe.
  const detail::Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  std::string head(kLengthBytes + kOpening.size(), '\0');
  if (!file.is_open() ||
      ::read(file.number(), head.data(), head.size()) != static_cast<ssize_t>(head.size()))
    return false;
  return std::string_view(head).substr(kLengthBytes) == kOpening;
}

}  // namespace mercer
