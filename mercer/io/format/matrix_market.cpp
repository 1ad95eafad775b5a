// Matrix Market text: coordinate matrices are kept sparse, arrays are dense (and stand in the file
// column by column). Of symmetric ones the file has the lower half; both are made.
#include "mercer/core/text.h"
#include "mercer/io/detail/finish_table.h"
#include "mercer/io/detail/market_entries.h"
#include "mercer/io/detail/market_header.h"
#include "mercer/io/detail/tidy_rows.h"
#include "mercer/io/table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <iterator>
#include <numeric>

namespace mercer {

const TableFormat& matrix_market_format();

namespace matrix_market_file {
namespace {

using detail::MarketEntries;
using detail::MarketEntry;
using detail::MarketHeader;
using Symmetry = MarketHeader::Symmetry;

std::vector<MarketEntry> read_entries(MarketEntries& reader, const MarketHeader& header) {
  const bool general = header.symmetry == Symmetry::general;
  std::vector<MarketEntry> entries;
  entries.reserve(static_cast<std::size_t>(header.entries) * (general ? 1 : 2));
  for (Index k = 0; k < header.entries; ++k) {
    const MarketEntry entry = reader.next_entry();
    entries.push_back(entry);
    if (general || entry.row == entry.column) continue;
    const double mirrored = header.symmetry == Symmetry::skew ? -entry.value : entry.value;
    entries.push_back({entry.column, entry.row, mirrored});
  }
  reader.expect_no_more();
  return entries;
}

// Entries row by row, in the order of the file within each.
SparseRows by_rows(const std::vector<MarketEntry>& entries, Index n) {
  SparseRows rows;
  rows.starts.assign(static_cast<std::size_t>(n) + 1, 0);
  rows.columns.resize(entries.size());
  rows.values.resize(entries.size());
  for (const MarketEntry& entry : entries) ++rows.starts[static_cast<std::size_t>(entry.row) + 1];
  std::partial_sum(rows.starts.begin(), rows.starts.end(), rows.starts.begin());
  std::vector<Index> next(rows.starts.begin(), rows.starts.end() - 1);
  for (const MarketEntry& entry : entries) {
    const auto place = static_cast<std::size_t>(next[static_cast<std::size_t>(entry.row)]++);
    rows.columns[place] = entry.column;
    rows.values[place] = entry.value;
  }
  return rows;
}

// The hold counts both the entries and the rows made of them, and the former are gone then.
Dataset read_sparse(MarketEntries& reader, const MarketHeader& header, MemoryAccount::Hold& hold,
                    Table& table) {
  SparseRows rows = by_rows(read_entries(reader, header), header.rows);
  hold.resize(detail::bytes_to_tidy(rows));
  if (const Index added = detail::tidy(rows); added > 0)
    table.notes.push_back(
        {fmt::format("{} entries of places that occur before were added up", grouped(added)), ""});
  return {std::move(rows), header.columns};
}

Dataset read_dense(MarketEntries& reader, const MarketHeader& header) {
  const Index n = header.rows, dim = header.columns;
  std::vector<std::byte> bytes(static_cast<std::size_t>(n * dim) * sizeof(double));
  const auto put = [&](Index row, Index column, double value) {
    std::memcpy(bytes.data() + (row * dim + column) * static_cast<Index>(sizeof value), &value,
                sizeof value);
  };
  const bool general = header.symmetry == Symmetry::general;
  const bool skew = header.symmetry == Symmetry::skew;
  for (Index j = 0; j < dim; ++j) {
    for (Index i = general ? 0 : skew ? j + 1 : j; i < n; ++i) {
      const double value = reader.next_number();
      put(i, j, value);
      if (!general && i != j) put(j, i, skew ? -value : value);
    }
  }
  reader.expect_no_more();
  return {std::move(bytes), Scalar::f64, n, dim};
}

std::uint64_t memory_of(const MarketHeader& header) {
  const auto rows = static_cast<std::uint64_t>(header.rows);
  if (!header.sparse) return rows * static_cast<std::uint64_t>(header.columns) * sizeof(double);
  const std::uint64_t copies = header.symmetry == Symmetry::general ? 1 : 2;
  return static_cast<std::uint64_t>(header.entries) * copies *
             (sizeof(MarketEntry) + sizeof(double) + sizeof(std::int32_t)) +
         rows * 2 * sizeof(Index);
}

Table read_matrix_market(Source& source, const ReadOptions& options, const Context& context) {
  const std::string& file = source.name();
  const std::string_view content = source.all();
  const MarketHeader header = detail::parse_market_header(content, file);
  if (header.rows == 0) throw Error(ErrorCode::no_rows, "the matrix has no rows", {}, file);
  if (header.columns == 0)
    throw Error(ErrorCode::nothing_numeric, "the matrix has no columns", {}, file);
  detail::check_columns(header.columns, file);
  MemoryAccount::Hold hold = context.hold(memory_of(header), "the entries of the matrix");
  Table table;
  table.format = "matrix_market";
  MarketEntries reader(content, header, options, context, file);
  Dataset data =
      header.sparse ? read_sparse(reader, header, hold, table) : read_dense(reader, header);
  if (reader.underflows() > 0)
    table.warnings.push_back(
        {WarningCode::number_underflows,
         fmt::format("{} numbers too small for a double became 0", grouped(reader.underflows()))});
  detail::finish_table(table, std::move(data), options, context, file);
  return table;
}

// Columns come one after another, so that all rows must be there.
void write_matrix_market(TableRows& rows, const WriteOptions&, Sink& sink) {
  const DataView table = rows.all();
  BufferedSink out(sink);
  const auto add = std::back_inserter(out.text);
  if (table.sparse()) {
    fmt::format_to(add, "%%MatrixMarket matrix coordinate real general\n{} {} {}\n", table.n(),
                   table.dim(), table.stored());
    for (Index i = 0; i < table.n(); ++i) {
      const SparseRow row = table.sparse_row(i);
      for (Index k = 0; k < row.count; ++k) {
        fmt::format_to(add, "{} {} {}\n", i + 1, row.columns[k] + 1, row.values[k]);
        out.flush_if_long();
      }
    }
  } else {
    fmt::format_to(add, "%%MatrixMarket matrix array real general\n{} {}\n", table.n(),
                   table.dim());
    for (Index j = 0; j < table.dim(); ++j)
      for (Index i = 0; i < table.n(); ++i) {
        fmt::format_to(add, "{}\n", table.at(i, j));
        out.flush_if_long();
      }
  }
  out.flush();
}

}  // namespace
}  // namespace matrix_market_file

const TableFormat& matrix_market_format() {
  using namespace matrix_market_file;
  static const TableFormat kFormat{
      .name = "matrix_market",
      .summary = "Matrix Market text; coordinate matrices are kept sparse",
      .extensions = {".mtx"},
      .recognise = detail::has_market_banner,
      .read = read_matrix_market,
      .write = write_matrix_market,
      .takes = {"na"},
  };
  return kFormat;
}

}  // namespace mercer
