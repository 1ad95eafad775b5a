#include "mercer/io/detail/csv/opened_text.h"

#include "mercer/core/text.h"
#include "mercer/io/detail/csv/cells.h"
#include "mercer/io/detail/file_kind.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>

namespace mercer::detail {
namespace {

// Tried in this order; of two that fit alike the first is taken.
constexpr std::array kDelimiters = {',', '\t', ';', '|', ' '};
constexpr const char* kGiveRows = "give a file with rows of numbers";

void check_lines(std::string_view text, char line_end, const std::string& file, Index limit) {
  for (Index line = 1; static_cast<Index>(text.size()) > limit; ++line) {
    const std::size_t end = std::min(text.find(line_end), text.size());
    if (static_cast<Index>(end) > limit) throw_line_too_long(file, line, limit);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

void check_not_empty(std::string_view text, Index skipped, const std::string& file) {
  if (!trim(text).empty()) return;
  throw Error(ErrorCode::empty_file,
              skipped > 0 ? fmt::format("nothing follows the {} skipped lines", skipped)
                          : "the file holds only blank lines",
              kGiveRows, file);
}

void check_columns(Index columns, Index limit, const std::string& file) {
  if (columns <= limit) return;
  throw Error(ErrorCode::too_many_columns,
              fmt::format("the table has {} columns, at most {} are allowed", grouped(columns),
                          grouped(limit)),
              "is the table transposed, or has it no line ends?", file);
}

// Goes past titles and header, which is kept.
void read_header(OpenedText& table, PieceReader& reader) {
  const Dialect& dialect = table.dialect;
  RowReader rows(reader.window(), dialect.delimiter, dialect.line_end, table.first_line);
  std::vector<Cell> cells;
  for (Index i = 0; i < dialect.title_rows; ++i) rows.next(cells);
  // There is text but no row: only a quote that is never closed does that.
  if (dialect.columns == 0) rows.next(cells);
  if (dialect.header && rows.next(cells)) {
    if (dialect.row_names) table.header.emplace_back();
    table.header.reserve(cells.size() + 1);
    for (const Cell& cell : cells) table.header.push_back(plain_text(cell));
    table.header.resize(static_cast<std::size_t>(dialect.columns));
  }
  if (rows.unclosed_line() != 0) throw_unclosed(table.file, rows.unclosed_line());
  table.data_line = rows.next_line();
  reader.start(static_cast<std::size_t>(rows.position()), dialect.delimiter);
}

// The cells of the rows by which the dialect is found, each cut at several delimiters: rows of
// usual length take too little to be counted.
std::uint64_t bytes_of_cells(const PieceReader& reader) {
  constexpr std::size_t kUsual = std::size_t{1} << 20;  // bytes of a window: long rows need more
  constexpr std::uint64_t kRows = 3;  // as many as are looked at where they are long
  std::string_view text = reader.window();
  if (text.size() <= kUsual) return 0;
  std::size_t end = 0;
  for (std::uint64_t line = 0; line < kRows && end < text.size(); ++line)
    end = std::min(text.find(reader.line_end(), end), text.size() - 1) + 1;
  if (text.find('"') == text.npos) text = text.substr(0, end);
  std::array<std::uint64_t, 5> cells = {};
  std::transform(kDelimiters.begin(), kDelimiters.end(), cells.begin(), [&](char delimiter) {
    return static_cast<std::uint64_t>(std::count(text.begin(), text.end(), delimiter)) + kRows;
  });
  std::sort(cells.begin(), cells.end(), std::greater<>());
  // The best cut so far, another one, and the row that is being cut, whose space grows.
  return sizeof(Cell) * (cells[0] + cells[1] + 2 * cells[0] / kRows);
}

}  // namespace

std::string OpenedText::place(Index line, Index column) const {
  return fmt::format("{}:{}:{}", file, line, column + 1);
}

void check_is_text(std::string_view content, const std::string& file) {
  constexpr std::size_t kHead = 4096;  // bytes by which a kind of file is recognised
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
    throw_nul(file,
              std::count(content.begin(), content.begin() + static_cast<Index>(nul), '\n') + 1);
  if (nul != content.npos || !looks_like_text(head))
    throw Error(ErrorCode::not_a_table, "this looks like binary data, not like a table",
                "give a table of numbers, such as CSV or NPY", file);
}

OpenedText open_text(PieceReader& reader, const ReadOptions& options, std::vector<Note>& notes) {
  OpenedText table{.file = reader.source().name()};
  if (reader.window().empty())
    throw Error(ErrorCode::empty_file, "the file is empty", kGiveRows, table.file);
  check_is_text(reader.window(), table.file);
  check_lines(reader.window(), reader.line_end(), table.file, reader.limits().line_bytes);
  reader.skip_lines(options.text.skip);
  table.first_line += std::max<Index>(options.text.skip, 0);
  check_not_empty(reader.window(), options.text.skip, table.file);
  const auto cells =
      reader.source().context().hold(bytes_of_cells(reader), "rows of so many cells");
  table.dialect = find_dialect(reader.window(), reader.line_end(), options, notes);
  check_columns(table.dialect.columns, reader.limits().columns, table.file);
  read_header(table, reader);
  return table;
}

void throw_ragged(const OpenedText& table, Index found, Index line) {
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

void throw_nul(const std::string& file, Index line) {
  throw Error(ErrorCode::nul_bytes, "the line holds a zero byte, so this is not text",
              "check how the file was written; it may be damaged",
              fmt::format("{}:{}", file, line));
}

void throw_unclosed(const std::string& file, Index line) {
  throw Error(ErrorCode::unclosed_quote,
              fmt::format("a quote opened on line {} is never closed", line),
              "close it; a quote that is meant literally is doubled inside a quoted cell",
              fmt::format("{}:{}", file, line));
}

void throw_line_too_long(const std::string& file, Index line, Index limit) {
  throw Error(
      ErrorCode::line_too_long,
      fmt::format("line {} is longer than {}", line, bytes(static_cast<std::uint64_t>(limit))),
      "is this a text table with line ends?", file);
}

}  // namespace mercer::detail
