#include "mercer/io/detail/numpy/scipy_sparse.h"

#include "mercer/core/text.h"
#include "mercer/io/detail/finish_table.h"
#include "mercer/io/detail/numpy/npy_table.h"
#include "mercer/io/detail/tidy_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace mercer::detail {
namespace {

const NpzArray* array_called(const std::vector<NpzArray>& arrays, std::string_view name) {
  const auto found = std::ranges::find(arrays, name, &NpzArray::name);
  return found == arrays.end() ? nullptr : &*found;
}

[[noreturn]] void refuse_matrix(const std::string& what, const std::string& file) {
  throw Error(ErrorCode::bad_npz, "a sparse matrix of SciPy: " + what,
              "save it again: scipy.sparse.save_npz(FILE, matrix.tocsr())", file);
}

class ScipyArrays {
 public:
  ScipyArrays(const std::vector<NpzArray>& arrays, const Context& context, const std::string& file)
      : arrays_(arrays), context_(context), file_(file) {}

  std::string text(std::string_view name) const {
    const NpzArray& array = needed(name);
    std::string store;
    const std::string_view content = unpacked(array, store);
    NpyHeader header = parse_npy_header(content, file_, true);
    header.shape = {1};  // a single text has no extents
    return npy_texts(content, header, file_).at(0);
  }

  /// The numbers of an array of one dimension.
  std::vector<double> numbers(std::string_view name) const {
    const NpzArray& array = needed(name);
    const MemoryAccount::Hold hold =
        context_.hold(array.entry.deflated ? array.entry.size : 0, "the unpacked arrays");
    std::string store;
    const std::string_view content = unpacked(array, store);
    const NpyHeader header = parse_npy_header(content, file_);
    if (header.shape.size() != 1)
      refuse_matrix(fmt::format("array {} is no list of numbers", name), file_);
    const Index n = header.shape[0];
    const Index need = product_of({n, header.type.size}, 0, file_);
    check_npy_bytes(header, need, content.size() - header.data_offset, file_);
    const NpyMatrix matrix{content.substr(header.data_offset, static_cast<std::size_t>(need)),
                           header.type,
                           n,
                           {n},
                           false};
    const Dataset column(gather(matrix, {0}, context_), kept_type(header.type), n, 1);
    std::vector<double> values(static_cast<std::size_t>(n));
    for (Index i = 0; i < n; ++i) values[static_cast<std::size_t>(i)] = column.view().at(i, 0);
    return values;
  }

  /// The same where they are whole and below the limit.
  std::vector<Index> places(std::string_view name, Index limit) const {
    const std::vector<double> values = numbers(name);
    std::vector<Index> whole(values.size());
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (!(values[i] >= 0) || values[i] >= static_cast<double>(limit) ||
          values[i] != std::floor(values[i]))
        refuse_matrix(fmt::format("array {} has {} where whole numbers below {} belong", name,
                                  exact(values[i]), limit),
                      file_);
      whole[i] = static_cast<Index>(values[i]);
    }
    return whole;
  }

  /// Elements of an array, as its header says them.
  std::uint64_t count(std::string_view name) const {
    const NpzArray& array = needed(name);
    return array.header.shape.size() == 1 ? static_cast<std::uint64_t>(array.header.shape[0]) : 0;
  }

 private:
  const NpzArray& needed(std::string_view name) const {
    const NpzArray* array = array_called(arrays_, name);
    if (array == nullptr) refuse_matrix(fmt::format("it lacks array {}", name), file_);
    if (array->fault) throw array->fault->at(fmt::format("{}:{}", file_, printable(array->name)));
    return *array;
  }

  std::string_view unpacked(const NpzArray& array, std::string& store) const {
    return zip_content(array.entry, store, file_, context_);
  }

  const std::vector<NpzArray>& arrays_;
  const Context& context_;
  const std::string& file_;
};

// Where the entries of each row (or column) begin: rising from 0 to their number.
std::vector<Index> starts_of(const ScipyArrays& arrays, Index lines, std::size_t entries,
                             const std::string& file) {
  std::vector<Index> starts = arrays.places("indptr", static_cast<Index>(entries) + 1);
  if (static_cast<Index>(starts.size()) != lines + 1 || starts.front() != 0 ||
      starts.back() != static_cast<Index>(entries) || !std::ranges::is_sorted(starts))
    refuse_matrix(fmt::format("array indptr does not part {} entries into {}", entries, lines),
                  file);
  return starts;
}

