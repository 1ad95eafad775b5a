// Words of commands that are printed to be run again.
#pragma once

#include <string>
#include <vector>

namespace mercer::cli {

/// The word as a shell takes it: unchanged where it can be, else in quotes.
std::string quoted(const std::string& word);
/// The same of a file's name, which must not look like an option.
std::string quoted_path(const std::string& path);
/// "mercer COMMAND ..." with the words the program was called with, less these options and their
/// values, and with `more` at the end of the options: before "--", behind which are only names.
std::string command_without(const std::vector<std::string>& options, const std::string& command,
                            const std::vector<std::string>& arguments,
                            const std::string& more = {});

}  // namespace mercer::cli
