// The files of a command: what it reads and what it writes. No output may be an input or another
// output, whatever the names: a mistyped option must not cost somebody their data. Every command
// names its files here before it begins.
#pragma once

#include "apps/cli/terminal.h"
#include "mercer/io/file_identity.h"
#include "mercer/io/table.h"

#include <optional>
#include <string>
#include <vector>

namespace mercer::cli {

/// What --force is for where tables are written.
constexpr const char* kForceHelp = "write over a file that is no table";

class Files {
 public:
  /// The object of --json is an output, too.
  explicit Files(const Terminal& terminal);

  /// "the model", FILE. "-" is standard input, "" no file.
  void reads(const std::string& what, const std::string& path);
  /// A table, with the files that its reader finds by itself; and the file for rejected rows.
  void reads_table(const std::string& what, const std::string& path, const ReadOptions& options);
  /// "the scores (--scores)", FILE. "-" is standard output, "" no file.
  void writes(const std::string& what, const std::string& path);
  /// The same for a file that is perhaps not written.
  void may_write(const std::string& what, const std::string& path);
  /// The same for a table, whose name also says the format.
  void writes_table(const std::string& what, const std::string& path);
  /// The same where names and classes of its rows may go to a file beside it.
  void writes_rows(const std::string& what, const std::string& path);

  /// The command has an option to replace files of another kind, and it was given or not.
  void may_force(bool given);

  /// Throws M109 where two of them are one file, M409 where a table would replace something that is
  /// none, then what writing the outputs would throw for
  /// their names alone: nobody should wait for a result that cannot be kept.
  void check() const;

 private:
  struct File {
    std::string what, path;  // of a standard stream: no path
    std::optional<FileIdentity> identity;
    bool certain = true, table = false, named = false, rows = false;
  };
  static bool clash(const File& output, const File& other, bool both_written);
  void check_kind(const File& output) const;

  std::vector<File> inputs_, outputs_;
  std::optional<bool> force_;  // none where the command has no such option
};

}  // namespace mercer::cli
