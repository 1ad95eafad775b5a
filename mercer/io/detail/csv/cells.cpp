#include "mercer/io/detail/csv/cells.h"

#include "mercer/core/text.h"

#include <algorithm>
#include <cstring>

namespace mercer::detail {
namespace {

std::string_view between(const char* begin, const char* end) {
  return {begin, static_cast<std::size_t>(end - begin)};
}

bool is_blank_row(const std::vector<Cell>& cells) {
  return cells.empty() || (cells.size() == 1 && cells[0].text.empty() && !cells[0].quoted);
}

const char* find(const char* begin, const char* end, char c) {
  const auto* found = std::memchr(begin, c, static_cast<std::size_t>(end - begin));
  return found == nullptr ? end : static_cast<const char*>(found);
}

// The beginning of the cell that a character belongs to; the cursor is where some cell before it
// begins.
const char* cell_start(const CellCursor& cursor, const char* inside) {
  while (inside != cursor.position && !cursor.ends_cell(inside[-1])) --inside;
  return inside;
}

}  // namespace

std::string plain_text(const Cell& cell) {
  if (!cell.doubled) return std::string(cell.text);
  std::string text;
  for (std::size_t i = 0; i < cell.text.size(); ++i) {
    text += cell.text[i];
    if (cell.text[i] == '"') ++i;
  }
  return text;
}

void append_cell(std::string& out, std::string_view text, char delimiter) {
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

RowReader::RowReader(std::string_view content, char delimiter, char line_end, Index first_line)
    : begin_(content.data()),
      cursor_{.position = content.data(),
              .end = content.data() + content.size(),
              .delimiter = delimiter,
              .line_end = line_end,
              .line = first_line} {}

bool RowReader::next(std::vector<Cell>& cells) {
  while (cursor_.position != cursor_.end) {
    cells.clear();
    row_line_ = cursor_.line;
    if (cursor_.delimiter == ' ')
      read_spaced_row(cells);
    else
      read_row(cells);
    if (cursor_.unclosed_line != 0) return false;
    if (!is_blank_row(cells)) return true;
  }
  return false;
}

void RowReader::read_row(std::vector<Cell>& cells) {
  while (true) {
    cells.push_back(cursor_.read_cell());
    if (cursor_.position == cursor_.end) return;
    if (*cursor_.position++ != cursor_.line_end) continue;
    ++cursor_.line;
    return;
  }
}

void RowReader::read_spaced_row(std::vector<Cell>& cells) {
  while (true) {
    cursor_.skip_blanks();
    if (cursor_.position == cursor_.end) return;
    if (*cursor_.position == cursor_.line_end) {
      ++cursor_.position;
      ++cursor_.line;
      return;
    }
    cells.push_back(cursor_.read_cell());
  }
}

Cell CellCursor::read_cell() {
  skip_blanks();
  if (position != end && *position == '"') return read_quoted();
  const char* const first = position;
  const char* p = first;
  while (p != end && !ends_cell(*p)) ++p;
  position = p;
  while (p != first && is_blank(p[-1])) --p;
  return {.text = between(first, p)};
}

Cell CellCursor::read_quoted() {
  const char* const quote = position;
  const Index quote_line = line;
  Cell cell{.text = {}, .quoted = true};
  const char* p = quote + 1;
  while (true) {
    const auto* close = find(p, end, '"');
    if (close == end) {
      unclosed_line = quote_line;
      position = end;
      return cell;
    }
    line += std::count(p, close, line_end);
    p = close + 1;
    if (p == end || *p != '"') break;
    cell.doubled = true;
    ++p;
  }
  cell.text = between(quote + 1, p - 1);
  while (p != end && !ends_cell(*p) && is_blank(*p)) ++p;
  if (p == end || ends_cell(*p)) {
    position = p;
    return cell;
  }
  // Text behind the closing quote: the quotes were part of the text, as in "A" or "B".
  while (p != end && !ends_cell(*p)) ++p;
  position = p;
  while (is_blank(p[-1])) --p;
  return {.text = between(quote, p)};
}

// Between quotes memchr leaps from line end to line end; only cells with quotes are looked at.
std::size_t complete_rows(std::string_view text, char delimiter, char line_end) {
  const char* const end = text.data() + text.size();
  CellCursor cursor{text.data(), end, delimiter, line_end};
  const char* row_end = text.data();  // behind the last complete row
  const char* line = find(cursor.position, end, line_end);
  const char* quote = find(cursor.position, end, '"');
  if (quote == end) return text.rfind(line_end) + 1;  // npos + 1 is 0
  while (line != end) {
    if (line < quote) {
      cursor.position = row_end = line + 1;
    } else {
      cursor.position = cell_start(cursor, quote);
      cursor.read_cell();
      if (cursor.unclosed_line != 0) break;
    }
    line = find(cursor.position, end, line_end);
    if (quote < cursor.position) quote = find(cursor.position, end, '"');
  }
  return static_cast<std::size_t>(row_end - text.data());
}

}  // namespace mercer::detail
