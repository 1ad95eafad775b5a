// NumPy's NPY arrays. Doubles, floats and bytes keep their type; other numbers are widened to
// double once. Every size is compared with the file before anything is allocated.
#include "mercer/core/text.h"
#include "mercer/data/missing.h"
#include "mercer/io/detail/column_choice.h"
#include "mercer/io/detail/npy_header.h"
#include "mercer/io/detail/npy_values.h"
#include "mercer/io/table.h"

#include <fmt/format.h>

#include <algorithm>

namespace mercer {

const TableFormat& npy_format();

namespace {

using detail::NpyHeader;
using detail::NpyMatrix;

constexpr Index kMostColumns = 10'000'000;

// A product of extents that cannot be a size of anything becomes M422.
Index product(const std::vector<Index>& extents, std::size_t first, const std::string& file) {
  if (std::find(extents.begin() + static_cast<Index>(first), extents.end(), 0) != extents.end())
    return 0;
  __extension__ using Wide = __int128;
  Wide total = 1;
  for (std::size_t i = first; i < extents.size(); ++i) {
    total *= extents[i];
    if (total > (Wide{1} << 58))
      throw Error(ErrorCode::bad_npy_header, "the NPY header's extents are impossibly large",
                  "save the array again with numpy.save", file);
  }
  return static_cast<Index>(total);
}

void check_dimensions(const NpyHeader& header, bool images, const std::string& file) {
  const auto refuse = [&](std::string_view what, std::string hint) {
    throw Error(ErrorCode::npy_dimensions,
                fmt::format("the array has {}, a table has two dimensions: rows and columns", what),
                std::move(hint), file);
  };
  if (header.shape.empty()) refuse("no dimension (a single number)", "save a matrix");
  if (header.shape.size() == 1)
    refuse("one dimension",
           "one column: numpy.save(name, array.reshape(-1, 1)); "
           "one row: numpy.save(name, array.reshape(1, -1))");
  if (header.shape.size() > 2 && !images)
    refuse(fmt::format("{} dimensions", header.shape.size()),
           "flatten each entry of the first dimension, such as an image, to one row: --images");
}

// Rows, columns and bytes, all proved against the file.
NpyMatrix checked_matrix(std::string_view content, const NpyHeader& header,
                         const ReadOptions& options, Table& result, const std::string& file) {
  check_dimensions(header, options.images, file);
  const Index n = header.shape[0];
  const Index dim = product(header.shape, 1, file);
  if (n == 0)
    throw Error(ErrorCode::no_rows, "the array has no rows", "save an array with rows", file);
  if (dim == 0)
    throw Error(ErrorCode::nothing_numeric, "the array has no columns",
                "save an array with columns", file);
  const Index need = product({n, dim, header.type.size}, 0, file);
  const std::string_view data = content.substr(header.data_offset);
  const auto have = static_cast<Index>(data.size());
  if (need > have)
    throw Error(ErrorCode::npy_truncated,
                fmt::format("{} x {} elements of {} need {} bytes, the file has {}", n, dim,
                            header.type.text, need, have),
                "the file was cut off: copy or save it again", file);
  if (dim > kMostColumns)
    throw Error(ErrorCode::too_many_columns,
                fmt::format("the array has {} columns, at most {} are allowed", grouped(dim),
                            grouped(kMostColumns)),
                "is the array transposed?", file);
  if (need < have)
    result.warnings.push_back(
        {WarningCode::npy_extra_bytes,
         fmt::format("{} bytes after the array's data were ignored", have - need)});
  if (header.shape.size() > 2)
    result.notes.push_back(
        {fmt::format("{}-dimensional entries are flattened to rows of {} numbers",
                     header.shape.size() - 1, dim),
         "--images"});
  return {data.substr(0, static_cast<std::size_t>(need)), header.type, n, header.shape,
          header.fortran_order};
}

void check_memory(std::uint64_t content, std::uint64_t numbers, const Context& context,
                  const std::string& file) {
  if (content + numbers <= context.budget.memory) return;
  throw Error(
      ErrorCode::over_memory,
      fmt::format("the array needs {} for the file and {} for its numbers, the budget is {}",
                  bytes(content), bytes(numbers), bytes(context.budget.memory)),
      "allow more memory, or keep fewer columns (--memory, --columns)", file);
}

Labels labels_from(const NpyMatrix& matrix, Index column) {
  std::vector<std::string> texts;
  for (Index i = 0; i < matrix.n; ++i) texts.push_back(exact(detail::element(matrix, i, column)));
  return Labels::from_texts(fmt::format("col{}", column + 1), texts);
}

Table read_npy(std::string_view content, const std::string& file, const ReadOptions& options,
               const Context& context) {
  const Missing policy = missing_policy(options.missing);
  Table result;
  result.format = "npy";
  const NpyHeader header = detail::parse_npy_header(content, file);
  const NpyMatrix matrix = checked_matrix(content, header, options, result, file);
  const Index dim = detail::columns_of(matrix);
  const auto choice = detail::choose_columns(dim, {}, options, file);
  if (choice.kept.empty())
    throw Error(ErrorCode::nothing_numeric, "no column is left",
                "keep a column (--columns, --drop, --label)", file);

  const Scalar type = detail::kept_type(header.type);
  const std::uint64_t size =
      choice.kept.size() * size_of(type) * static_cast<std::uint64_t>(matrix.n);
  check_memory(content.size(), size, context, file);
  Dataset data(detail::gather(matrix, choice.kept, context), type, matrix.n,
               static_cast<Index>(choice.kept.size()));
  if (choice.label) data.labels = labels_from(matrix, *choice.label);
  try {
    WithoutMissing whole = treat_missing(std::move(data), policy);
    result.data = std::move(whole.data);
    result.rows_dropped = whole.rows_dropped;
    result.cells_filled = whole.cells_filled;
  } catch (const Error& error) {
    throw error.at(file);
  }
  context.report("read", 1);
  return result;
}

// A float or byte survives the way through double unchanged.
template <class T>
void append_numbers(std::string& out, const std::vector<double>& row, const T*) {
  for (const double number : row) {
    const auto value = static_cast<T>(number);
    out.append(reinterpret_cast<const char*>(&value), sizeof value);
  }
}

std::string write_npy(DataView table, const WriteOptions&) {
  const std::string_view descr = table.type() == Scalar::f64   ? "<f8"
                                 : table.type() == Scalar::f32 ? "<f4"
                                                               : "|u1";
  std::string out = detail::make_npy_header(descr, table.n(), table.dim());
  const std::size_t size = size_of(table.type());
  out.reserve(out.size() + static_cast<std::size_t>(table.n() * table.dim()) * size);
  std::vector<double> row(static_cast<std::size_t>(table.dim()));
  for (Index i = 0; i < table.n(); ++i) {
    table.copy_row(i, row.data());
    table.visit([&](const auto* type) { append_numbers(out, row, type); });
  }
  return out;
}

}  // namespace

const TableFormat& npy_format() {
  static const TableFormat kFormat{
      .name = "npy",
      .summary = "NumPy array of two dimensions",
      .extensions = {".npy"},
      .recognise = detail::has_npy_magic,
      .read = read_npy,
      .write = write_npy,
  };
  return kFormat;
}

}  // namespace mercer
