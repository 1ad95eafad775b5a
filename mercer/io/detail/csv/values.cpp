#include "mercer/io/detail/csv/values.h"

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
  MemoryAccount::Hold hold;

  Batch(std::size_t most, const Context& context)
      : pieces(most), values(most), hold(context.hold(0, "the rows being read")) {
    constexpr std::uint64_t kSmall = std::uint64_t{8} << 20;  // what every budget allows for
    for (PieceValues& piece : values) {
      piece.uncounted = kSmall / most;
      piece.hold = context.hold(0, "the texts and gaps in the rows");
    }
  }

  // Reads as much text as there is, up to `most` pieces, or as many bytes as these have where rows
  // are not longer; an error waits until its turn.
  void fill(PieceReader& reader, std::size_t most, Index columns) {
    const std::size_t room = most * static_cast<std::size_t>(reader.limits().piece_bytes);
    std::size_t text = 0;
    count = 0;
    try {
      while (count < most && text < room && reader.next(pieces[count])) {
        text += pieces[count].size;
        expect_values(count++, columns, reader.line_end());
        count_bytes();
      }
    } catch (...) {
      failure = std::current_exception();
    }
    // Space that a long row took is not kept for short ones.
    for (std::size_t i = count; i < pieces.size(); ++i) {
      if (pieces[i].buffer.capacity() > 2 * room / most) pieces[i] = {};
      if (bytes_of(values[i]) > 16 * room / most) std::vector<double>().swap(values[i].values);
    }
  }

  // A cell has a character, its delimiter, at least. The space is touched when it is filled, so
  // that it does no harm when it is too much; growing would take it twice.
  void expect_values(std::size_t i, Index columns, char line_end) {
    const std::string_view text = pieces[i].text();
    const auto width = static_cast<std::size_t>(columns);
    std::size_t most = width;  // a row that is too short has its full space, too
    for (std::size_t at = 0; at < text.size() && most < text.size() + width; ++at) {
      at = std::min(text.find(line_end, at), text.size());
      most += width;
    }
    values[i].values.reserve(std::min(most, text.size() + width));
  }

  static std::uint64_t bytes_of(const PieceValues& piece) {
    return piece.values.capacity() * sizeof(double);
  }
  void count_bytes() {
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < pieces.size(); ++i)
      sum += pieces[i].buffer.capacity() + bytes_of(values[i]);
    if (sum != hold.bytes()) hold.resize(sum);
  }
};

CsvValues::CsvValues(const OpenedText& table, PieceReader& reader, const RowWishes& wishes,
                     const Context& context)
    : table_(table),
      reader_(reader),
      context_(context),
      rejects_(wishes.rejects),
      columns_(wishes.numbers),
      tallies_(columns_.size()),
      text_of_(static_cast<std::size_t>(table.dialect.columns), -1),
      numbers_(context.hold(0, "the table's numbers")),
      texts_hold_(context.hold(0, "the table's texts")),
      next_line_(table.data_line) {
  for (const Index column : wishes.texts) keep_texts(column);
  constexpr Index kMostPieces = 64;  // text in flight is memory, and reading it is one task
  const auto most =
      static_cast<std::size_t>(std::min(4 * thread_count(context.budget), kMostPieces));
  try {
    read_rows(most);
  } catch (const Error& error) {
    if (error.code() != ErrorCode::over_memory) throw;
    throw Error(error.code(), fmt::format("after {} rows {}", grouped(rows_), error.message()),
                "allow more memory, or keep fewer columns (--memory, --columns)", table_.file);
  }
  context.check_cancelled();
  numbers_.shorten(numbers_.size());
}

// While one batch is parsed the text of the next one is read: decompression takes its time.
void CsvValues::read_rows(std::size_t most) {
  const auto width = static_cast<Index>(columns_.size());
  Batch now(most, context_), next(most, context_);
  now.fill(reader_, 1, width);  // tells which columns hold texts, and how long a row is
  for (bool first = true; now.count > 0; first = false) {
    const ParsePlan parse_plan = plan();
    const Index more = reader_.at_end() ? 0 : 1;
    next.count = 0;
    parallel_for(context_, static_cast<Index>(now.count) + more, [&](Index task) {
      if (task < more) return next.fill(reader_, most, width);
      const auto i = static_cast<std::size_t>(task - more);
      parse_piece(now.pieces[i].text(), parse_plan, now.values[i]);
    });
    for (std::size_t i = 0; i < now.count; ++i) {
      add_piece(now.pieces[i], parse_plan, now.values[i]);
      now.values[i].forget();
    }
    if (first && next.count > 0) refuse_size();
    context_.report("read", std::min(reader_.source().share(), 1.0));
    if (now.failure) break;
    std::swap(now, next);
  }
  if (now.failure) std::rethrow_exception(now.failure);
}

