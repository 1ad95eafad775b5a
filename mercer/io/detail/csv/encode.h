// Columns of texts become columns of numbers: one for each level that is 1 where a row has it
// (onehot), its number in the alphabet from 1 (ordinal), or the share of the rows that have it
// (frequency); of dates see encode_dates.h. What is missing stays missing.
#pragma once

#include "mercer/data/dataset.h"
#include "mercer/io/detail/csv/values.h"
#include "mercer/io/table.h"

#include <string>
#include <vector>

namespace mercer::detail {

/// A column whose texts are to become numbers, and how.
struct EncodedColumn {
  Encoding encoding;  // the levels of a model, which are kept; without them, those of this table
  bool known = false;
  Index place = 0;                      // of the column in the file
  std::vector<std::string> texts = {};  // the different ones
  std::vector<Index> of_row = {};       // which of them a row has
  MemoryAccount::Hold held = {};
};

/// The table's numbers with the new columns behind them; table.use tells what became of the texts.
/// Throws M281 for a text that a model does not know, unless such texts are to be zero, M282 for
/// what is no date, M215 for too many columns, and M301.
Dataset with_encoded(const Dataset& data, std::vector<EncodedColumn> columns, bool unknown_is_zero,
                     const NumberStyle& style, const std::string& file, const Context& context,
                     Table& table);

}  // namespace mercer::detail
