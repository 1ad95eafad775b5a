// An array has no place for texts: beside scores.npy, scores.rows.csv tells the name and the class
// of each row. Formats that have a place for them need no such file.
#pragma once

#include "mercer/io/table.h"

#include <string>

namespace mercer {

/// The file beside this output; "" where its format has a place for texts, and for devices.
std::string rows_file_of(const std::string& output);
/// The same where write_table would write it: there are names or classes of rows.
std::string rows_file_of(const std::string& output, const WriteOptions& options);

/// Throws M409 where a file has that name and is none that tells of rows: nobody named it.
void check_rows_file(const std::string& path);

namespace detail {

/// Writes names and classes of the rows, or removes what was told of other rows where there are
/// none. Throws what check_rows_file and AtomicFile throw.
void write_rows_file(const std::string& path, Index n, const WriteOptions& options);

}  // namespace detail
}  // namespace mercer
