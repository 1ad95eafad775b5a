#include "mercer/io/detail/numpy/npy_header.h"

#include "mercer/core/error.h"
#include "mercer/core/text.h"
#include "mercer/io/detail/file_kind.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <initializer_list>

namespace mercer::detail {
namespace {

constexpr std::string_view kMagic = "\x93NUMPY";     // how a file begins
constexpr std::size_t kLongestNpyHeader = 64 << 10;  // what version 1 of the format can hold
constexpr std::size_t kMostExtents = 64;             // NumPy has 64 at most

// Walks over the dictionary literal; everything it does not expect is M422.
class Literal {
 public:
  Literal(std::string_view text, const std::string& file) : text_(text), file_(file) {}

  [[noreturn]] void fail(std::string_view expected) const {
    throw Error(ErrorCode::bad_npy_header,
                fmt::format("the NPY header is damaged at its byte {}: expected {}", at_, expected),
                "save the array again with numpy.save", file_);
  }
  void skip_blanks() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n' || text_[at_] == '\t'))
      ++at_;
  }
  bool accept(std::string_view token) {
    skip_blanks();
    if (!text_.substr(at_).starts_with(token)) return false;
    at_ += token.size();
    return true;
  }
  void expect(std::string_view token) {
    if (!accept(token)) fail(fmt::format("'{}'", token));
  }
  bool at_end() {
    skip_blanks();
    return at_ == text_.size();
  }
  std::string_view string() {
    skip_blanks();
    const char quote = at_ < text_.size() ? text_[at_] : '\0';
    if (quote != '\'' && quote != '"') fail("a text in quotes");
    const std::size_t end = text_.find(quote, at_ + 1);
    if (end == text_.npos) fail("the end of a text");
    const std::string_view inside = text_.substr(at_ + 1, end - at_ - 1);
    at_ = end + 1;
    return inside;
  }
  bool boolean() {
    if (accept("True")) return true;
    expect("False");
    return false;
  }
  Index extent() {
    skip_blanks();
    Index value = 0;
    const char* const first = text_.data() + at_;
    const auto [end, status] = std::from_chars(first, text_.data() + text_.size(), value);
    if (status == std::errc::invalid_argument) fail("a whole number");
    if (status != std::errc{} || value < 0)
      throw Error(
          ErrorCode::bad_npy_header,
          fmt::format("the NPY header has the impossible extent {}",
                      std::string_view(first, static_cast<std::size_t>(end - first)).substr(0, 40)),
          "save the array again with numpy.save", file_);
    at_ += static_cast<std::size_t>(end - first);
    accept("L");  // NumPy under Python 2 wrote long integers so
    return value;
  }
  std::vector<Index> shape() {
    std::vector<Index> extents;
    expect("(");
    while (!accept(")")) {
      if (extents.size() == kMostExtents) fail("fewer dimensions");
      extents.push_back(extent());
      if (accept(")")) break;
      expect(",");
    }
    return extents;
  }