// Entries in any order, as rows.
SparseRows sorted_by_rows(const std::vector<Index>& row, const std::vector<Index>& column,
                          const std::vector<double>& values, Index n) {
  SparseRows rows;
  rows.starts.assign(static_cast<std::size_t>(n) + 1, 0);
  rows.columns.resize(values.size());
  rows.values.resize(values.size());
  for (const Index i : row) ++rows.starts[static_cast<std::size_t>(i) + 1];
  std::partial_sum(rows.starts.begin(), rows.starts.end(), rows.starts.begin());
  std::vector<Index> next(rows.starts.begin(), rows.starts.end() - 1);
  for (std::size_t k = 0; k < values.size(); ++k) {
    const auto place = static_cast<std::size_t>(next[static_cast<std::size_t>(row[k])]++);
    rows.columns[place] = static_cast<std::int32_t>(column[k]);
    rows.values[place] = values[k];
  }
  return rows;
}

// The line of each entry.
std::vector<Index> lines_of(const std::vector<Index>& starts) {
  std::vector<Index> lines(static_cast<std::size_t>(starts.back()));
  for (std::size_t i = 0; i + 1 < starts.size(); ++i)
    std::fill(lines.begin() + starts[i], lines.begin() + starts[i + 1], static_cast<Index>(i));
  return lines;
}

struct Extents {
  Index n = 0, dim = 0;
};

Extents extents_of(const ScipyArrays& arrays, const std::string& file) {
  constexpr Index kMostRows = Index{1} << 48;
  if (arrays.count("shape") != 2) refuse_matrix("array shape is no pair of numbers", file);
  const std::vector<Index> shape = arrays.places("shape", kMostRows);
  if (shape[0] == 0) throw Error(ErrorCode::no_rows, "the matrix has no rows", {}, file);
  if (shape[1] == 0) throw Error(ErrorCode::nothing_numeric, "the matrix has no columns", {}, file);
  check_columns(shape[1], file);
  return {shape[0], shape[1]};
}

SparseRows rows_of(const ScipyArrays& arrays, const std::string& format, Extents extents,
                   const std::string& file) {
  const auto [n, dim] = extents;
  const bool by_columns = format == "csc";
  std::vector<double> values = arrays.numbers("data");
  const auto check_count = [&](const std::vector<Index>& places) {
    if (places.size() != values.size())
      refuse_matrix(fmt::format("{} entries have {} places", values.size(), places.size()), file);
  };
  if (format == "coo") {
    const std::vector<Index> row = arrays.places("row", n), column = arrays.places("col", dim);
    check_count(row);
    check_count(column);
    return sorted_by_rows(row, column, values, n);
  }
  const std::vector<Index> places = arrays.places("indices", by_columns ? n : dim);
  check_count(places);
  std::vector<Index> starts = starts_of(arrays, by_columns ? dim : n, values.size(), file);
  if (by_columns) return sorted_by_rows(places, lines_of(starts), values, n);
  return {std::move(starts), {places.begin(), places.end()}, std::move(values)};
}

}  // namespace

bool is_scipy_sparse(const std::vector<NpzArray>& arrays) {
  const NpzArray* format = array_called(arrays, "format");
  const bool text = format != nullptr && !format->fault && format->header.shape.empty() &&
                    (format->header.type.kind == 'S' || format->header.type.kind == 'U');
  return text && array_called(arrays, "shape") != nullptr &&
         array_called(arrays, "data") != nullptr;
}

Table read_scipy_sparse(const std::vector<NpzArray>& found, const ReadOptions& options,
                        const Context& context, const std::string& file) {
  const ScipyArrays arrays(found, context, file);
  const std::string format = arrays.text("format");
  if (format != "csr" && format != "csc" && format != "coo")
    refuse_matrix(fmt::format("format {} is not read, only csr, csc and coo", printable(format)),
                  file);
  const Extents extents = extents_of(arrays, file);
  // Values and places, as they are in the file and in order.
  constexpr std::uint64_t kEntry = 6 * sizeof(double);
  MemoryAccount::Hold hold = context.hold(
      arrays.count("data") * kEntry + static_cast<std::uint64_t>(extents.n) * 2 * sizeof(Index),
      "the entries of the matrix");
  SparseRows rows = rows_of(arrays, format, extents, file);
  hold.resize(bytes_to_tidy(rows));
  Table table;
  table.format = "npz";
  table.notes.push_back({fmt::format("a sparse matrix of SciPy ({})", format), ""});
  if (const Index added = tidy(rows); added > 0)
    table.notes.push_back(
        {fmt::format("{} entries of places that occur before were added up", grouped(added)), ""});
  finish_table(table, Dataset(std::move(rows), extents.dim), options, context, file);
  return table;
}

}  // namespace mercer::detail
