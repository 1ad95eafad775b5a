// NumPy's NPY arrays. Doubles, floats and bytes keep their type; other numbers are widened to
// double once. Numbers that stay as they are stay in the memory they were read into, so that an
// array as large as the memory allows can be read.
#include "mercer/data/missing.h"
#include "mercer/io/detail/finish_table.h"
#include "mercer/io/detail/growing_bytes.h"
#include "mercer/io/detail/numpy/npy_header.h"
#include "mercer/io/detail/numpy/npy_table.h"
#include "mercer/io/detail/row_layout.h"
#include "mercer/io/table.h"

#include <algorithm>
#include <cstring>

namespace mercer {

const TableFormat& npy_format();

namespace npy_file {
namespace {

using detail::NpyHeader;
using detail::NpyMatrix;

// The file in memory that can become the array's own. What a pipe brings is counted in steps that
// become small where little is left.
detail::GrowingBytes take_all(Source& source, const Context& context) {
  constexpr std::uint64_t kPiece = std::uint64_t{8} << 20, kSmallest = 4096;  // bytes of a step
  detail::GrowingBytes content(context.hold(0, "the bytes of the array"));
  if (source.size()) content.expect(*source.size());
  std::size_t got = 0;
  do {
    const std::uint64_t step = std::clamp(context.memory_left() / 2, kSmallest, kPiece);
    const std::uint64_t left = source.size().value_or(content.size() + step) - content.size();
    const auto count = static_cast<std::size_t>(std::min(kPiece, left));
    got = source.read(reinterpret_cast<char*>(content.room_for(count)), count);
    content.added(got);
    context.check_cancelled();
    context.report("read", source.share());
  } while (got > 0);
  content.shorten(content.size());
  return content;
}

// Whether the data are the result as they stand in the file.
bool is_final(const NpyMatrix& matrix, const ReadOptions& options) {
  const Scalar type = detail::kept_type(matrix.type);
  const bool as_stored = type != Scalar::f64 || (matrix.type.kind == 'f' && matrix.type.size == 8 &&
                                                 !matrix.type.big_endian);
  return as_stored && !matrix.fortran_order && options.columns.only.empty() &&
         options.columns.drop.empty() && options.columns.label.empty() &&
         options.columns.targets.empty();
}

Table read_npy(Source& source, const ReadOptions& options, const Context& context) {
  const std::string& file = source.name();
  // What is wrong from the start is said before a long read.
  missing_policy(options.columns.missing);
  if (!detail::has_npy_magic(source.head())) detail::parse_npy_header(source.head(), file);
  Table result;
  result.format = "npy";
  detail::GrowingBytes bytes = take_all(source, context);
  const std::string_view content = bytes.text();
  const NpyHeader header = detail::parse_npy_header(content, file);
  const NpyMatrix matrix = detail::npy_matrix(content, header, options.images, result, file);
  if (!is_final(matrix, options)) {
    detail::finish_table(result, matrix, {}, options, context, file);
    return result;
  }
  // The numbers move to the front, in the same memory.
  std::memmove(bytes.data(), matrix.data.data(), matrix.data.size());
  bytes.shorten(matrix.data.size());
  Dataset data(bytes.take(), detail::kept_type(matrix.type), matrix.n, detail::columns_of(matrix));
  detail::finish_table(result, std::move(data), options, context, file);
  return result;
}

detail::RowLayout npy_layout(std::string_view head, std::uint64_t size, const ReadOptions& options,
                             const std::string& file) {
  const NpyHeader header = detail::parse_npy_header(head, file);
  detail::NpyExtents extents = detail::npy_extents(header, options.images, file);
  detail::check_npy_bytes(header, extents.need,
                          size - std::min<std::uint64_t>(size, header.data_offset), file);
  detail::check_columns(extents.dim, file);
  return {header.type,          extents.n,
          extents.dim,          header.data_offset,
          header.fortran_order, std::move(extents.image_shape)};
}

// A float or byte survives the way through double unchanged.
template <class T>
void append_numbers(std::string& out, const std::vector<double>& row, const T*) {
  for (const double number : row) {
    const auto value = static_cast<T>(number);
    out.append(reinterpret_cast<const char*>(&value), sizeof value);
  }
}

void write_npy(TableRows& rows, const WriteOptions&, Sink& sink) {
  const std::string_view descr = rows.type() == Scalar::f64   ? "<f8"
                                 : rows.type() == Scalar::f32 ? "<f4"
                                                              : "|u1";
  sink.write(detail::make_npy_header(descr, rows.n(), rows.dim()));
  BufferedSink out(sink);
  std::vector<double> row(static_cast<std::size_t>(rows.dim()));
  rows.each_block([&](DataView block) {
    if (block.contiguous_rows())  // as they lie in memory
      return sink.write({static_cast<const char*>(block.data()),
                         static_cast<std::size_t>(block.stored()) * size_of(block.type())});
    for (Index i = 0; i < block.n(); ++i) {
      block.copy_row(i, row.data());
      block.visit([&](const auto* type) { append_numbers(out.text, row, type); });
      out.flush_if_long();
    }
    out.flush();
  });
}

}  // namespace
}  // namespace npy_file

const TableFormat& npy_format() {
  using namespace npy_file;
  static const TableFormat kFormat{
      .name = "npy",
      .summary = "NumPy array of two dimensions",
      .extensions = {".npy"},
      .recognise = detail::has_npy_magic,
      .read = read_npy,
      .write = write_npy,
      .layout = npy_layout,
      .takes = {"images"},
  };
  return kFormat;
}

}  // namespace mercer
