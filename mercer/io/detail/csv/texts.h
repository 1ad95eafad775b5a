// The texts of a table: column names, classes and identifiers. A text column whose values repeat
// holds classes, one whose values are all different identifies the rows; the first of each kind is
// kept. Classes may also be whole numbers in a column that is called so.
#pragma once

#include "mercer/io/detail/column_choice.h"
#include "mercer/io/detail/csv/columns.h"
#include "mercer/io/detail/csv/encode.h"

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

namespace mercer::detail {

/// Takes the header's names, or col1, col2, ... where a name is empty or there is no header.
/// Doubles are renamed x, x.1, x.2 with W210; bytes that are not UTF-8 are replaced with W205.
std::vector<std::string> read_names(OpenedText& table, Warnings& warnings);

struct RowTexts {
  Labels labels;
  std::vector<std::string> ids;
  std::vector<EncodedColumn> encoded;  // to become numbers
  std::vector<std::size_t> set_aside;  // places in CsvValues::columns()
  Index label_column = -1;             // of the file; negative where there is none
};

/// Which columns hold texts that are used whatever is in the others.
struct KnownTexts {
  std::optional<Index> row_names;  // as R writes them
  std::optional<Index> numbered;   // classes that are whole numbers
  std::vector<std::size_t> dates;  // places in CsvValues::columns() that hold nothing else

  bool is_date(std::size_t slot) const { return std::ranges::find(dates, slot) != dates.end(); }
};

/// Of the text columns, those in which every cell is a date or missing.
std::vector<std::size_t> columns_of_dates(CsvValues& values, const ColumnTypes& types,
                                          const NumberStyle& style);

/// Classes from the column asked for, else from the column of `numbered` classes, else from the
/// first of the text columns whose values repeat; none where the choice says so. Others whose
/// values repeat are to become numbers where the choice says that. Dates are neither classes nor
/// row names, but for a first column of different ones where nothing else names the rows. `keep`:
/// the other text columns are used, too, so that nothing is said of them.
RowTexts read_texts(CsvValues& values, const ColumnTypes& types,
                    const std::vector<std::string>& names, const ColumnChoice& choice,
                    const KnownTexts& known, bool keep, const Context& context, Table& result);

/// The text columns that read_texts() did not use, and the place of the classes, in their order.
std::vector<TextOfRows> take_set_aside(CsvValues& values, const ColumnTypes& types,
                                       const std::vector<std::string>& names, const RowTexts& used,
                                       Warnings& warnings);

}  // namespace mercer::detail
