// A text table from beginning to end: dialect, names, numbers, texts, missing values.
#pragma once

#include "mercer/io/detail/csv/pieces.h"
#include "mercer/io/table.h"

namespace mercer::detail {

/// Reads a text table in one walk over its text, whose parts are dropped when they are read.
Table read_text_table(Source& source, const ReadOptions& options, const Context& context,
                      const TextLimits& limits = {});

}  // namespace mercer::detail