ParsePlan CsvValues::plan() const {
  ParsePlan plan{
      .dialect = table_.dialect,
      .uses = std::vector<ParsedColumn>(static_cast<std::size_t>(table_.dialect.columns)),
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
  numbers_.append(values.values.data(), static_cast<std::size_t>(values.rows) * row_bytes());
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
  count_texts();
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
  for (ParsedColumn& use : late.uses) {
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

// A piece at a time: it is too short to bring in much.
void CsvValues::count_texts() {
  constexpr std::uint64_t kSmall = std::uint64_t{1} << 20;  // gaps in few columns do not count
  std::uint64_t bytes = lines_.capacity() * 2 * sizeof(Index) + passed_bytes_;
  if (tallies_.bytes() > kSmall) bytes += tallies_.bytes();
  for (const TextColumn& column : texts_) bytes += column.bytes();
  if (bytes != texts_hold_.bytes()) texts_hold_.resize(bytes);
}

// From the length of the first rows and the size of the file. A table that is far beyond the budget
// is refused now and not after a long time; where it is close, reading will tell.
void CsvValues::refuse_size() const {
  const double share = reader_.source().share();
  if (share <= 0 || text_bytes_ == 0) return;
  const double text = static_cast<double>(reader_.bytes_read()) / share;
  const double need =
      static_cast<double>(numbers_.size()) * text / static_cast<double>(text_bytes_);
  const std::uint64_t room = context_.memory_left() + numbers_.size();
  if (need <= 1.25 * static_cast<double>(room)) return;
  throw Error(
      ErrorCode::over_memory,
      fmt::format("the table needs about {} for its numbers, the memory left for them is {}",
                  bytes(static_cast<std::uint64_t>(need)), bytes(room)),
      "allow more memory, or keep fewer columns (--memory, --columns)", table_.file);
}

double CsvValues::at(Index row, std::size_t slot) const {
  double value = 0;
  const std::size_t place = static_cast<std::size_t>(row) * row_bytes() + slot * sizeof value;
  std::memcpy(&value, numbers_.text().data() + place, sizeof value);
  return value;
}

void CsvValues::set(Index row, std::size_t slot, double value) {
  const std::size_t place = static_cast<std::size_t>(row) * row_bytes() + slot * sizeof value;
  std::memcpy(numbers_.data() + place, &value, sizeof value);
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
  // The column is made anew, with a text for each of these rows.
  constexpr std::uint64_t kEach = 2 * sizeof(std::string) + 96;
  const MemoryAccount::Hold hold = context_.hold(
      column->bytes() + static_cast<std::uint64_t>(column->first_row()) * kEach, "the texts");
  std::vector<std::string> before;
  before.reserve(static_cast<std::size_t>(column->first_row()));
  for (Index i = 0; i < column->first_row(); ++i)
    before.push_back(std::isnan(at(i, slot)) ? std::string() : exact(at(i, slot)));
  column->prepend(before);
  count_texts();
  return true;
}

// In place: a row's new position never lies behind its old one.
void CsvValues::keep_rows(const std::vector<bool>& kept) {
  std::byte* const rows = numbers_.data();
  Index n = 0;
  for (Index i = 0; i < rows_; ++i) {
    if (!kept[static_cast<std::size_t>(i)]) continue;
    std::memmove(rows + static_cast<std::size_t>(n) * row_bytes(),
                 rows + static_cast<std::size_t>(i) * row_bytes(), row_bytes());
    if (!lines_.empty()) lines_[static_cast<std::size_t>(n)] = lines_[static_cast<std::size_t>(i)];
    ++n;
  }
  rows_ = n;
  for (TextColumn& column : texts_) {
    const MemoryAccount::Hold hold = context_.hold(column.bytes(), "the texts of a column");
    column.keep_rows(kept);
  }
}

std::shared_ptr<const std::byte> CsvValues::take(const std::vector<std::size_t>& slots) {
  MERCER_ASSERT(std::is_sorted(slots.begin(), slots.end()));
  const auto n = static_cast<std::size_t>(rows_);
  if (slots.size() != columns_.size()) {
    std::byte* out = numbers_.data();
    for (std::size_t i = 0; i < n; ++i)
      for (const std::size_t slot : slots) {
        std::memmove(out, numbers_.data() + i * row_bytes() + slot * sizeof(double),
                     sizeof(double));
        out += sizeof(double);
      }
  }
  numbers_.shorten(n * slots.size() * sizeof(double));
  return numbers_.take();
}

}  // namespace mercer::detail
