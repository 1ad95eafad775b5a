#include "mercer/io/detail/csv_rows.h"

#include "mercer/core/text.h"
#include "mercer/io/detail/file_kind.h"

#include <fmt/format.h>

#include <algorithm>

namespace mercer::detail {
namespace {

constexpr std::size_t kHead = 4096;
constexpr const char* kGiveRows = "give a file with rows of numbers";

Index line_number(std::string_view content, std::size_t position) {
  const auto end = content.begin() + static_cast<Index>(position);
  return std::count(content.begin(), end, '\n') + 1;
}

void check_is_text(std::string_view content, const std::string& file) {
  const std::string_view head = content.substr(0, kHead);
  if (const auto kind = file_kind(head); !kind.empty())
    throw Error(ErrorCode::not_a_table, fmt::format("this looks like {}, not like a table", kind),
                "give a table of numbers, such as CSV or NPY", file);
  if (const auto encoding = wide_encoding(head); !encoding.empty())
    throw Error(ErrorCode::not_utf8, fmt::format("the text is {}, not UTF-8", encoding),
                fmt::format("convert it: iconv -f {} -t UTF-8 {} > utf8.csv", encoding, file),
                file);
  const std::size_t nul = content.find('\0');
  if (nul != content.npos && looks_like_text(content.substr(0, std::min(nul, kHead))))
    throw Error(ErrorCode::nul_bytes, "the line holds a zero byte, so this is not text",
                "check how the file was written; it may be damaged",
                fmt::format("{}:{}", file, line_number(content, nul)));
  if (nul != content.npos || !looks_like_text(head))
    throw Error(ErrorCode::not_a_table, "this looks like binary data, not like a table",
                "give a table of numbers, such as CSV or NPY", file);
}

// Cuts off the first lines; all of them where there are fewer.
std::string_view after_lines(std::string_view content, Index lines, char line_end) {
  for (; lines > 0 && !content.empty(); --lines) {
    const std::size_t end = content.find(line_end);
    content.remove_prefix(end == content.npos ? content.size() : end + 1);
  }
  return content;
}

void check_lines(const TextTable& table, const TextLimits& limits) {
  Index line = table.first_line;
  std::string_view rest = table.body;
  while (static_cast<Index>(rest.size()) > limits.line_bytes) {
    const std::size_t end = std::min(rest.find(table.dialect.line_end), rest.size());
    if (static_cast<Index>(end) > limits.line_bytes)
      throw Error(ErrorCode::line_too_long,
                  fmt::format("line {} is {} long, at most {} are allowed", line, bytes(end),
                              bytes(static_cast<std::uint64_t>(limits.line_bytes))),
                  "is this a text table with line ends?", table.file);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    ++line;
  }
}

[[noreturn]] void throw_ragged(const TextTable& table, Index found, Index line) {
  const Index expected = table.dialect.columns;
  const std::string_view first = table.dialect.header ? "header" : "first row";
  throw Error(ErrorCode::ragged_row,
              fmt::format("line {} has {} cell{}, the {} has {}", line, found,
                          found == 1 ? "" : "s", first, expected),
              found > expected
                  ? "quote cells that hold the delimiter, or name another one with --delimiter"
                  : "fill the row up, or skip lines above the table with --skip N",
              fmt::format("{}:{}", table.file, line));
}

void check_width(const TextTable& table, const std::vector<Cell>& cells, Index line) {
  const auto found = static_cast<Index>(cells.size());
  if (found == table.dialect.columns) return;
  const bool trailing = table.dialect.trailing && found == table.dialect.columns + 1;
  if (!trailing || !cells.back().text.empty()) throw_ragged(table, found, line);
}

void check_closed(const TextTable& table, const RowReader& reader) {
  if (reader.unclosed_line() == 0) return;
  throw Error(ErrorCode::unclosed_quote,
              fmt::format("a quote opened on line {} is never closed", reader.unclosed_line()),
              "close it; a quote that is meant literally is doubled inside a quoted cell",
              fmt::format("{}:{}", table.file, reader.unclosed_line()));
}

RowReader reader_of(const TextTable& table) {
  RowReader reader(table.body, table.dialect.delimiter, table.dialect.line_end, table.first_line);
  std::vector<Cell> title;
  for (Index i = 0; i < table.dialect.title_rows; ++i) reader.next(title);
  return reader;
}

// There is text but no row: only a quote that is never closed does that.
void check_first_row(const TextTable& table) {
  RowReader reader = reader_of(table);
  std::vector<Cell> cells;
  reader.next(cells);
  check_closed(table, reader);
}

}  // namespace

std::string TextTable::place(Index line, Index column) const {
  return fmt::format("{}:{}:{}", file, line, column + 1);
}

TextTable open_text(std::string_view content, const std::string& file, const ReadOptions& options,
                    std::vector<Note>& notes, const TextLimits& limits) {
  if (content.starts_with("\xEF\xBB\xBF")) content.remove_prefix(3);
  if (content.empty()) throw Error(ErrorCode::empty_file, "the file is empty", kGiveRows, file);
  check_is_text(content, file);
  TextTable table{.body = content, .first_line = 1, .file = file, .dialect = {}};
  table.dialect.line_end = line_end_of(content);
  check_lines(table, limits);
  table.body = after_lines(content, options.skip, table.dialect.line_end);
  table.first_line += std::max<Index>(options.skip, 0);
  if (trim(table.body).empty())
    throw Error(ErrorCode::empty_file,
                options.skip > 0 ? fmt::format("nothing follows the {} skipped lines", options.skip)
                                 : "the file holds only blank lines",
                kGiveRows, file);
  table.dialect = find_dialect(table.body, options, notes);
  if (table.dialect.columns == 0) check_first_row(table);
  if (table.dialect.columns > limits.columns)
    throw Error(ErrorCode::too_many_columns,
                fmt::format("the table has {} columns, at most {} are allowed",
                            grouped(table.dialect.columns), grouped(limits.columns)),
                "is the table transposed, or has it no line ends?", file);
  return table;
}

std::vector<Cell> header_row(const TextTable& table) {
  std::vector<Cell> cells;
  RowReader reader = reader_of(table);
  if (!table.dialect.header || !reader.next(cells)) return {};
  cells.resize(static_cast<std::size_t>(table.dialect.columns));
  return cells;
}

Index row_bound(const TextTable& table) {
  const Index lines = 1 + std::count(table.body.begin(), table.body.end(), table.dialect.line_end);
  // A row takes at least one byte per cell: the delimiter or the line end.
  return std::min(
      lines, 1 + static_cast<Index>(table.body.size()) / std::max<Index>(table.dialect.columns, 1));
}

void for_each_row(const TextTable& table, const Context& context,
                  const std::function<void(const std::vector<Cell>&, Index)>& use) {
  constexpr Index kBytesBetweenChecks = 1 << 20;
  RowReader reader = reader_of(table);
  std::vector<Cell> cells;
  if (table.dialect.header) reader.next(cells);
  const auto size = static_cast<double>(table.body.size());
  Index next_check = 0;
  while (reader.next(cells)) {
    check_width(table, cells, reader.line());
    use(cells, reader.line());
    if (reader.position() < next_check) continue;
    next_check = reader.position() + kBytesBetweenChecks;
    context.check_cancelled();
    context.report("read", static_cast<double>(reader.position()) / size);
  }
  check_closed(table, reader);
}

}  // namespace mercer::detail
