#include "mercer/io/detail/numpy/npy_table.h"

#include "mercer/core/text.h"
#include "mercer/io/detail/finish_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace mercer::detail {
namespace {

void check_dimensions(const NpyHeader& header, bool images, const std::string& file) {
  const auto refuse = [&](std::string_view what, std::string hint) {
    throw Error(ErrorCode::npy_dimensions,
                fmt::format("the array has {}, a table has two dimensions: rows and columns", what),
                std::move(hint), file);
  };
  if (header.shape.empty()) refuse("no dimension (a single number)", "save a matrix");
  if (header.shape.size() == 1)
    refuse("one dimension",
           "one column: array.reshape(-1, 1); one row: array.reshape(1, -1); distances of SciPy's "
           "pdist: squareform(array)");
  if (header.shape.size() > 2 && !images)
    refuse(fmt::format("{} dimensions", header.shape.size()),
           "flatten each entry of the first dimension, such as an image, to one row: --images");
}

std::string_view data_of(std::string_view content, const NpyHeader& header, Index need,
                         const std::string& file) {
  const std::string_view data = content.substr(header.data_offset);
  check_npy_bytes(header, need, data.size(), file);
  return data.substr(0, static_cast<std::size_t>(need));
}

void append_utf8(std::string& out, std::uint32_t c) {
  const auto add = [&](std::uint32_t byte) { out += static_cast<char>(byte); };
  const auto tail = [&](int shift) { add(0x80 | (c >> shift & 0x3F)); };
  if (c > 0x10FFFF || (c >= 0xD800 && c < 0xE000)) c = 0xFFFD;
  if (c < 0x80) return add(c);
  if (c < 0x800) return add(0xC0 | c >> 6), tail(0);
  if (c < 0x10000) return add(0xE0 | c >> 12), tail(6), tail(0);
  add(0xF0 | c >> 18), tail(12), tail(6), tail(0);
}

// The characters of UTF-8; a byte that belongs to none becomes the replacement character.
std::u32string wide(std::string_view text) {
  std::u32string out;
  for (std::size_t i = 0; i < text.size();) {
    const auto lead = static_cast<unsigned char>(text[i]);
    const std::size_t length = lead < 0x80 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
    const std::string_view character = text.substr(i, length);
    if (!is_utf8(character) || character.size() < length) {
      out += U'\uFFFD';
      ++i;
      continue;
    }
    char32_t value = lead < 0x80 ? lead : lead & (0x7FU >> length);
    for (const char next : character.substr(1)) value = value << 6 | (next & 0x3F);
    out += value;
    i += length;
  }
  return out;
}

// One element of fixed width, padded with zeros.
std::string text_at(std::string_view element, const NpyType& type) {
  std::string out;
  if (type.kind == 'S') {
    out = element.substr(0, element.find_last_not_of('\0') + 1);
    return is_utf8(out) ? out : printable(out);
  }
  std::size_t zeros = 0;  // those at the end only pad
  for (std::size_t i = 0; i + 4 <= element.size(); i += 4) {
    std::uint32_t c = 0;
    for (std::size_t k = 0; k < 4; ++k)
      c = c << 8 | static_cast<unsigned char>(element[i + (type.big_endian ? k : 3 - k)]);
    if (c == 0) {
      ++zeros;
      continue;
    }
    out.append(std::exchange(zeros, 0), '\0');
    append_utf8(out, c);
  }
  return out;
}

}  // namespace

void check_npy_bytes(const NpyHeader& header, Index need, std::uint64_t there,
                     const std::string& file) {
  if (static_cast<std::uint64_t>(need) <= there) return;
  throw Error(ErrorCode::npy_truncated,
              fmt::format("{} elements of {} need {} bytes, the array has {}",
                          fmt::join(header.shape, " x "), header.type.text, need, there),
              "the file was cut off: copy or save it again", file);
}

