// Text tables: comma, semicolon, tab, bar or space between the cells. Writing gives the shortest
// digits that read back as the same number.
#include "mercer/core/check.h"
#include "mercer/io/detail/csv_cells.h"
#include "mercer/io/detail/csv_table.h"
#include "mercer/io/detail/file_kind.h"
#include "mercer/io/table.h"

#include <fmt/compile.h>
#include <fmt/format.h>

#include <iterator>

namespace mercer {

const TableFormat& csv_format();

namespace {

Table read_csv(Source& source, const ReadOptions& options, const Context& context) {
  return detail::read_text_table(source, options, context);
}

void append_header(std::string& out, const WriteOptions& options, bool ids, const Labels* labels,
                   char delimiter) {
  if (options.column_names.empty()) return;
  if (ids) {
    detail::append_cell(out, options.ids_name.empty() ? "id" : options.ids_name, delimiter);
    out += delimiter;
  }
  for (std::size_t j = 0; j < options.column_names.size(); ++j) {
    if (j > 0) out += delimiter;
    detail::append_cell(out, options.column_names[j], delimiter);
  }
  if (labels) {
    out += delimiter;
    detail::append_cell(out, labels->name.empty() ? "label" : labels->name, delimiter);
  }
  out += '\n';
}

// Back in the type they came from: a float has fewer digits than the double it was copied to.
template <class T>
void append_numbers(std::string& out, const std::vector<double>& row, char delimiter, const T*) {
  for (std::size_t j = 0; j < row.size(); ++j) {
    if (j > 0) out += delimiter;
    fmt::format_to(std::back_inserter(out), FMT_COMPILE("{}"), static_cast<T>(row[j]));
  }
}

std::string write_csv(DataView table, const WriteOptions& options) {
  const char delimiter = options.format == "tsv" || options.format == "tab" ? '\t' : ',';
  MERCER_ASSERT(options.column_names.empty() ||
                static_cast<Index>(options.column_names.size()) == table.dim());
  // A table without classes may come with empty ones.
  const Labels* labels = options.labels && !options.labels->empty() ? options.labels : nullptr;
  MERCER_ASSERT(!labels || static_cast<Index>(labels->of_row.size()) == table.n());
  std::string out;
  const bool ids = options.ids != nullptr && !options.ids->empty();
  MERCER_ASSERT(!ids || static_cast<Index>(options.ids->size()) == table.n());
  append_header(out, options, ids, labels, delimiter);
  std::vector<double> row(static_cast<std::size_t>(table.dim()));
  for (Index i = 0; i < table.n(); ++i) {
    table.copy_row(i, row.data());
    if (ids) {
      detail::append_cell(out, (*options.ids)[static_cast<std::size_t>(i)], delimiter);
      out += delimiter;
    }
    table.visit([&](const auto* type) { append_numbers(out, row, delimiter, type); });
    if (labels) {
      if (table.dim() > 0) out += delimiter;
      const Index label = labels->of_row[static_cast<std::size_t>(i)];
      detail::append_cell(out, labels->classes[static_cast<std::size_t>(label)], delimiter);
    }
    out += '\n';
  }
  return out;
}

}  // namespace

const TableFormat& csv_format() {
  static const TableFormat kFormat{
      .name = "csv",
      .summary = "text with commas, semicolons, tabs, bars or spaces",
      .extensions = {".csv", ".tsv", ".tab", ".txt", ".dat"},
      .recognise = detail::looks_like_text,
      .read = read_csv,
      .write = write_csv,
  };
  return kFormat;
}

}  // namespace mercer
