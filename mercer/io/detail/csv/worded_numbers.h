// Columns that hold numbers in words: true and false, 20 %, $1,250.00. They are read as numbers
// where every cell of a column agrees; a single one that does not leaves the column a text.
#pragma once

#include "mercer/io/detail/csv/columns.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace mercer::detail {

/// What stands around the number, the same in all cells of a column.
enum class Wording { truth, percent, currency };

struct WordedNumber {
  Wording wording = Wording::truth;
  std::string_view sign = {};  // "%", "$", "€"
  double value = 0;            // 1 and 0; 20 for 20 %; 1250
};

/// Nothing where the text is no such number. In amounts of money, groups of three digits are
/// understood where they cannot be a fraction: 1,250.00 or 1.250.000.
std::optional<WordedNumber> worded_number(std::string_view text, const NumberStyle& style);

/// Turns the text columns that hold nothing else into numeric ones, but for one that is named as
/// classes are; says so in a note each.
void take_worded_numbers(CsvValues& values, const std::vector<std::string>& names,
                         const NumberStyle& style, ColumnTypes& types, std::vector<Note>& notes);

}  // namespace mercer::detail
