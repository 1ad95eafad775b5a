// The lower triangle of a symmetric matrix as text: row i has the values of the pairs of sample i
// with those before it, and perhaps its own. Cells behind them are not there, or empty. Names of
// rows and a header of names are found by themselves; so is a matrix that R printed in blocks of
// columns, each with its header:
//
//                a b                a,b,c             1
//     b        1.5                0,,               2 3
//     c          2 3              1.5,0,            4 5 6
#pragma once

#include "mercer/io/table.h"

#include <string_view>

namespace mercer::detail {

/// Whether a text that begins so is a triangle of several rows, and not a table.
bool begins_a_triangle(std::string_view head, const TextOptions& options);

/// The symmetric matrix. Without a diagonal that of distances is 0; kernel values need theirs
/// (`pairs`, as in ReadOptions). Throws M207 for a row of another length, M212 where that is
/// missing, M204 for a text among the numbers, M301, and what finish_table() throws.
Table read_triangle(Source& source, const ReadOptions& options, const Context& context);

}  // namespace mercer::detail
