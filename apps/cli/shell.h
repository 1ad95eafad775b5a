// Words of commands that are printed to be run again.
#pragma once

#include <string>

namespace mercer::cli {

/// The word as a shell takes it: unchanged where it can be, else in quotes.
std::string quoted(const std::string& word);
/// The same of a file's name, which must not look like an option.
std::string quoted_path(const std::string& path);

}  // namespace mercer::cli
