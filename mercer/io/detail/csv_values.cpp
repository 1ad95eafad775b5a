#include "mercer/io/detail/csv_values.h"

#include "mercer/core/check.h"
#include "mercer/core/parallel.h"
#include "mercer/core/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <exception>

namespace mercer::detail {

// Pieces that are read at the same time, and what was found in them.
struct CsvValues::Batch {
  std::vector<Piece> pieces;
  std::vector<PieceValues> values;
  std::size_t count = 0;
  std::exception_ptr failure;  // of the text behind the last piece

  explicit Batch(std::size_t most) : pieces(most), values(most) {}

  // Reads as much text as there is, up to `most` pieces; an error waits until its turn.
  void fill(PieceReader& reader, std::size_t most) {
    count = 0;
    try {
      while (count < most && reader.next(pieces[count])) ++count;
    } catch (...) {
      failure = std::current_exception();
    }
  }

  std::uint64_t bytes() const {
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < count; ++i)
      sum += pieces[i].size + values[i].values.size() * sizeof(double);
    return sum;
  }
};

// While one batch is parsed the text of the next one is read: decompression takes its time.
CsvValues::CsvValues(const TextTable& table, PieceReader& reader, const RowWishes& wishes,
                     const Context& context)
    : table_(table),
      reader_(reader),
      context_(context),
      rejects_(wishes.rejects),
      columns_(wishes.numbers),
      tallies_(columns_.size()),
      text_of_(static_cast<std::size_t>(table.dialect.columns), -1),
      next_line_(table.data_line) {
  for (const Index column : wishes.texts) keep_texts(column);
  constexpr Index kMostPieces = 64;  // text in flight is memory, and reading it is one task
  const auto most =
      static_cast<std::size_t>(std::min(4 * thread_count(context.budget), kMostPieces));
  Batch now(most), next(most);
  now.fill(reader, 1);  // tells which columns hold texts, and how long a row is
  for (bool first = true; now.count > 0; first = false) {
    const ParsePlan parse_plan = plan();
    const Index more = reader.at_end() ? 0 : 1;
    next.count = 0;
    parallel_for(context, static_cast<Index>(now.count) + more, [&](Index task) {
      if (task < more) return next.fill(reader, most);
      const auto i = static_cast<std::size_t>(task - more);
      parse_piece(now.pieces[i].text(), parse_plan, now.values[i]);
    });
    for (std::size_t i = 0; i < now.count; ++i) add_piece(now.pieces[i], parse_plan, now.values[i]);
    if (first && next.count > 0) expect_size();
    check_memory(now.bytes() + next.bytes());
    context.report("read", std::min(reader.source().share(), 1.0));
    if (now.failure) break;
    std::swap(now, next);
  }
  if (now.failure) std::rethrow_exception(now.failure);
  context.check_cancelled();
  bytes_ = growing_.take();
}

ParsePlan CsvValues::plan() const {
  ParsePlan plan{.dialect = table_.dialect,
                 .uses = std::vector<ColumnUse>(static_cast<std::size_t>(table_.dialect.columns)),
                 .numbers = columns_.size(),
                 .texts = texts_.size(),
                 .rejects = rejects_};
  for (std::size_t i = 0; i < columns_.size(); ++i)
    plan.uses[static_cast<std::size_t>(columns_[i])].number = static_cast<std::int32_t>(i);
  for (std::size_t j = 0; j < text_of_.size(); ++j) plan.uses[j].text = text_of_[j];
  return plan;
}

void CsvValues::add_piece(const Piece& piece, const ParsePlan& plan, PieceValues& values) {
  if (values.nul_line >= 0) throw_nul(table_.file, next_line_ + values.nul_line);
  const bool cut_in_quotes = values.unclosed_line >= 0;
  if (piece.too_long && !cut_in_quotes)
    throw_line_too_long(table_.file, next_line_, reader_.limits().line_bytes);
  if (!values.ragged.empty() && !rejects_)
    throw_ragged(table_, values.ragged[0].found, next_line_ + values.ragged[0].line);
  if (cut_in_quotes) throw_unclosed(table_.file, next_line_ + values.unclosed_line);
  growing_.append(values.values.data(), static_cast<std::size_t>(values.rows) * row_bytes());
  tallies_.add(values.tallies, next_line_);
  add_texts(piece, plan, values);
  for (const Index line : values.row_lines) lines_.push_back(next_line_ + line);
  constexpr std::size_t kShown = 201;  // one more than is shown: then it is known to be cut
  for (const RaggedRow& row : values.ragged) {
    passed_.push_back({next_line_ + row.line, row.found, std::string(row.text.substr(0, kShown))});
    passed_bytes_ += sizeof(PassedRow) + passed_.back().text.size();
  }
  rows_ += values.rows;
  next_line_ += values.lines;
  text_bytes_ += piece.size;
}

