// The data rows of a text table, in one walk over its text: the numbers of the kept columns, the
// texts of those that hold any, and what else was found. Pieces of text are read at the same time
// and added up in their order, so that neither numbers nor errors depend on the number of threads;
// the text of a piece is dropped when it is done.
#pragma once

#include "mercer/core/budget.h"
#include "mercer/io/detail/csv/opened_text.h"
#include "mercer/io/detail/csv/parse_piece.h"
#include "mercer/io/detail/csv/text_column.h"
#include "mercer/io/detail/growing_bytes.h"

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace mercer::detail {

/// What to keep of each row.
struct RowWishes {
  std::vector<Index> numbers;  // columns, in the order of the result
  std::vector<Index> texts;    // columns whose texts are wanted, whatever they hold
  bool rejects = false;        // pass over ragged rows and tell which they were
};

/// A ragged row that was passed over.
struct PassedRow {
  Index line = 0;
  Index found = 0;
  std::string text;  // its beginning
};

class CsvValues {
 public:
  /// Reads all rows. Throws M207, M208, M206, M214, M301 for what is kept, M001, M303, and what
  /// the source throws.
  CsvValues(const OpenedText& table, PieceReader& reader, const RowWishes& wishes,
            const Context& context);

  Index rows() const { return rows_; }
  /// Columns of the file, in the order of the numbers.
  const std::vector<Index>& columns() const { return columns_; }
  /// What is not a plain number in the column at this place of columns().
  ColumnTally tally(std::size_t slot) const { return tallies_[slot]; }
  double at(Index row, std::size_t slot) const;
  void set(Index row, std::size_t slot, double value);
  /// The texts of a column of the file, where they were asked for or it holds any; else nullptr.
  TextColumn* texts(Index column);
  /// Gives the rows of a text column that came before its first text the spelling of their numbers;
  /// whether there were any.
  bool spell_numbers(std::size_t slot);
  /// Line of each row, and the ragged rows; only where rejects were asked for.
  const std::vector<Index>& lines() const { return lines_; }
  const std::vector<PassedRow>& passed() const { return passed_; }

  /// Leaves out rows that have no true mark.
  void keep_rows(const std::vector<bool>& kept);
  /// Gives up the numbers of the chosen places, n x slots.size(), row-major. They stay counted as
  /// long as this object lives.
  std::shared_ptr<const std::byte> take(const std::vector<std::size_t>& slots);

 private:
  struct Batch;
  void add_piece(const Piece& piece, const ParsePlan& plan, PieceValues& values);
  void add_texts(const Piece& piece, const ParsePlan& plan, const PieceValues& values);
  void read_rows(std::size_t most);
  void count_texts();
  void refuse_size() const;
  void keep_texts(Index column);
  ParsePlan plan() const;
  std::size_t row_bytes() const { return columns_.size() * sizeof(double); }

  const OpenedText& table_;
  PieceReader& reader_;
  const Context& context_;
  bool rejects_;
  std::vector<Index> columns_;
  Tallies tallies_;
  std::vector<std::int32_t> text_of_;  // by column of the file: place in texts_, or -1
  GrowingBytes numbers_;
  MemoryAccount::Hold texts_hold_;
  std::vector<TextColumn> texts_;
  std::vector<Index> lines_;
  std::vector<PassedRow> passed_;
  Index rows_ = 0, next_line_;
  std::uint64_t text_bytes_ = 0;    // of the text added so far
  std::uint64_t passed_bytes_ = 0;  // of the ragged rows
};

}  // namespace mercer::detail
