// Columns of texts as numbers: which columns they become, and which column of a table these came
// from.
#pragma once

#include "mercer/data/column_use.h"

#include <string>
#include <vector>

namespace mercer {

/// The columns that are made: colour=blue, colour=red for onehot; when.day, when.year_fraction and
/// when.weekday for dates; colour alone otherwise.
std::vector<std::string> made_names(const Encoding& encoding);

/// The columns of a table that a model's own were made from: its measurements, and the columns of
/// texts in place of what they became.
std::vector<std::string> source_names(const std::vector<std::string>& columns,
                                      const std::vector<Encoding>& encoded);

}  // namespace mercer