 private:
  std::string_view text_;
  const std::string& file_;
  std::size_t at_ = 0;
};

[[noreturn]] void throw_structured(const std::string& file) {
  throw Error(ErrorCode::npy_structured, "the array holds records with named fields, not numbers",
              "save one field: numpy.save(name, array['field'])", file);
}

// A character of byte order, one of kind, and a size in bytes: <f8, |u1, >i4.
NpyType parse_type(std::string_view text, const std::string& file) {
  NpyType type{.text = printable(text)};
  std::string_view rest = text;
  if (!rest.empty() && std::string_view("<>|=").find(rest[0]) != std::string_view::npos) {
    type.big_endian = rest[0] == '>';
    rest.remove_prefix(1);
  }
  if (rest.empty())
    throw Error(ErrorCode::bad_npy_header, "the NPY header names no element type",
                "save the array again with numpy.save", file);
  type.kind = rest[0];
  rest.remove_prefix(1);
  if (type.kind == '?') return {type.text, 'b', 1, false};
  if (type.kind == 'O')
    throw Error(ErrorCode::pickle_refused,
                "the array holds Python objects, which would have to be unpickled",
                "save numbers: numpy.save(name, array.astype(float))", file);
  if (type.kind == 'V') throw_structured(file);
  if (type.kind == 'c')
    throw Error(ErrorCode::npy_complex, fmt::format("the array is complex ({})", type.text),
                "save the real part, or real and imaginary parts as columns", file);
  type.size = 0;
  std::from_chars(rest.data(), rest.data() + rest.size(), type.size);
  return type;
}

void check_supported(const NpyType& type, const std::string& file) {
  const auto is = [&](std::initializer_list<Index> sizes) {
    return std::find(sizes.begin(), sizes.end(), type.size) != sizes.end();
  };
  if (type.kind == 'f' && is({2, 4, 8})) return;
  if ((type.kind == 'i' || type.kind == 'u') && is({1, 2, 4, 8})) return;
  if (type.kind == 'b' && is({1})) return;
  const bool text = type.kind == 'U' || type.kind == 'S' || type.kind == 'a';
  throw Error(ErrorCode::npy_type,
              text ? fmt::format("the array holds text ({}), not numbers", type.text)
                   : fmt::format("arrays of element type {} cannot be read", type.text),
              "save numbers: numpy.save(name, array.astype(float))", file);
}

NpyHeader parse_dictionary(std::string_view text, const std::string& file, bool allow_text) {
  NpyHeader header;
  bool has_type = false, has_order = false, has_shape = false;
  Literal literal(text, file);
  literal.expect("{");
  while (!literal.accept("}")) {
    const std::string_view key = literal.string();
    literal.expect(":");
    if (key == "descr" && !has_type) {
      if (literal.accept("[")) throw_structured(file);
      header.type = parse_type(literal.string(), file);
      has_type = true;
    } else if (key == "fortran_order" && !has_order) {
      header.fortran_order = literal.boolean();
      has_order = true;
    } else if (key == "shape" && !has_shape) {
      header.shape = literal.shape();
      has_shape = true;
    } else {
      literal.fail("each of descr, fortran_order and shape once");
    }
    if (literal.accept("}")) break;
    literal.expect(",");
  }
  if (!literal.at_end()) literal.fail("the end of the header");
  if (!has_type || !has_order || !has_shape) literal.fail("descr, fortran_order and shape");
  const bool is_text = header.type.kind == 'U' || header.type.kind == 'S';
  if (!is_text || !allow_text) check_supported(header.type, file);
  return header;
}

std::size_t little_endian(std::string_view bytes) {
  std::size_t value = 0;
  for (std::size_t i = bytes.size(); i-- > 0;)
    value = value << 8 | static_cast<unsigned char>(bytes[i]);
  return value;
}

}  // namespace

bool has_npy_magic(std::string_view head) { return head.starts_with(kMagic); }

NpyHeader parse_npy_header(std::string_view content, const std::string& file, bool allow_text) {
  if (!has_npy_magic(content)) {
    const std::string_view kind = file_kind(content.substr(0, 512));
    throw Error(ErrorCode::bad_npy_magic,
                kind.empty() ? "the file does not begin as an NPY file does"
                             : fmt::format("this looks like {}, not like an NPY file", kind),
                "save the array with numpy.save", file);
  }
  const auto damaged = [&](std::string message) {
    throw Error(ErrorCode::bad_npy_header, std::move(message),
                "save the array again with numpy.save", file);
  };
  if (content.size() < 10) damaged("the NPY header is cut off");
  const int version = static_cast<unsigned char>(content[6]);
  if (version < 1 || version > 3) damaged(fmt::format("NPY version {} is not known", version));
  const std::size_t start = version == 1 ? 10 : 12;
  if (content.size() < start) damaged("the NPY header is cut off");
  const std::size_t length = little_endian(content.substr(8, start - 8));
  if (length > kLongestNpyHeader)
    damaged(fmt::format("the NPY header claims {}, at most {} are allowed", bytes(length),
                        bytes(kLongestNpyHeader)));
  if (length > content.size() - start)
    damaged(fmt::format("the NPY header claims {} bytes, the file has {}", length,
                        content.size() - start));
  NpyHeader header = parse_dictionary(content.substr(start, length), file, allow_text);
  header.data_offset = start + length;
  return header;
}

namespace {

std::string header_with_shape(std::string_view descr, std::string_view shape) {
  std::string dictionary =
      fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({}), }}", descr, shape);
  const std::size_t unpadded = 10 + dictionary.size() + 1;
  dictionary.append((64 - unpadded % 64) % 64, ' ');
  dictionary += '\n';
  std::string header(kMagic);
  header += {'\x01', '\x00', static_cast<char>(dictionary.size() & 0xFF),
             static_cast<char>(dictionary.size() >> 8)};
  return header + dictionary;
}

}  // namespace

std::string make_npy_header(std::string_view descr, Index n, Index dim) {
  return header_with_shape(descr, fmt::format("{}, {}", n, dim));
}

std::string make_npy_header(std::string_view descr, Index n) {
  return header_with_shape(descr, fmt::format("{},", n));
}

}  // namespace mercer::detail
