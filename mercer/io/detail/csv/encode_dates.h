// A column of dates becomes three of numbers: the day, how much of its year has passed, and the day
// of the week.
#pragma once

#include "mercer/io/detail/csv/encode.h"

#include <string_view>

namespace mercer::detail {

/// Whether --encode with this word is about dates: date, date-dmy, date-mdy.
bool encodes_dates(std::string_view word);

/// The numbers of each different text, a row each, NaN where it is missing. Finds how the dates are
/// written where neither a model nor the user says; the encoding tells it then. Throws M282.
Points read_dates(EncodedColumn& column, const NumberStyle& style, const std::string& file);

}  // namespace mercer::detail