// A column with a text among its numbers may turn out to be one of texts. When its first one
// appears, its cells are looked up in this piece and, where the pieces of the batch were parsed
// without knowing, in those that follow.
void CsvValues::add_texts(const Piece& piece, const ParsePlan& plan, const PieceValues& values) {
  for (const std::size_t slot : values.tallies.columns()) {
    const ColumnTally& tally = values.tallies[slot];
    const bool odd = tally[CellKind::text].count > 0 || rejects_;
    if (odd) keep_texts(columns_[slot]);
  }
  for (std::size_t i = 0; i < plan.texts; ++i)
    for (const Cell& cell : values.texts[i]) texts_[i].add(cell);
  if (texts_.size() == plan.texts) return;
  ParsePlan late = this->plan();
  for (ColumnUse& use : late.uses) {
    const bool is_late = use.text >= static_cast<std::int32_t>(plan.texts);
    use = {.number = -1, .text = is_late ? use.text - static_cast<std::int32_t>(plan.texts) : -1};
  }
  late.numbers = 0;
  late.texts -= plan.texts;
  PieceValues again;
  parse_piece(piece.text(), late, again);
  for (std::size_t i = 0; i < late.texts; ++i)
    for (const Cell& cell : again.texts[i]) texts_[plan.texts + i].add(cell);
}

void CsvValues::check_memory(std::uint64_t in_use) const {
  std::uint64_t texts = lines_.size() * sizeof(Index) + passed_bytes_;
  for (const TextColumn& column : texts_) texts += column.bytes();
  const std::uint64_t budget = context_.budget.memory;
  if (growing_.bytes() + texts + in_use <= budget) return;
  throw Error(ErrorCode::over_memory,
              fmt::format("{} rows of the table need {} for numbers, {} for texts and {} for the "
                          "text being read, the budget is {}",
                          grouped(rows_), bytes(growing_.bytes()), bytes(texts), bytes(in_use),
                          bytes(budget)),
              "allow more memory, or keep fewer columns (--memory, --columns)", table_.file);
}

// From the length of the first rows and the size of the file. A table that is far beyond the budget
// is refused now and not after a long time; where it is close, reading will tell.
void CsvValues::expect_size() {
  const double share = reader_.source().share();
  if (share <= 0 || text_bytes_ == 0) return;
  const double text = static_cast<double>(reader_.bytes_read()) / share;
  const double need =
      static_cast<double>(growing_.bytes()) * text / static_cast<double>(text_bytes_);
  const auto budget = static_cast<double>(context_.budget.memory);
  if (need > 1.25 * budget)
    throw Error(ErrorCode::over_memory,
                fmt::format("the table needs about {} for its numbers, the budget is {}",
                            bytes(static_cast<std::uint64_t>(need)), bytes(context_.budget.memory)),
                "allow more memory, or keep fewer columns (--memory, --columns)", table_.file);
  growing_.expect(static_cast<std::uint64_t>(std::min(1.5 * need, budget)));
}

double CsvValues::at(Index row, std::size_t slot) const {
  double value = 0;
  const std::size_t place = static_cast<std::size_t>(row) * row_bytes() + slot * sizeof value;
  std::memcpy(&value, bytes_.data() + place, sizeof value);
  return value;
}

TextColumn* CsvValues::texts(Index column) {
  const std::int32_t place = text_of_[static_cast<std::size_t>(column)];
  return place < 0 ? nullptr : &texts_[static_cast<std::size_t>(place)];
}

void CsvValues::keep_texts(Index column) {
  if (texts(column) != nullptr) return;
  text_of_[static_cast<std::size_t>(column)] = static_cast<std::int32_t>(texts_.size());
  texts_.emplace_back(column, rows_);
}

bool CsvValues::spell_numbers(std::size_t slot) {
  TextColumn* column = texts(columns_[slot]);
  if (column == nullptr || column->first_row() == 0) return false;
  std::vector<std::string> before;
  for (Index i = 0; i < column->first_row(); ++i)
    before.push_back(std::isnan(at(i, slot)) ? std::string() : exact(at(i, slot)));
  column->prepend(before);
  return true;
}

// In place: a row's new position never lies behind its old one.
void CsvValues::keep_rows(const std::vector<bool>& kept) {
  Index n = 0;
  for (Index i = 0; i < rows_; ++i) {
    if (!kept[static_cast<std::size_t>(i)]) continue;
    std::memmove(bytes_.data() + static_cast<std::size_t>(n) * row_bytes(),
                 bytes_.data() + static_cast<std::size_t>(i) * row_bytes(), row_bytes());
    if (!lines_.empty()) lines_[static_cast<std::size_t>(n)] = lines_[static_cast<std::size_t>(i)];
    ++n;
  }
  rows_ = n;
  for (TextColumn& column : texts_) column.keep_rows(kept);
}

std::vector<std::byte> CsvValues::take(const std::vector<std::size_t>& slots) {
  MERCER_ASSERT(std::is_sorted(slots.begin(), slots.end()));
  const auto n = static_cast<std::size_t>(rows_);
  if (slots.size() != columns_.size()) {
    std::byte* out = bytes_.data();
    for (std::size_t i = 0; i < n; ++i)
      for (const std::size_t slot : slots) {
        std::memmove(out, bytes_.data() + i * row_bytes() + slot * sizeof(double), sizeof(double));
        out += sizeof(double);
      }
  }
  bytes_.resize(n * slots.size() * sizeof(double));
  return std::move(bytes_);
}

}  // namespace mercer::detail
