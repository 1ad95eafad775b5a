// Reading of .mercer files, from a file, a pipe or memory. Nothing is read or allocated on the word
// of a part that is not verified yet. In this order: the first bytes (is it ours), the header's
// length (is it all here), the format, the header's checksum, what the header says of the arrays
// against the size of the file; then the arrays, each straight into its own place, each with its
// checksum.
#include "mercer/core/error.h"
#include "mercer/core/text.h"
#include "mercer/core/version.h"
#include "mercer/io/detail/checksum.h"
#include "mercer/io/detail/descriptor.h"
#include "mercer/io/detail/file_kind.h"
#include "mercer/io/detail/input_file.h"
#include "mercer/io/detail/model_layout.h"
#include "mercer/io/detail/safetensors.h"
#include "mercer/io/json.h"
#include "mercer/io/model_file.h"

#include <fcntl.h>
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>
#include <optional>
#include <unordered_map>

namespace mercer {
namespace {

using detail::ByteStream;
using detail::damaged;
using detail::kBeforeChecksum;
using detail::kLengthBytes;
using detail::kLongestHeader;
using detail::kOpening;
using detail::kZeros;

constexpr std::size_t kHeadBytes = 512;  // enough to say what a wrong file looks like
constexpr std::size_t kFormatDigits = 20;

[[noreturn]] void ends_early(std::uint64_t needs, std::uint64_t has) {
  damaged(fmt::format("the file ends early: needs {} bytes, has {}", needs, has));
}

// The next bytes of a stream that must have them. Memory grows with what has come, so that a pipe
// with a header that lies takes no more than twice what went through it.
template <class Bytes>
void read_whole(ByteStream& stream, Bytes& out, std::size_t begin, std::uint64_t size,
                std::uint64_t position) {
  constexpr std::uint64_t kFirst = std::uint64_t{1} << 20;  // bytes taken on trust
  std::uint64_t done = begin;
  while (done < size) {
    const std::uint64_t next = stream.size() ? size : std::min(size, std::max(kFirst, 2 * done));
    out.resize(next);
    const auto got = stream.read(reinterpret_cast<char*>(out.data()) + done, next - done);
    if (got < next - done) ends_early(position + size, position + done + got);
    done = next;
  }
}

std::string head_of(ByteStream& stream) {
  std::string head(kHeadBytes, '\0');
  const auto most = std::min<std::uint64_t>(kHeadBytes, stream.size().value_or(kHeadBytes));
  head.resize(stream.read(head.data(), most));
  return head;
}

std::string_view kind_of_content(std::string_view head, std::uint64_t size) {
  if (head.empty()) return "an empty file";
  const bool framed = head.size() > kLengthBytes && head[kLengthBytes] == '{' &&
                      detail::header_length(head) <= size - kLengthBytes;
  if (framed) return "a safetensors file of another program";
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

// Returns only for a file that begins as a model does. `size`: of all of it, or a bound.
void check_opening(std::string_view head, std::uint64_t size) {
  if (head.size() > kLengthBytes && head.substr(kLengthBytes).starts_with(kOpening)) return;
  if (head.size() < kLengthBytes + kOpening.size() && is_cut_opening(head))
    ends_early(head.size() < kLengthBytes ? kLengthBytes + kOpening.size()
                                          : kLengthBytes + detail::header_length(head),
               head.size());
  if (head.substr(0, 128).find(kBeforeChecksum) != head.npos)
    damaged("header: its beginning is altered");
  throw Error(ErrorCode::not_a_model, fmt::format("looks like {}", kind_of_content(head, size)),
              "name a file that `mercer fit` has written");
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

// What follows the format number, which must be known. The header may be cut off after it.
std::string_view after_format(std::string_view header) {
  const std::string_view rest = header.substr(kOpening.size());
  std::int64_t format = 0;
  const auto [end, status] = std::from_chars(rest.data(), rest.data() + rest.size(), format);
  if (status != std::errc{} || format < 1) damaged("header: the format number is altered");
  if (format > kModelFormat) too_new(header, format);
  return rest.substr(static_cast<std::size_t>(end - rest.data()));
}

// Verifies format and checksum, which stand at known places. `frame`: length field and header.
void check_header(std::string_view frame) {
  const std::string_view after = after_format(frame.substr(kLengthBytes));
  if (!after.starts_with(kBeforeChecksum) || after.size() < kBeforeChecksum.size() + kZeros.size())
    damaged("header: the checksum is not in its place");
  const std::string_view digits = after.substr(kBeforeChecksum.size(), kZeros.size());
  const auto position = static_cast<std::size_t>(digits.data() - frame.data());
  const std::string_view tail = frame.substr(position + kZeros.size());
  if (detail::checksum({frame.substr(0, position), kZeros, tail}) != digits)
    damaged("header: checksum differs");
  if (frame.size() % detail::kDataAlignment != 0)
    damaged(fmt::format("header: a length of {} bytes is impossible", frame.size() - kLengthBytes));
}

// Length field and header, verified. `head`: the first bytes, which may go beyond them.
std::string frame_of(ByteStream& stream, std::string_view head) {
  const std::uint64_t length = detail::header_length(head);
  const std::uint64_t size = stream.size().value_or(kLengthBytes + length);
  if (length <= kOpening.size() || length > kLongestHeader) {
    // A newer format may have longer headers.
    if (head.size() >= kLengthBytes + kOpening.size() + kFormatDigits)
      after_format(head.substr(kLengthBytes));
    damaged(fmt::format("header: a length of {} bytes is impossible", length));
  }
  if (length > size - kLengthBytes) ends_early(kLengthBytes + length, size);
  std::string frame(head.substr(0, kLengthBytes + length));
  read_whole(stream, frame, frame.size(), kLengthBytes + length, 0);
  check_header(frame);
  return frame;
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

// The bytes after the header: those the head had too many of, then the rest of the stream.
class Data final : public ByteStream {
 public:
  Data(std::string_view first, ByteStream& rest, std::uint64_t header)
      : first_(first), rest_(rest) {
    if (rest.size()) size_ = *rest.size() - header;
  }

  std::size_t read(char* out, std::size_t count) override {
    const std::size_t kept = first_.read(out, count);
    return kept + (kept < count ? rest_.read(out + kept, count - kept) : 0);
  }
  std::optional<std::uint64_t> size() const override { return size_; }

 private:
  detail::MemoryBytes first_;
  ByteStream& rest_;
  std::optional<std::uint64_t> size_;
};

Array load_array(detail::Tensor tensor, Data& data, std::uint64_t header,
                 const Metadata& metadata) {
  Array array{std::move(tensor.name), tensor.type, std::move(tensor.shape), {}};
  read_whole(data, array.bytes, 0, tensor.end - tensor.begin, header + tensor.begin);
  const std::string_view content(reinterpret_cast<const char*>(array.bytes.data()),
                                 array.bytes.size());
  if (detail::checksum({content}) != metadata.at("mercer.checksum." + array.name))
    damaged(fmt::format("array \"{}\": checksum differs", printable(array.name)));
  return array;
}

// What a model may take, and what to do about one that needs more.
struct Allowance {
  std::uint64_t bytes = std::numeric_limits<std::uint64_t>::max();
  const char* hint = "";
};

void check_size(std::uint64_t needs, const Data& data, std::uint64_t header,
                const Allowance& limit) {
  const std::uint64_t has = data.size().value_or(needs);
  if (needs > has) ends_early(header + needs, header + has);
  if (needs < has) damaged(fmt::format("{} bytes too many at the end", has - needs));
  if (header + needs > limit.bytes)
    throw Error(
        ErrorCode::over_memory,
        fmt::format("the model has {}, the limit is {}", bytes(header + needs), bytes(limit.bytes)),
        limit.hint);
}

State read_state(ByteStream& stream, const Allowance& limit) {
  const std::string head = head_of(stream);
  check_opening(head, stream.size().value_or(kLongestHeader));
  std::string frame = frame_of(stream, head);
  const std::uint64_t begin = frame.size();  // of the arrays
  const Value header = from_json(std::string_view(frame).substr(kLengthBytes));
  frame = {};
  const Metadata metadata(header);
  std::vector<detail::Tensor> tensors = detail::tensors_of(header);

  Data data(std::string_view(head).substr(std::min<std::uint64_t>(head.size(), begin)), stream,
            begin);
  const std::uint64_t needs = tensors.empty() ? 0 : tensors.back().end;
  check_size(needs, data, begin, limit);

  State state;
  state.kind = metadata.at("mercer.kind");
  state.values = from_json(metadata.at("mercer.values"));
  state.arrays.reserve(tensors.size());
  for (detail::Tensor& tensor : tensors)
    state.arrays.push_back(load_array(std::move(tensor), data, begin, metadata));
  char more = 0;
  if (!data.size() && data.read(&more, 1) == 1) damaged("bytes too many at the end");
  return state;
}

// Half of the machine's memory: a model takes its arrays once more while it is made from them.
std::uint64_t largest_model() {
  const auto pages = static_cast<std::uint64_t>(std::max(::sysconf(_SC_PHYS_PAGES), 1L));
  return pages * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE)) / 2;
}

// The first bytes of a file, as many as tell a model; none where it cannot be read.
std::optional<std::string> head_of(const std::string& path) {
  // Not to wait for a writer when the name is that of a pipe.
  const detail::Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!file.is_open()) return std::nullopt;
  std::string head(kLengthBytes + kOpening.size(), '\0');
  std::size_t size = 0;
  while (size < head.size()) {
    const ssize_t more = ::read(file.number(), head.data() + size, head.size() - size);
    if (more < 0) return std::nullopt;
    if (more == 0) break;
    size += static_cast<std::size_t>(more);
  }
  head.resize(size);
  return head;
}

bool opens_as_model(const std::optional<std::string>& head) {
  return head && head->size() > kLengthBytes &&
         std::string_view(*head).substr(kLengthBytes) == kOpening;
}

}  // namespace

State decode_model(std::string_view bytes) {
  detail::MemoryBytes stream(bytes);
  return read_state(stream, {});
}

State load_state(const std::string& path, std::uint64_t limit) {
  detail::InputFile file(path);
  Allowance allowed{largest_model(), "use a machine with more memory"};
  if (limit < allowed.bytes) allowed = {limit, "allow more memory (--memory)"};
  try {
    return read_state(file, allowed);
  } catch (const Error& error) {
    if (!error.place().empty()) throw;
    throw error.at(path == "-" ? "standard input" : printable(path));
  }
}

bool looks_like_model(const std::string& path) { return opens_as_model(head_of(path)); }

bool holds_something_else(const std::string& path) {
  const std::optional<std::string> head = head_of(path);
  return head && !head->empty() && !opens_as_model(head);
}

}  // namespace mercer
