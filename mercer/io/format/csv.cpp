// Text tables: comma, semicolon, tab, bar or space between the cells. Reading takes one walk over
// the text for the numbers and, where there are text columns, further ones for labels and row
// names. Writing gives the shortest digits that read back as the same number.
#include "mercer/core/check.h"
#include "mercer/core/text.h"
#include "mercer/data/missing.h"
#include "mercer/io/detail/column_choice.h"
#include "mercer/io/detail/csv_columns.h"
#include "mercer/io/detail/csv_texts.h"
#include "mercer/io/detail/file_kind.h"
#include "mercer/io/table.h"

#include <fmt/compile.h>
#include <fmt/format.h>

#include <iterator>

namespace mercer {

const TableFormat& csv_format();

namespace {

using detail::ColumnTypes;
using detail::CsvValues;
using detail::TextTable;

std::vector<Index> columns_at(const CsvValues& values, const std::vector<std::size_t>& slots) {
  std::vector<Index> columns;
  columns.reserve(slots.size());
  for (const std::size_t slot : slots) columns.push_back(values.columns()[slot]);
  return columns;
}

// A first column 1, 2, 3, ... is more likely a row number than a measurement.
bool counts_rows(const CsvValues& values, const ColumnTypes& types) {
  if (values.rows() < 4 || types.numeric.size() < 2 || types.numeric[0] != 0) return false;
  const double start = values.at(0, 0);
  if (start != 0 && start != 1) return false;
  for (Index i = 0; i < values.rows(); ++i)
    if (values.at(i, 0) != start + static_cast<double>(i)) return false;
  return true;
}

void note_columns(const CsvValues& values, const ColumnTypes& types,
                  const std::vector<std::string>& names, std::vector<Note>& notes) {
  for (const std::size_t slot : types.empty)
    notes.push_back(
        {detail::column_text(values.columns()[slot], names) + " is empty and left out", ""});
  if (!counts_rows(values, types)) return;
  const std::string title = detail::column_text(values.columns()[0], names);
  notes.push_back({title + " counts the rows and is used as a measurement",
                   fmt::format("--drop {}", values.columns()[0] + 1)});
}

// The numbers of the numeric columns with their names.
Dataset take_numbers(CsvValues& values, const ColumnTypes& types,
                     const std::vector<std::string>& names) {
  const auto dim = static_cast<Index>(types.numeric.size());
  std::vector<std::string> kept;
  for (const Index column : columns_at(values, types.numeric))
    kept.push_back(names[static_cast<std::size_t>(column)]);
  Dataset data(values.take(types.numeric), Scalar::f64, values.rows(), dim);
  data.column_names = std::move(kept);
  return data;
}

ReadOptions with_tabs(ReadOptions options) {
  if (options.format == "tsv" && !options.delimiter) options.delimiter = '\t';
  return options;
}

Table read_csv(std::string_view content, const std::string& file, const ReadOptions& asked,
               const Context& context) {
  const ReadOptions options = with_tabs(asked);
  const Missing policy = missing_policy(options.missing);
  Table result;
  result.format = "csv";
  const TextTable table = detail::open_text(content, file, options, result.notes);
  const std::vector<std::string> names = detail::read_names(table, result.warnings);
  result.named_columns = table.dialect.header;

  const auto choice = detail::choose_columns(table.dialect.columns, names, options, file);
  CsvValues values(table, choice.kept, context);
  if (values.rows() == 0)
    throw Error(ErrorCode::no_rows, "the table has a header but no rows of data",
                "if the first row is data: --header no", file);
  ColumnTypes types = detail::judge_columns(table, values, names, result.warnings);
  std::optional<Index> numbered;
  if (options.label.empty() && options.columns.empty())
    numbered = detail::take_numbered_classes(values, names, types);
  const std::vector<Index> text_columns = columns_at(values, types.text);
  if (types.numeric.empty()) detail::throw_nothing_numeric(table, names, text_columns);
  if (policy == Missing::error) detail::check_none_missing(table, values, types, names);
  note_columns(values, types, names, result.notes);

  Dataset data = take_numbers(values, types, names);
  detail::RowTexts texts =
      detail::read_texts(table, names, text_columns, choice, numbered, context, result);
  data.labels = std::move(texts.labels);
  data.ids = std::move(texts.ids);
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

void append_text(std::string& out, std::string_view text, char delimiter) {
  const bool plain = text.find_first_of("\"\r\n") == text.npos &&
                     text.find(delimiter) == text.npos && trim(text).size() == text.size();
  if (plain) {
    out += text;
    return;
  }
  out += '"';
  for (const char c : text) {
    if (c == '"') out += '"';
    out += c;
  }
  out += '"';
}

void append_header(std::string& out, const WriteOptions& options, bool ids, const Labels* labels,
                   char delimiter) {
  if (options.column_names.empty()) return;
  if (ids) out += std::string("id") + delimiter;
  for (std::size_t j = 0; j < options.column_names.size(); ++j) {
    if (j > 0) out += delimiter;
    append_text(out, options.column_names[j], delimiter);
  }
  if (labels) {
    out += delimiter;
    append_text(out, labels->name.empty() ? "label" : labels->name, delimiter);
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
      append_text(out, (*options.ids)[static_cast<std::size_t>(i)], delimiter);
      out += delimiter;
    }
    table.visit([&](const auto* type) { append_numbers(out, row, delimiter, type); });
    if (labels) {
      if (table.dim() > 0) out += delimiter;
      const Index label = labels->of_row[static_cast<std::size_t>(i)];
      append_text(out, labels->classes[static_cast<std::size_t>(label)], delimiter);
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
