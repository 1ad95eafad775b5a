#include "mercer/io/detail/csv_cells.h"

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

RowReader::RowReader(std::string_view content, char delimiter, char line_end, Index first_line)
    : begin_(content.data()),
      position_(content.data()),
      end_(content.data() + content.size()),
      delimiter_(delimiter),
      line_end_(line_end),
      next_line_(first_line) {}

bool RowReader::is_blank(char c) const {
  return (c == ' ' || c == '\t' || c == '\r') && (c != delimiter_ || delimiter_ == ' ') &&
         c != line_end_;
}

bool RowReader::ends_cell(char c) const {
  return c == line_end_ || c == delimiter_ || (delimiter_ == ' ' && c == '\t');
}

bool RowReader::next(std::vector<Cell>& cells) {
  while (position_ != end_) {
    cells.clear();
    row_line_ = next_line_;
    if (delimiter_ == ' ')
      read_spaced_row(cells);
    else
      read_row(cells);
    if (unclosed_line_ != 0) return false;
    if (!is_blank_row(cells)) return true;
  }
  return false;
}

void RowReader::read_row(std::vector<Cell>& cells) {
  while (true) {
    cells.push_back(read_cell());
    if (position_ == end_) return;
    if (*position_++ != line_end_) continue;
    ++next_line_;
    return;
  }
}

void RowReader::read_spaced_row(std::vector<Cell>& cells) {
  while (true) {
    while (position_ != end_ && is_blank(*position_)) ++position_;
    if (position_ == end_) return;
    if (*position_ == line_end_) {
      ++position_;
      ++next_line_;
      return;
    }
    cells.push_back(read_cell());
  }
}

// Leaves the position at the delimiter or line end behind the cell.
Cell RowReader::read_cell() {
  while (position_ != end_ && is_blank(*position_)) ++position_;
  if (position_ != end_ && *position_ == '"') return read_quoted();
  const char* const first = position_;
  const char* p = first;
  while (p != end_ && !ends_cell(*p)) ++p;
  position_ = p;
  while (p != first && is_blank(p[-1])) --p;
  return {.text = between(first, p)};
}

Cell RowReader::read_quoted() {
  const char* const quote = position_;
  const Index quote_line = next_line_;
  Cell cell{.text = {}, .quoted = true};
  const char* p = quote + 1;
  while (true) {
    const auto* close =
        static_cast<const char*>(std::memchr(p, '"', static_cast<std::size_t>(end_ - p)));
    if (close == nullptr) {
      unclosed_line_ = quote_line;
      position_ = end_;
      return cell;
    }
    next_line_ += std::count(p, close, line_end_);
    p = close + 1;
    if (p == end_ || *p != '"') break;
    cell.doubled = true;
    ++p;
  }
  cell.text = between(quote + 1, p - 1);
  while (p != end_ && !ends_cell(*p) && is_blank(*p)) ++p;
  if (p == end_ || ends_cell(*p)) {
    position_ = p;
    return cell;
  }
  // Text behind the closing quote: the quotes were part of the text, as in "A" or "B".
  while (p != end_ && !ends_cell(*p)) ++p;
  position_ = p;
  while (is_blank(p[-1])) --p;
  return {.text = between(quote, p)};
}

}  // namespace mercer::detail
