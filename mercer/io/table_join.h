// Several tables of the same columns, read as one: a measurement in parts, a file for each day.
#pragma once

#include "mercer/io/table.h"

#include <functional>
#include <string>
#include <vector>

namespace mercer {

/// The rows of all tables, one below the other. The first one says what the columns are; the others
/// have the same measurements, by name and in any order, or without names in the same order. Row
/// names are joined where all have them; classes too, and a table without those of the first is an
/// error. Missing values are filled in by the figures of all rows. Throws M280, which names the
/// file and the column, M301 for the rows that are put together, and what reading throws.
/// `read`: in place of read_table, for somebody who tells of each table.
Table read_tables(const std::vector<std::string>& paths, const ReadOptions& options,
                  const Context& context,
                  const std::function<Table(const std::string&, const ReadOptions&)>& read = {});

}  // namespace mercer
