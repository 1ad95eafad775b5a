// The words that name columns: a name, a number from 1, a pattern such as pixel_*, a range such as
// 3-7 or width-height.
#pragma once

#include "mercer/core/index.h"

#include <string>
#include <string_view>
#include <vector>

namespace mercer::detail {

/// The columns of a file. `names` is empty, or has one entry per column; they may have been made up
/// where the file names none.
struct FileColumns {
  Index count;
  const std::vector<std::string>& names;
  bool named;  // the names come from the file
  const std::string& file;
};

/// The column of this name, or else of this number. Throws M216.
Index column_meant(std::string_view asked, const FileColumns& columns);

/// All columns that a word means, at least one. A name goes before a number, a pattern and a range:
/// a column may be called 2020, x* or 3-7. Ranges of names count in the order of the table, and
/// only where one hyphen parts two names. Throws M216.
std::vector<Index> columns_meant(std::string_view asked, const FileColumns& columns);

}  // namespace mercer::detail
