#include "apps/cli/outputs.h"

#include "mercer/core/text.h"
#include "mercer/io/atomic_file.h"
#include "mercer/io/rows_file.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

namespace mercer::cli {
namespace {

constexpr unsigned kMemoryDevices = 1;  // the driver of /dev/null, /dev/full and their like

std::string named(const std::string& what, const std::string& path) {
  return path.empty() ? what : fmt::format("{} {}", what, printable(path));
}

}  // namespace

Files::Files(const Terminal& terminal) {
  if (terminal.json) writes("the object of --json", "-");
}

void Files::reads(const std::string& what, const std::string& path) {
  if (path.empty()) return;
  if (path == "-")
    inputs_.push_back({what + " on standard input", "", identity_of(STDIN_FILENO)});
  else
    inputs_.push_back({what, path, identity_of(path)});
}

void Files::reads_table(const std::string& what, const std::string& path,
                        const ReadOptions& options) {
  for (const std::string& file : files_of_table(path, options))
    reads(file == path ? what : "a file of " + what, file);
  writes("the rejected rows (--rejects)", options.rejects);
  if (!options.rejects.empty()) outputs_.back().table = true;
}

void Files::writes(const std::string& what, const std::string& path) {
  if (path.empty()) return;
  if (path == "-")
    outputs_.push_back({what + " on standard output", "", identity_of(STDOUT_FILENO)});
  else
    outputs_.push_back({what, path, identity_of(path)});
}

void Files::may_write(const std::string& what, const std::string& path) {
  writes(what, path);
  if (!path.empty()) outputs_.back().certain = false;
}

void Files::writes_table(const std::string& what, const std::string& path) {
  writes(what, path);
  if (!path.empty()) outputs_.back().table = outputs_.back().named = true;
}

void Files::writes_rows(const std::string& what, const std::string& path) {
  writes_table(what, path);
  const std::string beside = rows_file_of(path);
  may_write("the names of the rows beside " + what, beside);
  if (!beside.empty()) outputs_.back().rows = true;
}

void Files::may_force(bool given) { force_ = given; }

// A table only replaces a table: a mistyped name must not cost somebody a model.
void Files::check_kind(const File& output) const {
  if (!output.table || output.path.empty() || force_.value_or(false)) return;
  if (!holds_no_table(output.path)) return;
  throw Error(
      ErrorCode::would_overwrite, fmt::format("{} exists and is no table", printable(output.path)),
      fmt::format("name another file for {}{}", output.what, force_ ? ", or add --force" : ""));
}

// A terminal or a socket can be read and written at the same time, and what takes everything and
// keeps nothing can be written by anybody.
bool Files::clash(const File& output, const File& other, bool both_written) {
  if (!output.identity || !other.identity || !(*output.identity == *other.identity)) return false;
  const mode_t type = output.identity->type;
  if (!both_written) return type != S_IFCHR && type != S_IFSOCK;
  return type != S_IFCHR || output.identity->driver != kMemoryDevices;
}

void Files::check() const {
  const auto refuse = [](const File& output, const File& other) {
    throw Error(ErrorCode::would_overwrite_input,
                fmt::format("{} and {} are the same file", named(output.what, output.path),
                            named(other.what, other.path)),
                fmt::format("name another file for {}", output.what));
  };
  for (std::size_t i = 0; i < outputs_.size(); ++i) {
    for (const File& input : inputs_)
      if (clash(outputs_[i], input, false)) refuse(outputs_[i], input);
    for (std::size_t j = 0; j < i; ++j)
      if (clash(outputs_[i], outputs_[j], true)) refuse(outputs_[i], outputs_[j]);
  }
  // Words in a file would go into a result or an input; standard output may go the same way.
  const File words{"the words on standard error", "", identity_of(STDERR_FILENO)};
  const bool kept = words.identity && words.identity->type == S_IFREG;
  for (const File& input : inputs_)
    if (kept && clash(words, input, false)) refuse(words, input);
  for (const File& output : outputs_)
    if (kept && !output.path.empty() && clash(output, words, true)) refuse(output, words);

  for (const File& output : outputs_) {
    if (output.rows) check_rows_file(output.path);
    if (output.named) check_table_output(output.path.empty() ? "-" : output.path);
    check_kind(output);
    if (output.certain && !output.path.empty()) check_can_write(output.path);
  }
}

}  // namespace mercer::cli
