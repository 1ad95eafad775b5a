#include "mercer/io/detail/csv/parse_piece.h"

#include "mercer/io/detail/csv/quick_number.h"

#include <algorithm>
#include <cstring>

namespace mercer::detail {
namespace {

// A cell that is not a plain number; noted when the whole row is known to be good.
struct OddCell {
  std::size_t number;
  CellKind kind;
  std::string_view text;
};

class PieceParser {
 public:
  PieceParser(std::string_view text, const ParsePlan& plan, PieceValues& result)
      : plan_(plan),
        result_(result),
        columns_(static_cast<std::size_t>(plan.dialect.columns)),
        spaced_(plan.dialect.delimiter == ' '),
        mark_(plan.dialect.style.decimal),
        quick_(mark_ != plan.dialect.delimiter),
        cursor_{.position = text.data(),
                .end = text.data() + text.size(),
                .delimiter = plan.dialect.delimiter,
                .line_end = plan.dialect.line_end,
                .line = 1},
        row_texts_(plan.texts) {}

  void run() {
    while (cursor_.position != cursor_.end && read_row()) {
    }
    result_.lines = cursor_.line - 1;
    if (cursor_.unclosed_line != 0) result_.unclosed_line = cursor_.unclosed_line - 1;
  }

 private:
  bool read_row();
  std::size_t read_cells(double* out);
  void read_slowly(ParsedColumn use, double* out);
  bool read_quickly(double& value);
  bool has_right_width(std::size_t found) const;
  void keep_row(Index line);
  bool keep_ragged(const char* begin, std::size_t found, Index line);
  double* next_values();
  void count_found();

  const ParsePlan& plan_;
  PieceValues& result_;
  std::size_t columns_;
  bool spaced_;
  char mark_;
  bool quick_;  // 1,5 is one number in quotes alone where the comma also ends cells
  CellCursor cursor_;
  bool last_empty_ = false;  // whether the latest cell that was not read quickly is empty
  std::uint64_t counted_ = result_.uncounted;
  std::vector<OddCell> odd_;
  std::vector<Cell> row_texts_;
};

// False where the reading of this piece ends.
bool PieceParser::read_row() {
  cursor_.skip_blanks();
  if (*cursor_.position == cursor_.line_end) {
    ++cursor_.position;
    ++cursor_.line;
    return true;
  }
  const char* const begin = cursor_.position;
  const Index line = cursor_.line - 1;
  odd_.clear();
  const std::size_t found = read_cells(next_values());
  if (cursor_.unclosed_line != 0) return false;
  ++cursor_.position;
  ++cursor_.line;
  if (!has_right_width(found)) return keep_ragged(begin, found, line);
  keep_row(line);
  return true;
}

// Leaves the position at the line end; the number of cells.
std::size_t PieceParser::read_cells(double* out) {
  std::size_t found = 0;
  while (true) {
    const ParsedColumn use = found < columns_ ? plan_.uses[found] : ParsedColumn{};
    const bool only_number = quick_ && use.number >= 0 && use.text < 0;
    if (!only_number || !read_quickly(out[use.number])) read_slowly(use, out);
    ++found;
    if (spaced_) cursor_.skip_blanks();
    if (cursor_.unclosed_line != 0 || *cursor_.position == cursor_.line_end) return found;
    if (!spaced_) ++cursor_.position;
  }
}

bool PieceParser::read_quickly(double& value) {
  const char* begin = cursor_.position;
  while (*begin == ' ') ++begin;
  const char* end = quick_number(begin, mark_, value);
  if (end == nullptr) return false;
  const std::string_view text(begin, static_cast<std::size_t>(end - begin));
  if (*end == '\r' && end[1] == '\n' && cursor_.line_end == '\n') ++end;
  if (!cursor_.ends_cell(*end)) return false;
  const auto& na = plan_.dialect.style.na;
  if (!na.empty() && std::find(na.begin(), na.end(), text) != na.end()) return false;
  cursor_.position = end;
  return true;
}

void PieceParser::read_slowly(ParsedColumn use, double* out) {
  const Cell cell = cursor_.read_cell();
  last_empty_ = cell.text.empty();
  if (use.text >= 0) row_texts_[static_cast<std::size_t>(use.text)] = cell;
  if (use.number < 0) return;
  const CellKind kind = read_number(cell.text, plan_.dialect.style, out[use.number]);
  if (kind == CellKind::number) return;
  if (odd_.size() == odd_.capacity()) count_found();
  odd_.push_back({static_cast<std::size_t>(use.number), kind, cell.text});
}

// Vectors that grow are there twice for a moment.
void PieceParser::count_found() {
  const std::uint64_t found =
      result_.tallies.bytes() + 3 * odd_.capacity() * sizeof(OddCell) +
      static_cast<std::uint64_t>(result_.rows) * (3 * row_texts_.size() * sizeof(Cell) + 16) +
      3 * result_.ragged.size() * sizeof(RaggedRow);
  if (found <= counted_) return;
  counted_ = found + found / 4;
  result_.hold.resize(counted_);
}

bool PieceParser::has_right_width(std::size_t found) const {
  return found == columns_ || (found == columns_ + 1 && plan_.dialect.trailing && last_empty_);
}

void PieceParser::keep_row(Index line) {
  ++result_.rows;
  for (const OddCell& cell : odd_) result_.tallies.note(cell.number, cell.kind, cell.text, line);
  for (std::size_t i = 0; i < row_texts_.size(); ++i) result_.texts[i].push_back(row_texts_[i]);
  if (plan_.rejects) result_.row_lines.push_back(line);
  count_found();
}

bool PieceParser::keep_ragged(const char* begin, std::size_t found, Index line) {
  const auto length = static_cast<std::size_t>(cursor_.position - 1 - begin);
  result_.ragged.push_back({line, static_cast<Index>(found), {begin, length}});
  count_found();
  return plan_.rejects;
}

double* PieceParser::next_values() {
  const std::size_t begin = static_cast<std::size_t>(result_.rows) * plan_.numbers;
  std::vector<double>& values = result_.values;
  if (values.size() < begin + plan_.numbers)
    values.resize(std::max(begin + plan_.numbers, std::min(2 * values.size(), values.capacity())));
  return values.data() + begin;
}

}  // namespace

void PieceValues::forget() {
  std::vector<double> space = std::move(values);
  MemoryAccount::Hold counting = std::move(hold);
  const std::uint64_t small = uncounted;
  *this = PieceValues();
  counting.resize(0);
  values = std::move(space);
  hold = std::move(counting);
  uncounted = small;
}

void parse_piece(std::string_view text, const ParsePlan& plan, PieceValues& result) {
  result.forget();
  result.texts.resize(plan.texts);
  result.tallies = Tallies(plan.numbers);
  const auto* nul = static_cast<const char*>(std::memchr(text.data(), 0, text.size()));
  if (nul != nullptr) result.nul_line = std::count(text.data(), nul, plan.dialect.line_end);
  PieceParser(text, plan, result).run();
}

}  // namespace mercer::detail