Index product_of(const std::vector<Index>& extents, std::size_t first, const std::string& file) {
  if (std::find(extents.begin() + static_cast<Index>(first), extents.end(), 0) != extents.end())
    return 0;
  __extension__ using Wide = __int128;
  Wide total = 1;
  for (std::size_t i = first; i < extents.size(); ++i) {
    total *= extents[i];
    if (total > (Wide{1} << 58))
      throw Error(ErrorCode::bad_npy_header, "the NPY header's extents are impossibly large",
                  "save the array again", file);
  }
  return static_cast<Index>(total);
}

NpyExtents npy_extents(const NpyHeader& header, bool images, const std::string& file) {
  check_dimensions(header, images, file);
  const Index n = header.shape[0];
  const Index dim = product_of(header.shape, 1, file);
  if (n == 0)
    throw Error(ErrorCode::no_rows, "the array has no rows", "save an array with rows", file);
  if (dim == 0)
    throw Error(ErrorCode::nothing_numeric, "the array has no columns",
                "save an array with columns", file);
  NpyExtents extents{n, dim, product_of({n, dim, header.type.size}, 0, file), {}};
  if (header.shape.size() > 2 && header.shape.size() <= 4)
    extents.image_shape.assign(header.shape.begin() + 1, header.shape.end());
  return extents;
}

NpyMatrix npy_matrix(std::string_view content, const NpyHeader& header, bool images, Table& table,
                     const std::string& file) {
  const auto [n, dim, need, image_shape] = npy_extents(header, images, file);
  const std::string_view data = data_of(content, header, need, file);
  check_columns(dim, file);
  if (const std::size_t more = content.size() - header.data_offset - data.size(); more > 0)
    table.warnings.push_back({WarningCode::npy_extra_bytes,
                              fmt::format("{} bytes after the array's data were ignored", more)});
  if (header.shape.size() > 2) {
    table.notes.push_back({fmt::format("{}-dimensional entries are flattened to rows of {} numbers",
                                       header.shape.size() - 1, dim),
                           "--images"});
    table.image_shape = image_shape;
  }
  return {data, header.type, n, header.shape, header.fortran_order};
}

std::vector<std::string> npy_texts(std::string_view content, const NpyHeader& header,
                                   const std::string& file) {
  const bool is_text = header.type.kind == 'U' || header.type.kind == 'S';
  constexpr Index kWidest = 1 << 20;  // bytes of a text: longer ones are a damaged header
  if (is_text && (header.type.size < 0 || header.type.size > kWidest))
    throw Error(ErrorCode::bad_npy_header,
                fmt::format("texts of type {} are impossibly long", header.type.text),
                "save the array again", file);
  const Index width = header.type.kind == 'U' ? 4 * header.type.size : header.type.size;
  const Index n = product_of(header.shape, 0, file);
  const std::string_view data = data_of(content, header, product_of({n, width}, 0, file), file);
  const NpyMatrix matrix{data, header.type, n, {n}, false};
  std::vector<std::string> texts;
  // Texts of no width take no bytes: their number is backed by nothing.
  if (width == 0 && n > 0)
    throw Error(ErrorCode::bad_npy_header, "the array's texts have no characters",
                "save the array again", file);
  for (Index i = 0; i < n; ++i)
    texts.push_back(is_text ? text_at(data.substr(static_cast<std::size_t>(i * width),
                                                  static_cast<std::size_t>(width)),
                                      header.type)
                            : exact(element(matrix, i, 0)));
  return texts;
}

void write_npy_texts(std::size_t count, const std::function<const std::string&(std::size_t)>& text,
                     Sink& sink) {
  std::size_t width = 1;
  for (std::size_t i = 0; i < count; ++i) width = std::max(width, wide(text(i)).size());
  sink.write(make_npy_header(fmt::format("<U{}", width), static_cast<Index>(count)));
  BufferedSink out(sink);
  for (std::size_t i = 0; i < count; ++i) {
    std::u32string characters = wide(text(i));
    characters.resize(width);
    for (const char32_t c : characters)
      for (int shift = 0; shift < 32; shift += 8) out.text += static_cast<char>(c >> shift & 0xFF);
    out.flush_if_long();
  }
  out.flush();
}

}  // namespace mercer::detail
