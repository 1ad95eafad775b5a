// Options that several commands share: how to read a table, and what a run may use.
#pragma once

#include "apps/cli/command.h"
#include "mercer/core/budget.h"
#include "mercer/io/table.h"

#include <string>
#include <vector>

namespace mercer::cli {

/// How to read a table.
struct ReadArguments {
  std::string format, delimiter, decimal, thousands, header, label, missing = "error", skip = "0",
                                                                    rejects, first_index;
  std::vector<std::string> na, columns, drop, targets;
  bool images = false;

  void add_to(Command& command);
  /// The option that names columns to predict, for commands that learn or judge.
  void add_targets_to(Command& command);
  /// Throws M102 for values that make no sense.
  ReadOptions options() const;
};

/// Throws M102 where missing values would be filled in: by the new table's own figures, the result
/// for a row would depend on the rows beside it. For tables that no model has figures of.
void refuse_filling(const ReadArguments& reading);

/// What a run may use.
struct BudgetArguments {
  std::string memory, threads, time, device = "auto", precision = "auto", operator_name = "auto",
                                     solver_name = "auto";

  void add_to(Command& command, bool with_plan);
  /// The context of a run; the arguments must outlive it.
  Context context(Terminal& terminal) const;
};

/// Reads a table, telling what was found and guessed.
Table read_and_tell(const std::string& path, const ReadOptions& options, const Context& context,
                    Terminal& terminal);

/// Runs `work`; an error about the data that has no place gets the name of the file they came from.
template <class Work>
auto about(const std::string& path, Work&& work) {
  try {
    return work();
  } catch (const Error& error) {
    const int code = static_cast<int>(error.code());
    const bool data = code / 100 == 2 || (code >= 710 && code <= 713);
    const std::string file = path == "-" ? "standard input" : path;
    if (!data || error.place().starts_with(file)) throw;
    throw error.at(error.place().empty() ? file : file + ", " + error.place());
  }
}

/// The name of a file without folders.
std::string base_name(const std::string& path);

}  // namespace mercer::cli
